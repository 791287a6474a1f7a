import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../../common/contract/errors.ts';
import type { Input, Output } from '../../../common/contract/index.ts';
import { listSetAside } from '../../../common/model/connections/planned.ts';
import type { DocumentFormat } from '../../../common/model/exports/export-options.ts';
import { toEndMs } from '../../../common/model/period.ts';
import type { ValueName } from '../../../common/model/records/body-path.ts';
import { type DetailKind, isDetailKind } from '../../../common/reporting/reports.ts';
import { isTimeZone, listBucketEdges, pickBucketWidth } from '../../../common/time/civil-time.ts';
import { nameConnection, type Words } from '../../../common/words/words.ts';
import { PRIVATE_FILE_MODE, removePatiently } from '../../../node/files.ts';
import type { Engine } from '../../analysis/engine/create-engine.ts';
import type { Cache } from '../../cache/cache.ts';
import type { SavedConnection } from '../../connections/connection-file.ts';
import type { Ledger } from '../../coverage/ledger.ts';
import { readPeriodFindings } from '../../findings/read-findings.ts';
import { withoutDismissed } from '../../findings/to-incidents.ts';
import type { Host } from '../../host.ts';
import {
  createJobMasks,
  describeMasks,
  maskStatedFilter,
  toExportMasks,
} from '../evidence/masking/export-masks.ts';
import type { ExportMasks } from '../evidence/masking/masks.ts';
import { type MaskedReport, maskReport } from '../evidence/packing/pack-operations.ts';
import {
  describeExport,
  type ExportSubject,
  type PreparedDocument,
  readExportSubject,
  type SubjectParts,
} from '../export-subject.ts';
import type { ExportAbout } from '../formats/export-writer.ts';
import { toExportFileName } from '../partial-file.ts';
import { readCertificates } from '../write-manifest.ts';
import type { ReportBucket, ReportContent, ReportFindings } from './report-content.ts';
import { writeReport } from './write-report.ts';

/** What a report is asked for. */
interface ReportQuestion {
  readonly subject: ExportSubject;
  readonly input: Pick<Input<'exports/start'>, 'scope' | 'filter' | 'includeNames' | 'zone'>;
  /** What the report says of itself. */
  describe(recordCount: number, nowMs: number): ExportAbout;
  /** Leaves findings out; all of them are told without. */
  limitFindings?(found: ReportFindings, signal: AbortSignal): Promise<ReportFindings>;
}

/** `onStep` is told how many steps are done. */
interface ReportRun {
  readonly signal: AbortSignal;
  onStep(done: number, recordCount: number): void;
}

/** Bars of a chart: those of a day are half an hour long, those of a week three hours. */
const MAX_BUCKETS = 60;
/** Steps that progress is told of. */
export const REPORT_STEPS = 7;

/**
 * Computes a report of the records of a subject with the measures that the window shows, one after the other. Throws
 * `analysis.*`, `cache.*`, and the signal's reason when aborted.
 */
export async function readReport(
  parts: ReportParts,
  { subject, input, describe, limitFindings }: ReportQuestion,
  { signal, onStep }: ReportRun,
): Promise<ReportContent> {
  const { cache, engine } = parts;
  const { scope, filter, includeNames = false, zone = subject.period.zone } = input;
  const { connectionId, period } = subject;
  const report = subject.report as DetailKind;
  const [fromMs, toMs] = [period.fromMs, toEndMs(period)];
  const question = { scope, filter };
  const options = { signal };
  let done = 0;
  const step = (recordCount: number): void => {
    signal.throwIfAborted();
    done += 1;
    onStep(done, recordCount);
  };

  const pairs = await engine.groupRecords({ ...question, by: ['channel', 'service'] }, options);
  const { total } = pairs;
  step(total.count);
  const codes = await engine.groupRecords({ ...question, by: ['responseCode'] }, options);
  step(total.count);
  const edges = clipEdges(
    listBucketEdges(fromMs, toMs, pickBucketWidth(toMs - fromMs, MAX_BUCKETS), zone),
    fromMs,
    toMs,
  );
  const counted = await engine.readHistogram(
    { ...question, edges, split: 'class', withMedian: false },
    options,
  );
  step(total.count);
  const series = await engine.readSeries({ ...question, edges }, options);
  step(total.count);
  const families = await engine.findErrorFamilies({ ...question, period: { fromMs, toMs } }, options);
  step(total.count);
  const found = await readReportFindings(parts, { connectionId, report, fromMs, toMs }, signal);
  const findings = (await limitFindings?.(found, signal)) ?? found;
  step(total.count);
  const { snapshotIds, gaps } = subject.provenance;
  const certified = await readCertificates(cache, snapshotIds);
  step(total.count);

  const connection = parts.findConnection(connectionId);
  const words = parts.readWords();
  return {
    words,
    about: describe(total.count, parts.now()),
    report,
    connection:
      connection === undefined
        ? null
        : { name: nameConnection(connection, words), address: connection.baseAddress },
    names: includeNames ? parts.listNames(connectionId) : [],
    applicationVersion: parts.version,
    hasOwnRules: connection?.outcomes?.[report === 'inbound-detail' ? 'inbound' : 'outbound'] !== undefined,
    fromMs,
    toMs,
    zone,
    total,
    buckets: series.map((bucket, place): ReportBucket => ({
      ...bucket,
      classCounts: counted.buckets[place]?.counts ?? [],
    })),
    pairs,
    codes,
    families,
    findings,
    gaps,
    ...certified,
  };
}

