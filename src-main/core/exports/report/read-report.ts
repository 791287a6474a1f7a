import type { Input } from '../../../common/contract/index.ts';
import { toEndMs } from '../../../common/model/period.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import { listBucketEdges, pickBucketWidth } from '../../../common/time/time-buckets.ts';
import { nameConnection } from '../../../common/words/connection-name.ts';
import type { ExportSubject } from '../export-subject.ts';
import type { ExportAbout } from '../formats/export-writer.ts';
import { readCertificates } from '../read-certificates.ts';
import type { ReportParts } from './report-parts.ts';
import { readReportFindings } from './report-findings.ts';
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
