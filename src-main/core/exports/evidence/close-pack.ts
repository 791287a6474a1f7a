import type { CertificateFile } from '../../../common/model/cache/download.ts';
import type { EvidenceMasking, PackSignature } from '../../../common/model/exports/export-options.ts';
import { toCertificateFile, toCertificateFileName } from '../../downloads/certificate.ts';
import type { FileSum } from '../partial-file.ts';
import type { EvidenceParts } from './evidence-question.ts';
import { describeMasking } from './masking/export-masks.ts';
import type { PackThread } from './packing/pack-operations.ts';
import type { PackFile } from './packing/write-records.ts';
import { POWERSHELL_CHECKER, PYTHON_CHECKER } from './signing/checkers.ts';
import type { PackSeal } from './signing/pack-signature.ts';

const UNSIGNED: Readonly<Record<NonNullable<PackSignature['unsigned']>, string>> = {
  'no-secret-store': 'there was no keychain or other place to keep a key in',
  'key-unreadable': 'the key could not be read from the keychain',
};

/** Lines of a README about the files that every pack ends with. */
const LAST_FILES: readonly string[] = [
  'manifest.json   what this pack holds, how complete it is, and what was masked',
  'verify.py       checks the ZIP with Python 3: python3 verify.py PACK.zip FINGERPRINT',
  'verify.ps1      the same for Windows: powershell -ExecutionPolicy Bypass -File verify.ps1 PACK.zip FINGERPRINT',
  'SHA256SUMS      checksums of all files; check them with "sha256sum -c SHA256SUMS"',
];

/** Lines of a README: what the signature says, and what it doesn't. */
function describeSignature({ fingerprint, unsigned }: PackSignature): readonly string[] {
  if (unsigned !== null)
    return [`This pack is not signed: ${UNSIGNED[unsigned]}. Nothing proves that it is unaltered.`];
  return [
    `This pack says that it is signed with the key ${fingerprint ?? ''} (Ed25519).`,
    'Check the ZIP as it was received, with the fingerprint that the sender gave you in another way: it then is proven',
    'that nothing in it was altered since. It is not proven that the service sent what the application says it received.',
  ];
}

/**
 * Ends a pack with what stands in every one: README, checkers, the manifest with the files before it, and checksums of all;
 * then signs it.
 */
export async function closePack(
  pack: PackThread,
  seal: PackSeal,
  {
    readme,
    masking,
    manifest,
  }: {
    /** Its first lines: what the pack is of, and the files before these. */
    readonly readme: readonly string[];
    readonly masking: EvidenceMasking;
    readonly manifest: Readonly<Record<string, unknown>>;
  },
): Promise<FileSum> {
  const { signature } = seal;
  const { client, payload, errors } = describeMasking(masking);
  const lines = [
    ...[...readme, ...LAST_FILES, ''],
    ...[...describeSignature(signature), '', client, payload, errors, ''],
  ];
  await pack.addText({ file: 'README.txt', text: lines.join('\r\n') });
  await pack.addText({ file: 'verify.py', text: PYTHON_CHECKER });
  await pack.addText({ file: 'verify.ps1', text: POWERSHELL_CHECKER });
  const signed =
    signature.unsigned === null
      ? { algorithm: 'Ed25519', keySha256: signature.fingerprint }
      : { algorithm: null, reason: signature.unsigned };
  const whole = { ...manifest, signature: signed, files: await pack.listFiles() };
  await pack.addText({ file: 'manifest.json', text: `${JSON.stringify(whole, null, 2)}\n` });
  await pack.addText({ file: 'SHA256SUMS', text: writeSums(await pack.listFiles()) });
  return pack.sealPack(seal.write(await pack.endPack(seal.bytes)));
}

/** Checksums as `sha256sum -c` reads them. */
function writeSums(files: readonly PackFile[]): string {
  return files.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join('');
}

/** Certificates of more snapshots are left out, and counted. */
const MAX_CERTIFICATES = 500;

/** A certificate as the manifest lists it. */
type WrittenCertificate =
  | {
      readonly snapshotId: number;
      readonly file: string;
      readonly isComplete: boolean;
      readonly pagesSha256: string;
    }
  /** No journal of the download was kept. */
  | { readonly snapshotId: number; readonly file: null };

/** What was written of certificates. */
export interface WrittenCertificates {
  readonly certificates: readonly WrittenCertificate[];
  readonly certificatesLeftOut: number;
}

/** Writes the certificates of snapshots, each in a file of its own, with the checksums of all their pages. */
export async function writeCertificates(
  pack: PackThread,
  cache: EvidenceParts['cache'],
  snapshotIds: readonly number[],
  signal: AbortSignal,
): Promise<WrittenCertificates> {
  const certificates: WrittenCertificate[] = [];
  for (const snapshotId of snapshotIds.slice(0, MAX_CERTIFICATES)) {
    signal.throwIfAborted();
    const certificate = await readCertificateFile(cache, snapshotId);
    if (certificate === null) {
      certificates.push({ snapshotId, file: null });
      continue;
    }
    const file = `certificates/${toCertificateFileName(certificate)}`;
    await pack.addCertificate({ file, certificate });
    const { isComplete, pagesSha256 } = certificate;
    certificates.push({ snapshotId, file, isComplete, pagesSha256 });
  }
  return { certificates, certificatesLeftOut: Math.max(0, snapshotIds.length - MAX_CERTIFICATES) };
}

/** Null where the cache can't tell how the snapshot was downloaded. */
async function readCertificateFile(
  cache: Pick<EvidenceParts['cache'], 'getDownload' | 'readJournalFigures'>,
  snapshotId: number,
): Promise<CertificateFile | null> {
  try {
    return toCertificateFile(await cache.getDownload(snapshotId), await cache.readJournalFigures(snapshotId));
  } catch {
    return null;
  }
}
