import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { Certificate } from 'electron';

const MAX_CHAIN = 10;
const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1';
const MIN_RSA_BITS = 2048;

/** Reads the authorities that a person trusts; one that can't be read is left out. */
export function readAuthorities(pems: readonly string[]): X509Certificate[] {
  return pems.flatMap((pem) => {
    try {
      return [new X509Certificate(pem)];
    } catch {
      return [];
    }
  });
}

/**
 * True for a certificate that one of the authorities signed, directly or through others of its chain: for this name, at
 * this moment, to be shown by a server, each signer allowed to sign. Chromium names an unknown signer before other
 * faults, so all of them are looked for here.
 */
export function isSignedByOwn(
  shown: Certificate,
  hostname: string,
  authorities: readonly X509Certificate[],
  nowMs: number,
): boolean {
  try {
    const chain = readChain(shown);
    const [first] = chain;
    if (first === undefined || !isFor(first, hostname) || !mayServe(first)) return false;
    return leadsToAuthority(first, chain.slice(1), authorities, nowMs);
  } catch {
    // A certificate that can't be read proves nothing.
    return false;
  }
}

function readChain(shown: Certificate): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let next: Certificate | undefined = shown;
  while (next !== undefined && chain.length < MAX_CHAIN) {
    chain.push(new X509Certificate(next.data));
    next = findIssuer(next);
  }
  return chain;
}

/** The last of a chain has none, whatever Electron's types say. */
function findIssuer({ issuerCert }: { readonly issuerCert?: Certificate }): Certificate | undefined {
  return issuerCert;
}

function leadsToAuthority(
  first: X509Certificate,
  others: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
  nowMs: number,
): boolean {
  let current = first;
  for (let step = 0; step <= MAX_CHAIN; step += 1) {
    if (!isSound(current, nowMs)) return false;
    if (authorities.some((one) => isSound(one, nowMs) && hasSigned(one, current))) return true;
    const signer = others.find(
      (one) => one.fingerprint256 !== current.fingerprint256 && hasSigned(one, current),
    );
    if (signer === undefined) return false;
    current = signer;
  }
  return false;
}

function hasSigned(signer: X509Certificate, signed: X509Certificate): boolean {
  return signer.ca && signed.checkIssued(signer) && signed.verify(signer.publicKey);
}

function isSound({ validFromDate, validToDate, publicKey }: X509Certificate, nowMs: number): boolean {
  const { modulusLength = MIN_RSA_BITS } = publicKey.asymmetricKeyDetails ?? {};
  return validFromDate.getTime() <= nowMs && nowMs <= validToDate.getTime() && modulusLength >= MIN_RSA_BITS;
}

function isFor(certificate: X509Certificate, hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '');
  if (isIP(name) !== 0) return certificate.checkIP(name) !== undefined;
  return certificate.checkHost(name, { subject: 'never' }) !== undefined;
}

/** A certificate that names its uses must name this one; Node has none for one that names none. */
function mayServe({ keyUsage }: { readonly keyUsage?: readonly string[] }): boolean {
  return keyUsage === undefined || keyUsage.length === 0 || keyUsage.includes(SERVER_AUTHENTICATION);
}
