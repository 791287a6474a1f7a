import type { RecordFilter } from '../../../common/model/records/record-filter.ts';
import type { TaskHandle } from '../../tasks/task-registry.ts';
import { toColumnChoice } from '../arrange-columns.ts';
import { feedRecords } from '../export-source.ts';
import type { ExportAbout } from '../formats/export-writer.ts';
import type { FileSum } from '../partial-file.ts';
import { requireAll } from '../rows/require-all.ts';
import { readReport, REPORT_STEPS } from '../report/read-report.ts';
import { writeReport } from '../report/write-report.ts';
import { writeManifestText, writeSums } from './evidence-manifest.ts';
import {
  describeEvidence,
  listKnownClients,
  listSessions,
  toPackJob,
  type EvidenceQuestion,
} from './evidence-question.ts';
import { writeFindingsText } from './findings-text.ts';
import type { PackThread } from './packing/pack-thread.ts';
import type { PackedRecords } from './packing/write-records.ts';
import { writeReadmeText } from './readme-text.ts';
import { writeCertificates } from './write-certificates.ts';
import { writeSessions } from './write-sessions.ts';

/** The part of the progress that the records take; the rest is the report's. */
const RECORDS_SHARE = 0.9;

/**
 * Writes an evidence pack into the file at `path`: the records first, since they tell what of an error family may be
 * shown, then all that is made of them. Throws `cache.*`, `analysis.*`, `exports.*`, and the signal's reason when aborted.
 */
export async function writeEvidence(
  question: EvidenceQuestion,
  pack: PackThread,
  path: string,
  { signal, progress }: Pick<TaskHandle, 'signal' | 'progress'>,
): Promise<FileSum & { readonly recordCount: number }> {
  const { parts, subject, input, options } = question;
  const { masking } = options;
  const { connectionId, provenance } = subject;
  await pack.beginPack(toPackJob(question, path));
  for await (const clients of listKnownClients(question, signal)) await pack.addClients(clients);
  await pack.addFamilies(await parts.engine.listFamilyNames({ connectionId }, { signal }));
  const { recordCount, written: records } = await packRecords(question, pack, signal, (done, count) =>
    progress(Math.floor(done * RECORDS_SHARE), count),
  );
  const filter = await pack.maskFilter(input.filter);
  const describe = (count: number, nowMs: number): ExportAbout =>
    describeEvidence(question, filter, count, nowMs);
  const onStep = (done: number): void => {
    const share = RECORDS_SHARE + ((1 - RECORDS_SHARE) * done) / (REPORT_STEPS + 1);
    progress(Math.floor(recordCount * share), recordCount);
  };
  const found = await readReport(parts, { subject, input, describe }, { signal, onStep });
  const { sessionIds, leftOut: sessionsLeftOut } = listSessions(options, found.findings.list);
  // Sessions tell of more error families.
  const about = describe(recordCount, parts.now());
  const sessions = await writeSessions(pack, question, { sessionIds, about }, signal);
  const { families, findings } = found;
  const content = { ...found, about, ...(await pack.maskReport({ families, findings })) };
  await pack.addText({ file: 'report.html', text: writeReport(content) });
  await pack.addText({ file: 'findings.json', text: writeFindingsText(content) });
  const certified = await writeCertificates(pack, parts.cache, provenance.snapshotIds, signal);
  const { list, fromMs, toMs } = content.findings;
  const readme = writeReadmeText(about, masking, {
    findings: list.length,
    sessions: sessions.length,
    certificates: certified.certificates.filter(({ file }) => file !== null).length,
  });
  await pack.addText({ file: 'README.txt', text: readme });
  const manifest = writeManifestText(parts, connectionId, {
    ...certified,
    about,
    masking,
    gaps: provenance.gaps,
    records,
    sessions,
    sessionsLeftOut,
    findings: { count: list.length, fromMs, toMs },
    files: await pack.listFiles(),
  });
  await pack.addText({ file: 'manifest.json', text: manifest });
  await pack.addText({ file: 'SHA256SUMS', text: writeSums(await pack.listFiles()) });
  return { ...(await pack.endPack()), recordCount };
}

async function packRecords(
  question: EvidenceQuestion,
  pack: PackThread,
  signal: AbortSignal,
  onProgress: (done: number, count: number) => void,
): ReturnType<PackedRecords['end']> {
  const { parts, subject, report, input } = question;
  const names = input.includeNames === true ? parts.listNames(subject.connectionId) : [];
  const filter: RecordFilter = await pack.maskFilter(input.filter);
  return feedRecords(parts, { report, input, names }).open(signal, async ({ rowCount, batches }) => {
    onProgress(0, rowCount);
    await pack.beginRecords({
      shape: { kind: 'records', report, choice: toColumnChoice(input), names },
      about: describeEvidence(question, filter, rowCount, parts.now()),
    });
    for await (const batch of batches)
      await pack.writeRecords(batch, { signal, onProgress: (done) => onProgress(done, rowCount) });
    const packed = await pack.endRecords();
    requireAll(rowCount, packed.recordCount);
    return packed;
  });
}