/** The first and the last bucket end where the period does. */
function clipEdges(edges: readonly number[], fromMs: number, toMs: number): number[] {
  const inner = edges.filter((edge) => edge > fromMs && edge < toMs);
  return [fromMs, ...inner, toMs];
}

interface FindingsPeriod {
  readonly connectionId: string;
  readonly report: DetailKind;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Returns what stood out in a report's direction during a period, of all traffic of the connection. What is still going
 * on at the period's end is told as it was then.
 */
async function readReportFindings(
  parts: Pick<ReportParts, 'cache' | 'engine' | 'ledger' | 'now' | 'findConnection'>,
  { connectionId, report, fromMs, toMs }: FindingsPeriod,
  signal: AbortSignal,
): Promise<ReportFindings> {
  const nowMs = parts.now();
  const endMs = Math.max(fromMs, Math.min(toMs, nowMs));
  const direction = report === 'inbound-detail' ? 'inbound' : 'outbound';
  signal.throwIfAborted();
  const { incidents = [], plans } = parts.findConnection(connectionId) ?? {};
  const setAside = listSetAside(plans, { fromMs, toMs: endMs });
  const found = withoutDismissed(
    await readPeriodFindings(parts, connectionId, nowMs, { fromMs, toMs: endMs, setAside, signal }),
    incidents,
  );
  const list = [...found.findings, ...found.resolved]
    .filter(({ directions }) => directions.includes(direction))
    .sort((a, b) => b.sinceMs - a.sinceMs);
  const gaps = found.gaps.filter((gap) => gap.direction === direction);
  const { noticed } = found;
  return { list, fromMs, toMs: endMs, gaps, ...(noticed === undefined ? {} : { noticed }) };
}

/** What reports are computed from. */
export interface ReportParts {
  readonly cache: Pick<Cache, 'readOutages' | 'getDownload' | 'readJournalFigures' | 'measureLevels'>;
  readonly ledger: Pick<Ledger, 'read' | 'readSnapshot' | 'readCovered'>;
  readonly engine: Pick<
    Engine,
    'groupRecords' | 'readHistogram' | 'readSeries' | 'findErrorFamilies' | 'findPeriodFindings'
  >;
  /** The application's version. */
  readonly version: string;
  now(): number;
  /** The language that reports are written in. */
  readWords(): Words;
  listNames(connectionId: string): readonly ValueName[];
  /** Undefined for a connection that is gone. */
  findConnection(
    connectionId: string,
  ):
    | Pick<
        SavedConnection,
        'kind' | 'name' | 'baseAddress' | 'tenant' | 'incidents' | 'plans' | 'serviceLevels' | 'outcomes'
      >
    | undefined;
}

type ExportInput = Input<'exports/start'>;
type ReportFormat = Exclude<DocumentFormat, 'evidence'>;
type Preview = Output<'exports/preview'>;

/**
 * Prepares a report, in either format, of the detail records of a snapshot or a period. Throws `cache.*`, and `app.invalid-input` for a zone
 * that nobody knows, and for summaries, which are tables already.
 */
export async function prepareReport(
  parts: ReportParts & {
    readonly cache: SubjectParts['cache'] & Pick<Cache, 'readExportBatch'>;
    readonly engine: MaskingEngine;
    readonly host: Pick<Host, 'printPdf'>;
  },
  input: ExportInput,
  format: ReportFormat,
  pseudonymKey: Uint8Array,
): Promise<PreparedDocument> {
  const { scope, zone, filter, isSummary = false, isBrief = false } = input;
  if (zone !== undefined && !isTimeZone(zone)) {
    throw new AppError('app.invalid-input', 'An export needs a time zone that is known.', { zone });
  }
  const subject = await readExportSubject(parts, scope);
  if (isSummary || !isDetailKind(subject.report)) {
    throw new AppError('app.invalid-input', 'A report is made of detail records, not of a summary.', {});
  }
  const masks = toExportMasks(parts.engine, subject, input, pseudonymKey);
  const stated = masks === null ? input : { ...input, filter: maskStatedFilter(filter, masks.job) };
  const describe = (count: number, nowMs: number): ExportAbout => ({
    ...describeExport(subject, stated, count, nowMs),
    ...(masks === null ? {} : describeMasks(masks.job)),
  });
  const read = async (
    signal: AbortSignal,
    onStep: (done: number, count: number) => void,
  ): Promise<ReportContent> => {
    const content = await readReport(parts, { subject, input, describe }, { signal, onStep });
    return masks === null
      ? content
      : {
          ...content,
          ...(await maskContent(
            parts,
            content,
            { input, connectionId: subject.connectionId, masks },
            signal,
          )),
        };
  };
  const { connectionId, snapshotId, recordCount } = subject;
  return {
    format,
    connectionId,
    snapshotId,
    recordCount,
    missing: subject.missing,
    suggestedName: toExportFileName(subject, format, { zone, filter: stated.filter }),
    async write(file, { signal, progress }) {
      const content = await read(signal, (done, count) =>
        progress(Math.floor((count * done) / (REPORT_STEPS + 1)), count),
      );
      const text = writeReport(content, isBrief);
      await file.write(format === 'pdf' ? await printReport(parts.host, text, signal) : text);
      return { recordCount: content.total.count };
    },
    preview: async () =>
      previewReport(await read(new AbortController().signal, () => undefined), format, isBrief),
  };
}

type MaskingEngine = Pick<Engine, 'listClients' | 'listFamilyNames' | 'openView' | 'readIds' | 'closeView'>;

/** Records of a family that say how it is written. */
const FAMILY_RECORDS = 20;

/**
 * Masks what a report tells of texts: a family is shown as its first records are, so that it says nothing of a client or
 * a payload that they quote. Throws `analysis.*` and `cache.*`.
 */
async function maskContent(
  { cache, engine }: { readonly cache: Pick<Cache, 'readExportBatch'>; readonly engine: MaskingEngine },
  content: ReportContent,
  {
    input,
    connectionId,
    masks: own,
  }: { readonly input: ExportInput; readonly connectionId: string; readonly masks: ExportMasks },
  signal: AbortSignal,
): Promise<MaskedReport> {
  const { families, findings } = content;
  const masks = createJobMasks(own.job, await own.openKnown(signal), true);
  masks.addFamilies(await engine.listFamilyNames({ connectionId }, { signal }));
  const patterns = new Set([
    ...families.families.map(({ pattern }) => pattern),
    ...findings.list.flatMap(({ errorFamily }) => errorFamily ?? []),
  ]);
  for (const pattern of patterns) {
    signal.throwIfAborted();
    const conditions = [...input.filter.conditions, { field: 'errorFamily' as const, values: [pattern] }];
    const filter = { ...input.filter, conditions };
    const { viewId } = await engine.openView({ scope: input.scope, filter, order: [] }, { signal });
    try {
      const { report, ids } = await engine.readIds({ viewId, offset: 0, limit: FAMILY_RECORDS }, { signal });
      const wanted = { report, ids, includePayload: true, includeMarks: false };
      for (const record of await cache.readExportBatch(wanted)) masks.error(record);
    } finally {
      await engine.closeView(viewId).catch(() => undefined);
    }
  }
  return maskReport({ families, findings }, masks);
}

/** What the report will hold, part by part, and its size. */
function previewReport(content: ReportContent, format: ReportFormat, isBrief: boolean): Preview {
  const { t, formats } = content.words;
  const { total, buckets, pairs, codes, families, findings, gaps, certificates } = content;
  const first: readonly (readonly [name: string, count: number])[] = [
    [t('report.findings.title'), findings.list.length],
    [t('report.families.label'), families.familyCount],
    [t('report.records'), total.count],
    [t('report.preview.points'), buckets.length],
  ];
  const rest: typeof first = [
    [t('report.groups.pairs'), pairs.groupCount],
    [t('report.groups.codes'), codes.groupCount],
    [t('report.preview.gaps'), gaps.length],
    [t('report.certificates.title'), certificates.length],
  ];
  const parts = isBrief ? first : [...first, ...rest];
  return {
    columns: [],
    text: null,
    cells: [
      [t('report.preview.part'), t('report.preview.holds')],
      ...parts.map(([name, count]) => [name, formats.formatCount(count)]),
    ],
    rowCount: total.count,
    // How large the printed pages are shows once they are.
    estimatedBytes: format === 'html' ? Buffer.byteLength(writeReport(content, isBrief)) : null,
  };
}

/** Returns a report as the bytes of a PDF. Throws as the host's `printPdf` does; leaves no file behind. */
export async function printReport(
  { printPdf }: Pick<Host, 'printPdf'>,
  report: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  // Only its owner can read this folder.
  const folder = await mkdtemp(join(tmpdir(), 'channelscope-report-'));
  try {
    const [source, target] = [join(folder, 'report.html'), join(folder, 'report.pdf')];
    await writeFile(source, report, { mode: PRIVATE_FILE_MODE });
    await printPdf(source, target, signal);
    return await readFile(target);
  } finally {
    await removePatiently(folder, { isFolder: true });
  }
}
