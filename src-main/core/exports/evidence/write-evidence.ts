import type { TaskHandle } from '../../tasks/task-registry.ts';
import { withDetailSource } from '../export-source.ts';
import type { ExportPiece } from '../formats/export-writer.ts';
import { readReport, REPORT_STEPS } from '../report/read-report.ts';
import { writeReport } from '../report/write-report.ts';
import { writeManifestText, writeSums } from './evidence-manifest.ts';
import { describeEvidence, listSessions, openMasks, type EvidenceQuestion } from './evidence-question.ts';
import { writeFindingsText } from './findings-text.ts';
import type { Masks } from './masking/masks.ts';
import { maskReport } from './mask-report.ts';
import { createPackWriter, type PackWriter } from './pack-writer.ts';
import { writeReadmeText } from './readme-text.ts';
import { writeCertificates } from './write-certificates.ts';
import { RECORD_FILES, writeRecords, type WrittenRecords } from './write-records.ts';
import { writeSessions } from './write-sessions.ts';

/** The part of the progress that the records take; the rest is the report's. */
const RECORDS_SHARE = 0.9;

/**
 * Writes an evidence pack: the records first, since they tell what of an error family may be shown, then all that is
 * made of them. Throws `cache.*`, `analysis.*`, `exports.*`, and the signal's reason when aborted.
 */
export async function writeEvidence(
  question: EvidenceQuestion,
  put: (piece: ExportPiece) => Promise<void>,
  { signal, progress }: Pick<TaskHandle, 'signal' | 'progress'>,
): Promise<{ readonly recordCount: number }> {
  const { parts, subject, input, options } = question;
  const { connectionId, provenance } = subject;
  const masks = await openMasks(question, signal);
  const pack = createPackWriter(put, new Date(parts.now()), signal);
  const { records, recordCount } = await packRecords(question, pack, masks, signal, (done, count) =>
    progress(Math.floor((done / RECORD_FILES.length) * RECORDS_SHARE), count),
  );
  const describe = (count: number, nowMs: number): ReturnType<typeof describeEvidence> =>
    describeEvidence(question, masks, count, nowMs);
  const found = await readReport(parts, subject, input, describe, signal, (done) =>
    progress(
      Math.floor(recordCount * (RECORDS_SHARE + ((1 - RECORDS_SHARE) * done) / (REPORT_STEPS + 1))),
      recordCount,
    ),
  );
  const { sessionIds, leftOut: sessionsLeftOut } = listSessions(options, found.findings.list);
  // Sessions tell of more error families.
  const about = describe(recordCount, parts.now());
  const sessions = await writeSessions(
    pack,
    parts,
    { connectionId, sessionIds, input, about },
    masks,
    signal,
  );
  const content = maskReport({ ...found, about }, masks);
  await pack.add('report.html', (write) => write(writeReport(content)));
  await pack.add('findings.json', (write) => write(writeFindingsText(content)));
  const certified = await writeCertificates(pack, parts.cache, provenance.snapshotIds, masks, signal);
  const { list, fromMs, toMs } = content.findings;
  const readme = writeReadmeText(about, masks.masking, {
    findings: list.length,
    sessions: sessions.length,
    certificates: certified.certificates.filter(({ file }) => file !== null).length,
  });
  await pack.add('README.txt', (write) => write(readme));
  const manifest = writeManifestText(parts, connectionId, {
    ...certified,
    about,
    masking: masks.masking,
    gaps: provenance.gaps,
    records,
    sessions,
    sessionsLeftOut,
    findings: { count: list.length, fromMs, toMs },
    files: pack.files,
  });
  await pack.add('manifest.json', (write) => write(manifest));
  await pack.add('SHA256SUMS', (write) => write(writeSums(pack.files)));
  await pack.end();
  return { recordCount };
}

async function packRecords(
  question: EvidenceQuestion,
  pack: PackWriter,
  masks: Masks,
  signal: AbortSignal,
  onProgress: (done: number, count: number) => void,
): Promise<{ readonly records: WrittenRecords; readonly recordCount: number }> {
  const { parts, report, input } = question;
  const names = input.includeNames === true ? parts.listNames(question.subject.connectionId) : [];
  const packed: { value: { records: WrittenRecords; recordCount: number } | null } = { value: null };
  await withDetailSource(parts, report, input, names, signal, async (source) => {
    const recordCount = source.rowCount;
    const about = describeEvidence(question, masks, recordCount, parts.now());
    onProgress(0, recordCount);
    const records = await writeRecords(pack, source, masks, about, signal, (done) =>
      onProgress(done, recordCount),
    );
    packed.value = { records, recordCount };
  });
  if (packed.value === null) throw new Error('The records were not read.');
  return packed.value;
}
