import type { Download } from '../../../src-main/common/model/cache/download.ts';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import { toWireDate } from '../../../src-main/common/reporting/wire-documents.ts';

const DAY_MS = 86_400_000;

/** A complete inbound detail snapshot of a period in UTC, fetched when no late records were expected but for `stillOpen`. */
export function makeSnapshot(
  period: { fromMs: number; toMs: number; zone?: string },
  overrides: Partial<Snapshot> = {},
): Snapshot {
  const zone = period.zone ?? 'UTC';
  return {
    id: 1,
    connectionId: 'one',
    tenant: 1001,
    report: 'inbound-detail',
    period: {
      startDate: toWireDate(period.fromMs, zone),
      endDate: toWireDate(period.toMs, zone),
      fromMs: period.fromMs,
      toMs: period.toMs,
      zone,
    },
    state: 'complete',
    recordCount: 100,
    totalDocument: 100,
    pageCount: 1,
    sizeBytes: 1000,
    startedAtMs: period.toMs + (overrides.stillOpen === true ? 0 : DAY_MS),
    fetchedAtMs: period.toMs + 60_000,
    idReport: '',
    fetchedOrder: 1,
    nameVisualization: '',
    remarks: [],
    failure: null,
    stillOpen: false,
    name: '',
    note: '',
    pinned: false,
    refreshOf: null,
    reading: 0,
    verification: null,
    ...overrides,
  };
}

/** The download of the first snapshot, over and complete. */
export function makeDownload(overrides: Partial<Download> = {}): Download {
  const { id, connectionId, period } = makeSnapshot({ fromMs: 0, toMs: 86_399_000 });
  return {
    snapshotId: id,
    connectionId,
    report: 'inbound-detail',
    period,
    state: 'ended',
    snapshotState: 'complete',
    taskId: null,
    sliceDays: null,
    sliceCount: 1,
    slicesDone: 1,
    recordCount: 100,
    totalDocument: 100,
    pageSize: null,
    canResume: false,
    resumedCount: 0,
    queuedAtMs: 0,
    endedAtMs: null,
    retryAtMs: null,
    failure: null,
    ...overrides,
  };
}
