import type { EvidenceMasking } from '../../../common/model/exports/evidence-options.ts';
import type { ExportAbout } from '../formats/export-writer.ts';
import type { ExportProvenance } from '../prepared-export.ts';
import type { EvidenceParts } from './evidence-parts.ts';
import { describeMasking } from './masking/masking-words.ts';
import type { PackFile } from './packing/pack-writer.ts';
import type { WrittenCertificates } from './write-certificates.ts';
import type { WrittenRecords } from './packing/write-records.ts';
import type { WrittenSession } from './packing/write-session.ts';

/** What became of a pack, apart from the manifest itself. */
export interface WrittenEvidence extends WrittenCertificates {
  /** With the filter as the pack states it. */
  readonly about: ExportAbout;
  readonly masking: EvidenceMasking;
  readonly gaps: ExportProvenance['gaps'];
  readonly records: WrittenRecords;
  readonly sessions: readonly WrittenSession[];
  readonly sessionsLeftOut: number;
  readonly findings: { readonly count: number; readonly fromMs: number; readonly toMs: number };
  readonly files: readonly PackFile[];
}

/** Writes what a pack says of itself, as JSON. */
export function writeManifestText(
  { version, findConnection }: Pick<EvidenceParts, 'version' | 'findConnection'>,
  connectionId: string,
  written: WrittenEvidence,
): string {
  const { about, masking, gaps, records, sessions, sessionsLeftOut, findings } = written;
  const { certificates, certificatesLeftOut, files } = written;
  const connection = findConnection(connectionId);
  const words = describeMasking(masking);
  const manifest = {
    format: 'channelscope-evidence-pack',
    version: 1,
    application: 'Channelscope',
    applicationVersion: version,
    connection: connection === undefined ? null : { name: connection.name, address: connection.baseAddress },
    ...about,
    gaps: gaps.map(({ fromMs, toMs, state }) => ({ from: toIso(fromMs), to: toIso(toMs), state })),
    masking: {
      client: { choice: masking.client, meaning: words.client },
      payload: { choice: masking.payload, meaning: words.payload },
      errors: { choice: masking.errors, meaning: words.errors },
    },
    ...records,
    findings: { count: findings.count, from: toIso(findings.fromMs), to: toIso(findings.toMs) },
    sessions,
    sessionsLeftOut,
    certificates,
    certificatesLeftOut,
    files,
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Checksums as `sha256sum -c` reads them. */
export function writeSums(files: readonly PackFile[]): string {
  return files.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join('');
}

function toIso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
