import { Type } from 'typebox';
import { ReportKindSchema } from '../../model/cache/snapshot.ts';
import { Nullable } from '../../model/nullable.ts';
import { operation } from '../operation.ts';

const Subject = Type.Object({ connectionId: Type.String(), report: ReportKindSchema });

/** Shares of a bucket, 0 to 1, that add up to 1 or less; the rest was never fetched. */
const CoverageBucket = Type.Object({
  fromMs: Type.Integer(),
  /** Exclusive. */
  toMs: Type.Integer(),
  /** Read to its end, and too old for late records. */
  settled: Type.Number(),
  /** Read to its end, but late records may still come (decision 27). */
  open: Type.Number(),
  /** Held by a download that runs, is paused or ended early: some of its records are here. */
  partial: Type.Number(),
  /** Requested, and nothing arrived. */
  failed: Type.Number(),
});

const Gap = Type.Object({
  fromMs: Type.Integer(),
  /** Exclusive, a whole second after `fromMs` or later. */
  toMs: Type.Integer(),
  state: Type.Union([
    Type.Literal('missing'),
    Type.Literal('failed'),
    Type.Literal('partial'),
    Type.Literal('open'),
  ]),
  /** The task that is fetching it, or `following`; null for nothing. */
  fetching: Nullable(Type.String()),
});

const Coverage = Type.Object({
  buckets: Type.Array(CoverageBucket),
  /** Everything in the span that is not settled, in order, with neighbours that are alike joined. */
  gaps: Type.Array(Gap),
  /** Records that are stored but not yet in the engine, which therefore doesn't count them. */
  unreadyRecords: Type.Integer(),
});

export const coverageOperations = {
  /** What is known of a span of a report, also in equal buckets; of several snapshots the best state counts. */
  'coverage/read': operation(
    Type.Object({
      ...Subject.properties,
      fromMs: Type.Integer(),
      toMs: Type.Integer(),
      buckets: Type.Integer({ minimum: 1, maximum: 2000 }),
    }),
    Coverage,
  ),
  /** What is not settled of the period of a snapshot, as though nothing else were cached. */
  'coverage/read-snapshot': operation(Type.Object({ snapshotId: Type.Integer() }), Coverage.properties.gaps),
};

/** What is known of a report changed: a page was stored, a download began or ended, or the engine has its records. */
export const coverageEvents = { 'coverage/changed': Subject };
