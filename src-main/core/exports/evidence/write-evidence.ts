import type { RecordFilter } from '../../../common/model/records/record-filter.ts';
import type { TaskHandle } from '../../tasks/task-registry.ts';
import { toColumnChoice } from '../arrange-columns.ts';
import { feedRecords } from '../export-source.ts';
import type { ExportAbout } from '../formats/export-writer.ts';
import type { FileSum } from '../partial-file.ts';
import { requireAll } from '../rows/require-all.ts';
import { readReport, REPORT_STEPS } from '../report/read-report.ts';
import { writeReport } from '../report/write-report.ts';
import {
  describeEvidence,
  listKnownClients,
  listSessions,
  toPackJob,
  type EvidenceQuestion,
} from './evidence-question.ts';
import type { PackThread } from './packing/pack-thread.ts';
import type { PackedRecords, WrittenRecords } from './packing/write-records.ts';
import { writeCertificates, type WrittenCertificates } from './write-certificates.ts';
import type { EvidenceMasking } from '../../../common/model/exports/evidence-options.ts';
import type { ExportProvenance } from '../prepared-export.ts';
import type { EvidenceParts } from './evidence-parts.ts';
import { describeMasking } from './masking/masking-words.ts';
import type { PackFile } from './packing/pack-writer.ts';
import type { WrittenSession } from './packing/write-session.ts';
import type { Finding } from '../../../common/model/analysis/finding.ts';
import { ENGLISH } from '../../../common/words/english.ts';
import { createFindingSentences } from '../../../common/words/finding-words.ts';
import type { ReportContent } from '../report/report-content.ts';
import { toNamedText } from '../report/sections/value-names.ts';

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

/** What became of a pack, apart from the manifest itself. */
interface WrittenEvidence extends WrittenCertificates {
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
function writeManifestText(
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
function writeSums(files: readonly PackFile[]): string {
  return files.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join('');
}

function toIso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Writes what stood out, as JSON: in English words and in figures. Takes a report's content that is masked. */
function writeFindingsText({ findings, names }: Pick<ReportContent, 'findings' | 'names'>): string {
  const { list, fromMs, toMs, gaps } = findings;
  const content = {
    from: toIso(fromMs),
    to: toIso(toMs),
    findings: list.map((finding) => describeFinding(finding, names)),
    // Why more may stand out than is listed.
    notJudged: gaps.map(({ direction, reason, fromMs: gapFromMs, toMs: gapToMs }) => ({
      direction,
      reason,
      from: toIso(gapFromMs),
      to: toIso(gapToMs),
    })),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

function describeFinding(finding: Finding, names: ReportContent['names']): Readonly<Record<string, unknown>> {
  const { kind, also, part, directions, channel, service, sinceMs, endedMs, requests, count } = finding;
  const { recent, usual, source, errorFamily, isNewFamily, examples } = finding;
  const sentences = createFindingSentences({
    ...ENGLISH,
    toText: (field, value) => toNamedText(names, field, value),
  });
  return {
    title: sentences.toTitle(finding),
    detail: sentences.toDetail(finding),
    kind,
    also,
    part,
    directions,
    channel,
    service,
    since: toIso(sinceMs),
    ended: endedMs === null ? null : toIso(endedMs),
    requests,
    count,
    affectedSessions: finding.sessionCount,
    affectedClients: finding.clientCount,
    recent,
    usual,
    usualFrom: source,
    errorFamily,
    isNewFamily,
    sessions: examples,
  };
}

/** What stands in a pack for whoever opens it first. */
function writeReadmeText(
  about: ExportAbout,
  masking: EvidenceMasking,
  counts: { readonly findings: number; readonly sessions: number; readonly certificates: number },
): string {
  const { report, tenant, startDate, endDate, zone, recordCount } = about;
  const whose = tenant === undefined ? '' : `, tenant ${tenant}`;
  const { formatCount } = ENGLISH.formats;
  const words = describeMasking(masking);
  return [
    `Evidence: ${report}${whose}, ${startDate} to ${endDate} (${zone}), ${formatCount(recordCount)} records.`,
    '',
    'report.html     figures, charts, findings, errors and what is missing; opens in any browser, without network',
    'records.csv     the records, for a spreadsheet; texts that it would run as a formula have an apostrophe in front',
    'records.ndjson  the same records, one JSON object a line',
    `findings.json   what stood out in the period: ${formatCount(counts.findings)}`,
    `sessions/       whole sessions, in both directions: ${formatCount(counts.sessions)}`,
    `certificates/   what the downloads requested and received, with the SHA-256 of each page: ${formatCount(counts.certificates)}`,
    'manifest.json   what this pack holds, how complete it is, and what was masked',
    'SHA256SUMS      checksums of all files; check them with "sha256sum -c SHA256SUMS"',
    '',
    words.client,
    words.payload,
    words.errors,
    '',
  ].join('\r\n');
}

/** Requests of one session that are written; the oldest ones. */
const MAX_REQUESTS = 2_000;

/** Writes sessions, each in a file of its own. Throws `analysis.*` and `cache.*`. */
async function writeSessions(
  pack: PackThread,
  { parts, subject, input }: EvidenceQuestion,
  { sessionIds, about }: { readonly sessionIds: readonly string[]; readonly about: ExportAbout },
  signal: AbortSignal,
): Promise<WrittenSession[]> {
  const choice = toColumnChoice(input);
  const { connectionId } = subject;
  const written: WrittenSession[] = [];
  for (const [place, sessionId] of sessionIds.entries()) {
    const session = await parts.engine.readSession(
      { connectionId, sessionId, limit: MAX_REQUESTS },
      { signal },
    );
    const file = `sessions/${String(place + 1).padStart(3, '0')}.json`;
    written.push(await pack.addSession({ file, sessionId, session, choice, about }, { signal }));
  }
  return written;
}
