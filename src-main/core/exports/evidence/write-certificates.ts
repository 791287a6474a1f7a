import type { CertificateFile } from '../../../common/model/cache/download.ts';
import { toCertificateFile, toCertificateFileName } from '../../downloads/certificate.ts';
import type { EvidenceParts } from './evidence-question.ts';
import type { PackThread } from './packing/pack-operations.ts';

/** Certificates of more snapshots are left out, and counted. */
const MAX_CERTIFICATES = 500;

/** A certificate as the manifest lists it. */
export type WrittenCertificate =
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
