import { AppError } from '../../common/contract/errors.ts';
import type { Period } from '../../common/model/period.ts';
import type { RecordScope } from '../../common/model/record-scope.ts';
import type { ReportKind } from '../../common/reporting/reports.ts';
import { toWireDate } from '../../common/reporting/wire-dates.ts';
import { readCoverage } from '../analysis/read-coverage.ts';
import type { Cache } from '../cache/cache.ts';

/** What an export is of. */
export interface ExportSubject {
  readonly report: ReportKind;
  readonly connectionId: string;
  readonly tenant: number;
  readonly period: Period;
  /** The state of a snapshot; of a period `complete`, or `incomplete` where something of it is not cached. */
  readonly state: string;
  /** Null for a period. */
  readonly snapshotId: number | null;
  readonly recordCount: number | null;
}

/** Reads what an export is of. Throws `cache.snapshot-not-found`, also for a period of which nothing is cached. */
export async function readExportSubject(
  cache: Pick<Cache, 'getSnapshot' | 'listSnapshots'>,
  scope: RecordScope,
): Promise<ExportSubject> {
  if ('snapshotId' in scope) {
    const { id, ...snapshot } = await cache.getSnapshot(scope.snapshotId);
    return { ...snapshot, snapshotId: id };
  }
  const { connectionId, report, fromMs, toMs } = scope;
  const snapshots = await cache.listSnapshots(connectionId);
  const own = snapshots.filter((snapshot) => snapshot.report === report);
  const [newest] = own;
  if (newest === undefined)
    throw new AppError('cache.snapshot-not-found', 'Nothing is cached of the period.', {});
  const { zone } = newest.period;
  const lastMs = toMs - 1000;
  const { gapCount } = readCoverage(own, { fromMs, toMs, buckets: 1 }, 0);
  return {
    report,
    connectionId,
    tenant: newest.tenant,
    period: {
      startDate: toWireDate(fromMs, zone),
      endDate: toWireDate(lastMs, zone),
      fromMs,
      toMs: lastMs,
      zone,
    },
    state: gapCount === 0 ? 'complete' : 'incomplete',
    snapshotId: null,
    recordCount: null,
  };
}
