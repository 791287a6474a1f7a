import { readFile } from 'node:fs/promises';
import type { Certificate } from '../../common/model/cache/download.ts';
import { RFC_4180 } from '../../common/model/exports/export-options.ts';
import { findErrorCode } from '../../node/error-text.ts';
import { tryToRemove } from '../../node/move-and-remove.ts';
import { writeFileAtomically } from '../../node/write-file-atomically.ts';
import type { Cache } from '../cache/cache.ts';
import type { SavedConnection } from '../connections/connection-file.ts';
import { toCertificate } from '../downloads/certificate.ts';
import type { ExportAbout } from './formats/export-writer.ts';
import { guardWriting } from './partial-file.ts';
import type { PreparedExport } from './prepared-export.ts';

/** What manifests are written from. */
export interface ManifestParts {
  readonly cache: CertificateCache;
  /** The application's version. */
  readonly version: string;
  /** Undefined for a connection that is gone. */
  findConnection(connectionId: string): Pick<SavedConnection, 'name' | 'baseAddress' | 'tenant'> | undefined;
}

/** What became of the file. */
interface WrittenFile {
  readonly about: ExportAbout;
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly columns: readonly string[];
  readonly cutTexts: number;
  readonly replacedCharacters: number;
}

/** Path of the manifest of a file. */
export function toManifestPath(target: string): string {
  return `${target}.manifest.json`;
}

/**
 * Writes `<target>.manifest.json` and then, by `commit`, the file itself, so that it never stands without its manifest,
 * whatever ends the application in between. Returns the manifest's path. Where the commit fails, the manifest is what it
 * was before.
 */
export async function writeManifest(
  parts: ManifestParts,
  { format, layout, provenance }: PreparedExport,
  target: string,
  { about, commit, ...written }: WrittenFile & { readonly commit: () => Promise<unknown> },
): Promise<string> {
  const { connectionId, snapshotIds, gaps } = provenance;
  const connection = parts.findConnection(connectionId);
  const { fieldNames = 'original', csv = RFC_4180 } = layout;
  const manifest = {
    format: 'channelscope-export-manifest',
    version: 1,
    application: 'Channelscope',
    applicationVersion: parts.version,
    ...written,
    content: { format, fieldNames, ...(format === 'csv' ? { csv } : {}) },
    connection: connection === undefined ? null : { name: connection.name, address: connection.baseAddress },
    ...about,
    gaps: gaps.map(({ fromMs, toMs, state }) => ({ from: toIso(fromMs), to: toIso(toMs), state })),
    ...(await readCertificates(parts.cache, snapshotIds)),
  };
  const path = toManifestPath(target);
  const before = await readBefore(path);
  await guardWriting(() => writeFileAtomically(path, `${JSON.stringify(manifest, null, 2)}\n`));
  try {
    await commit();
  } catch (error) {
    await (before === null
      ? tryToRemove(path, () => undefined)
      : writeFileAtomically(path, before).catch(() => undefined));
    throw error;
  }
  return path;
}

async function readBefore(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (findErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function toIso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Certificates of more snapshots are left out, and counted. */
const MAX_CERTIFICATES = 100;

type CertificateCache = Pick<Cache, 'getDownload' | 'readJournalFigures'>;

/** The certificates of some snapshots; of one that the cache can't tell about, its number alone. */
interface ReadCertificates {
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
