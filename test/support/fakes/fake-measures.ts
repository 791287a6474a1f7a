import {
  toCodeClass,
  CODE_CLASSES,
  type RecordDetail,
} from '../../../src-main/common/model/records/record.ts';
import type { Latency, MeasuredGroup } from '../../../src-main/common/model/analysis/grouping.ts';
import type { ReportParts } from '../../../src-main/core/exports/report/read-report.ts';

const NO_TIMES: Latency = {
  count: 0,
  averageMs: null,
  medianMs: null,
  p90Ms: null,
  p95Ms: null,
  p99Ms: null,
  maxMs: null,
};

/** Stands in for the measures that a report is made of: all records are one group. Each call is told to `note`. */
export function createFakeMeasures(
  records: readonly RecordDetail[],
  note: () => Promise<void>,
): Pick<ReportParts, 'engine'> & {
  readonly cache: Pick<ReportParts['cache'], 'readOutages'>;
} {
  const after = async <Value>(value: Value): Promise<Value> => {
    await note();
    return value;
  };
  const failures = records.filter(({ responseCode }) => responseCode !== null && responseCode >= 400).length;
  const classCounts = CODE_CLASSES.map(
    (name) => records.filter(({ responseCode }) => toCodeClass(responseCode) === name).length,
  );
  const total: MeasuredGroup = {
    key: [],
    count: records.length,
    classCounts,
    outcomeCounts: [records.length - failures, failures, 0, 0],
    failures,
    failedSessions: 0,
    failedClients: 0,
    perFailure: 1,
    response: NO_TIMES,
    botLatency: NO_TIMES,
    firstMs: null,
    lastMs: null,
  };
  const toBuckets = (edges: readonly number[]): { fromMs: number; toMs: number }[] =>
    edges.slice(0, -1).map((fromMs, place) => ({ fromMs, toMs: edges[place + 1] ?? fromMs }));
  return {
    engine: {
      groupRecords: ({ by }) =>
        after({
          groups: [{ ...total, key: by.map(() => 7) }],
          total,
          groupCount: 1,
          unlistedCount: 0,
        }),
      readHistogram: ({ edges, split }) =>
        after({
          split,
          series: [],
          buckets: toBuckets(edges).map((bucket) => ({
            ...bucket,
            counts: classCounts,
            medianResponseMs: null,
          })),
        }),
      readSeries: ({ edges }) =>
        after(
          toBuckets(edges).map((bucket) => ({
            ...bucket,
            count: records.length,
            failures,
            medianMs: null,
            p95Ms: null,
          })),
        ),
      findErrorFamilies: () =>
        after({ families: [], familyCount: 0, errorCount: 0, recordCount: records.length }),
      findPeriodFindings: () =>
        after({
          findings: [],
          resolved: [],
          unjudgedMs: [],
          learned: { inbound: 'days' as const, outbound: null },
          sizes: { atMs: [], channels: [] },
        }),
    },
    cache: {
      readOutages: () => after([]),
    },
  };
}
