import { writeFileAtomically } from '../../node/write-file-atomically.ts';
import type { SavedConnection } from '../connections/connection-document.ts';
import type { ExportAbout } from './formats/export-writer.ts';
import { RFC_4180 } from '../../common/model/exports/export-options.ts';
import type { PreparedExport } from './prepared-export.ts';
import { readCertificates, type CertificateCache } from './read-certificates.ts';

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

/** Writes `<target>.manifest.json`, after the file itself, and returns its path. */
export async function writeManifest(
  parts: ManifestParts,
  { format, layout, provenance }: PreparedExport,
  target: string,
  { about, ...written }: WrittenFile,
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
  const path = `${target}.manifest.json`;
  await writeFileAtomically(path, `${JSON.stringify(manifest, null, 2)}\n`);
  return path;
}

function toIso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
