import type { Certificate } from '../../common/model/cache/download.ts';
import type { Cache } from '../cache/cache.ts';
import { toCertificate } from '../downloads/certificate.ts';

/** Certificates of more snapshots are left out, and counted. */
const MAX_CERTIFICATES = 100;

export type CertificateCache = Pick<Cache, 'getDownload' | 'readJournalFigures'>;

/** The certificates of some snapshots; of one that the cache can't tell about, its number alone. */
export interface ReadCertificates {
  readonly certificates: readonly (Certificate | { readonly snapshotId: number })[];
  readonly certificatesLeftOut: number;
}

/** Reads the certificates of the snapshots that an export is made from, at most 100. Never rejects. */
export async function readCertificates(
  cache: CertificateCache,
  snapshotIds: readonly number[],
): Promise<ReadCertificates> {
  const certificates = [];
  for (const snapshotId of snapshotIds.slice(0, MAX_CERTIFICATES)) {
    certificates.push(await readCertificate(cache, snapshotId));
  }
  return { certificates, certificatesLeftOut: Math.max(0, snapshotIds.length - MAX_CERTIFICATES) };
}

async function readCertificate(
  cache: CertificateCache,
  snapshotId: number,
): Promise<Certificate | { readonly snapshotId: number }> {
  try {
    return toCertificate(await cache.getDownload(snapshotId), await cache.readJournalFigures(snapshotId));
  } catch {
    return { snapshotId };
  }
}
