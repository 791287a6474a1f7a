import { toEndMs } from '../../../src-main/common/model/period.ts';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import { createLedger, type Ledger, type LedgerParts } from '../../../src-main/core/coverage/ledger.ts';
import type { DownloadRow } from '../../../src-main/core/cache/read/download-rows.ts';
import { createEvents } from '../../../src-main/core/host.ts';

/** A ledger over a cache: nothing is being fetched, all is in the engine, and the look-back is ten minutes, but for `change`. */
export function openLedger(cache: LedgerParts['cache'], change: Partial<LedgerParts> = {}): Ledger {
  return createLedger({
    cache,
    engine: { countFed: () => Infinity, watchFed: () => undefined },
    connections: { get: (id) => ({ id, serviceZone: 'UTC' }) as never },
    findTask: () => null,
    findFollowed: () => Promise.resolve(null),
    events: createEvents(),
    emit: () => undefined,
    now: Date.now,
    ...change,
  });
}

/** A cache that holds whole downloads of snapshots, each as `rows` changes it, and nothing else. */
export function holdSnapshots(
  snapshots: readonly Snapshot[],
  toRow: (snapshot: Snapshot) => Partial<DownloadRow> = () => ({}),
): LedgerParts['cache'] {
  const rows = snapshots.map((snapshot): DownloadRow => ({
    snapshot,
    state: 'ended',
    queuedAtMs: 0,
    endedAtMs: 0,
    sliceDays: null,
    mayCut: false,
    askedStart: '',
    baseAddress: '',
    reportIdentifier: '',
    pageSize: null,
    forecastTotal: null,
    resumedCount: 0,
    failure: null,
    nextCursor: snapshot.state === 'complete' ? null : '',
    sliceNumber: 0,
    sliceCount: 1,
    sliceFromMs: snapshot.period.fromMs,
    sliceToMs: toEndMs(snapshot.period),
    readSpans: [],
    sliceFirstSeq: 0,
    sliceTotalBefore: 0,
    walkEntryCount: 0,
    ...toRow(snapshot),
  }));
  const find = (snapshotId: number): DownloadRow => {
    const row = rows.find(({ snapshot }) => snapshot.id === snapshotId);
    if (row === undefined) throw new Error('There is no such snapshot.');
    return row;
  };
  return {
    listSnapshots: () => Promise.resolve([...snapshots]),
    listDownloads: () => Promise.resolve(rows),
    getSnapshot: (snapshotId) => Promise.resolve(find(snapshotId).snapshot),
    getDownload: (snapshotId) => Promise.resolve(find(snapshotId)),
    readReach: () => Promise.resolve(null),
  };
}
