import type { RecordFilter } from '../../../common/model/records/record-filter.ts';
import type { TaskHandle } from '../../tasks/task-registry.ts';
import { toColumnChoice } from '../export-columns.ts';
import { feedRecords } from '../export-source.ts';
import type { ExportAbout } from '../formats/export-writer.ts';
import type { FileSum } from '../partial-file.ts';
import { requireAll } from '../rows/row-batch.ts';
import { readReport, REPORT_STEPS } from '../report/read-report.ts';
import { writeReport } from '../report/write-report.ts';
import { listKnownClients, describeMasking } from './masking/export-masks.ts';
import {
  describeEvidence,
  isFilteredPack,
  listSessions,
  toPackJob,
  findOtherDirection,
  limitFindings,
  readSessionWithin,
  type EvidenceQuestion,
  type EvidenceParts,
} from './evidence-question.ts';
import { closePack, writeCertificates, type WrittenCertificates } from './close-pack.ts';
import type { PackThread } from './packing/pack-operations.ts';
import {
  type PackedRecords,
  RECORD_FORMATS,
  toRecordPath,
  type WrittenRecords,
  type WrittenSession,
} from './packing/write-records.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import type { EvidenceMasking, PackSignature } from '../../../common/model/exports/export-options.ts';
import type { ExportProvenance } from '../export-subject.ts';
import type { Finding } from '../../../common/model/analysis/finding.ts';
import { ENGLISH } from '../../../common/words/words.ts';
import { createFindingSentences } from '../../../common/words/finding-words.ts';
import { type ReportContent, type ReportFindings, toNamedText } from '../report/report-content.ts';

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
): Promise<FileSum & { readonly recordCount: number; readonly signature: PackSignature }> {
  const { parts, subject, input, options } = question;
  const { masking } = options;
  const { connectionId, provenance } = subject;
  const seal = await parts.packSigner.open();
  const { signature } = seal;
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
  const asked = {
    subject,
    input,
    describe,
    limitFindings: (all: ReportFindings) => limitFindings(question, all, signal),
  };
  const found = await readReport(parts, asked, { signal, onStep });
  const { sessionIds, leftOut: sessionsLeftOut } = listSessions(options, found.findings.list);
  // The other direction and sessions tell of more error families.
  const about = describe(recordCount, parts.now());
  const other = await packOtherDirection(question, pack, { findings: found.findings.list, about }, signal);
  const { sessions, sessionsWithoutMatch } = await writeSessions(
    pack,
    question,
    { sessionIds, about },
    signal,
  );
  const { families, findings } = found;
  const content = { ...found, about, ...(await pack.maskReport({ families, findings })) };
  await pack.addText({ file: 'report.html', text: writeReport(content) });
  await pack.addText({ file: 'findings.json', text: writeFindingsText(content) });
  const certified = await writeCertificates(pack, parts.cache, provenance.snapshotIds, signal);
  const { list, fromMs, toMs } = content.findings;
  const readme = writeReadme(about, {
    findings: list.length,
    sessions: sessions.length,
    other,
    certificates: certified.certificates.filter(({ file }) => file !== null).length,
  });
  const manifest = toManifest(parts, connectionId, {
    ...certified,
    about,
    masking,
    gaps: provenance.gaps,
    records,
    otherDirection: other,
    sessions,
    sessionsLeftOut,
    sessionsWithoutMatch,
    findings: { count: list.length, fromMs, toMs, leftOut: content.findings.leftOut ?? 0 },
  });
  const sum = await closePack(pack, seal, { readme, masking, manifest });
  return { ...sum, recordCount, signature };
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

/** Records of the other direction as the manifest lists them. */
interface WrittenOther {
  readonly report: DetailKind;
  readonly recordCount: number;
}

/** Writes the other direction's records of findings that show in both; null where there are none. */
async function packOtherDirection(
  question: EvidenceQuestion,
  pack: PackThread,
  { findings, about }: { readonly findings: readonly Finding[]; readonly about: ExportAbout },
  signal: AbortSignal,
): Promise<WrittenOther | null> {
  const { parts, subject, input } = question;
  const { report, ids } = await findOtherDirection(question, findings, signal);
  if (ids.length === 0) return null;
  const names = input.includeNames === true ? parts.listNames(subject.connectionId) : [];
  await pack.beginRecords({
    shape: { kind: 'records', report, choice: toColumnChoice(input), names },
    about: { ...about, report, recordCount: ids.length },
    isOther: true,
  });
  await pack.writeRecords({ kind: 'records', report, ids }, { signal });
  const { recordCount } = await pack.endRecords();
  requireAll(ids.length, recordCount);
  return { report, recordCount };
}

/** What became of a pack, apart from the manifest itself. */
interface WrittenEvidence extends WrittenCertificates {
  /** With the filter as the pack states it. */
  readonly about: ExportAbout;
  readonly masking: EvidenceMasking;
  readonly gaps: ExportProvenance['gaps'];
  readonly records: WrittenRecords;
  readonly otherDirection: WrittenOther | null;
  readonly sessions: readonly WrittenSession[];
  readonly sessionsLeftOut: number;
  readonly sessionsWithoutMatch: number;
  readonly findings: {
    readonly count: number;
    readonly fromMs: number;
    readonly toMs: number;
    readonly leftOut: number;
  };
}

/** Returns what a pack says of itself. */
function toManifest(
  { version, findConnection }: Pick<EvidenceParts, 'version' | 'findConnection'>,
  connectionId: string,
  written: WrittenEvidence,
): Readonly<Record<string, unknown>> {
  const { about, masking, gaps, records, otherDirection, findings } = written;
  const { sessions, sessionsLeftOut, sessionsWithoutMatch } = written;
  const { certificates, certificatesLeftOut } = written;
  const connection = findConnection(connectionId);
  const words = describeMasking(masking);
  return {
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
    otherDirection,
    findings: {
      count: findings.count,
      from: toIso(findings.fromMs),
      to: toIso(findings.toMs),
      // Those that the filter leaves records out of.
      leftOut: findings.leftOut,
    },
    sessions,
    sessionsLeftOut,
    // Of a filter: sessions that were asked for, and that it lets no request of through.
    sessionsWithoutMatch,
    certificates,
    certificatesLeftOut,
  };
}

function toIso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Writes what stood out, as JSON: in English words and in figures. Takes a report's content that is masked. */
function writeFindingsText({ findings, names }: Pick<ReportContent, 'findings' | 'names'>): string {
  const { list, fromMs, toMs, gaps, leftOut = 0 } = findings;
  const content = {
    from: toIso(fromMs),
    to: toIso(toMs),
    findings: list.map((finding) => describeFinding(finding, names)),
    // Findings that have records which the filter leaves out.
    leftOut,
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

/** Lines for whoever opens a pack first. */
function writeReadme(
  about: ExportAbout,
  counts: {
    readonly findings: number;
    readonly sessions: number;
    readonly certificates: number;
    readonly other: WrittenOther | null;
  },
): readonly string[] {
  const { report, tenant, startDate, endDate, zone, recordCount } = about;
  const whose = tenant === undefined ? '' : `, tenant ${tenant}`;
  const { formatCount } = ENGLISH.formats;
  const { other } = counts;
  const otherFiles =
    other === null
      ? []
      : [
          RECORD_FORMATS.map((format) => toRecordPath(format, other.report)).join(', '),
          `                the other direction of findings that show in both: ${formatCount(other.recordCount)} records`,
        ];
  const ofSessions =
    about.filter === undefined ? 'whole sessions' : 'the requests of sessions that match the filter';
  return [
    `Evidence: ${report}${whose}, ${startDate} to ${endDate} (${zone}), ${formatCount(recordCount)} records.`,
    '',
    'report.html     figures, charts, findings, errors and what is missing; opens in any browser, without network',
    'records.csv     the records, for a spreadsheet; texts that it would run as a formula have an apostrophe in front',
    'records.ndjson  the same records, one JSON object a line',
    ...otherFiles,
    `findings.json   what stood out in the period: ${formatCount(counts.findings)}`,
    `sessions/       ${ofSessions}, in both directions: ${formatCount(counts.sessions)}`,
    `certificates/   what the downloads requested and received, with the SHA-256 of each page: ${formatCount(counts.certificates)}`,
  ];
}

/** Requests of one session that are written; the oldest ones. */
const MAX_REQUESTS = 2_000;

/**
 * Writes sessions, each in a file of its own; with a filter the requests that match it, and no session without one.
 * Throws `analysis.*` and `cache.*`.
 */
async function writeSessions(
  pack: PackThread,
  question: EvidenceQuestion,
  { sessionIds, about }: { readonly sessionIds: readonly string[]; readonly about: ExportAbout },
  signal: AbortSignal,
): Promise<{ readonly sessions: readonly WrittenSession[]; readonly sessionsWithoutMatch: number }> {
  const choice = toColumnChoice(question.input);
  const sessions: WrittenSession[] = [];
  for (const sessionId of sessionIds) {
    const session = await readSessionWithin(question, { sessionId, limit: MAX_REQUESTS }, signal);
    const { inbound, outbound } = session;
    if (isFilteredPack(question) && inbound.requests + outbound.requests === 0) continue;
    const file = `sessions/${String(sessions.length + 1).padStart(3, '0')}.json`;
    sessions.push(await pack.addSession({ file, sessionId, session, choice, about }, { signal }));
  }
  return { sessions, sessionsWithoutMatch: sessionIds.length - sessions.length };
}
