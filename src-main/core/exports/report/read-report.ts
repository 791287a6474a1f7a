import type { Input } from '../../../common/contract/index.ts';
import { listSetAside } from '../../../common/model/connections/planned-spans.ts';
import { toEndMs } from '../../../common/model/period.ts';
import type { ValueName } from '../../../common/model/records/value-name.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import { listBucketEdges, pickBucketWidth } from '../../../common/time/time-buckets.ts';
import { nameConnection, type Words } from '../../../common/words/words.ts';
import type { Engine } from '../../analysis/engine/create-engine.ts';
import type { Cache } from '../../cache/cache.ts';
import type { SavedConnection } from '../../connections/connection-file.ts';
import type { Ledger } from '../../coverage/create-ledger.ts';
import { readPeriodFindings } from '../../findings/read-findings.ts';
import { withoutDismissed } from '../../findings/to-incidents.ts';
import type { ExportSubject } from '../export-subject.ts';
import type { ExportAbout } from '../formats/export-writer.ts';
import { readCertificates } from '../write-manifest.ts';
import type { ReportBucket, ReportContent, ReportFindings } from './report-content.ts';

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
  readonly cache: Pick<Cache, 'readStatusHistory' | 'getDownload' | 'readJournalFigures' | 'measureLevels'>;
  readonly ledger: Pick<Ledger, 'read' | 'readSnapshot' | 'readExtent'>;
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
