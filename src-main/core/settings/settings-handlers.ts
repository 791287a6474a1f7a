import type { HandlersOf } from '../../common/contract/index.ts';
import type { SettingsStore } from './create-settings.ts';
import { X509Certificate } from 'node:crypto';
import { AppError } from '../../common/contract/errors.ts';
import type { CertificateDescription } from '../../common/contract/operations/settings.ts';

/** The handlers of `settings/…`. */
export function createSettingsHandlers(parts: { readonly settings: SettingsStore }): HandlersOf<'settings'> {
  const { settings } = parts;
  return {
    'settings/get': () => settings.get(),
    'settings/update': (change) => settings.update(change),
    'settings/list-set-aside': () => settings.listSetAside(),
    'settings/read-certificates': ({ pem }) => readPemCertificates(pem),
  };
}

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----[\sA-Za-z0-9+/=]+?-----END CERTIFICATE-----/g;

/**
 * Reads the certificates of a PEM file, each once; what stands between them, such as a private key, is left out. Throws
 * `settings.no-certificate` where there is none, or one that can't be read.
 */
function readPemCertificates(pem: string): CertificateDescription[] {
  const blocks = pem.match(PEM_BLOCK) ?? [];
  if (blocks.length === 0) throw toNoCertificate();
  const read = blocks.map(readCertificate);
  return read.filter(({ fingerprint }, place) => {
    return read.findIndex((other) => other.fingerprint === fingerprint) === place;
  });
}

function readCertificate(block: string): CertificateDescription {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(block);
  } catch (error) {
    throw toNoCertificate(error);
  }
  const { subject, validFromDate, validToDate, fingerprint256, ca } = certificate;
  return {
    pem: certificate.toString().trim(),
    name: /^CN=(.+)$/m.exec(subject)?.[1] ?? subject.replaceAll('\n', ', '),
    validFromMs: validFromDate.getTime(),
    validToMs: validToDate.getTime(),
    fingerprint: fingerprint256,
    isAuthority: ca,
  };
}

function toNoCertificate(cause?: unknown): AppError {
  return new AppError(
    'settings.no-certificate',
    'The file holds no certificate that can be read.',
    {},
    cause,
  );
}
