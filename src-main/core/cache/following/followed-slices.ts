import type { Period } from '../../../common/model/period.ts';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import type { SnapshotReader } from '../read/snapshot-rows.ts';
import { NEXT_FETCHED_ORDER } from '../write/fetched-order.ts';
import { prepareSliceWrites, type NewSlice } from '../write/slice-writes.ts';

export interface NewFollowedDay {
  readonly connectionId: string;
  readonly tenant: number;
  readonly report: DetailKind;
  /** As long as nothing: it ends before it begins. */
  readonly period: Period;
  readonly startedAtMs: number;
  readonly baseAddress: string;
  readonly reportIdentifier: string;
}
export interface NewFollowedSlice extends NewSlice {
  readonly snapshotId: number;
}
export interface EndedFollowedSlice {
  readonly snapshotId: number;
  readonly period: Pick<Period, 'endDate' | 'toMs'>;
  readonly settledToMs: number;
  readonly lookBackMs: number;
  readonly stillOpen: boolean;
  readonly atMs: number;
}
/** Up to where all days of a report are settled, so that none of them is fetched again once it was removed. */
export interface FollowedMark {
  readonly connectionId: string;
  readonly report: DetailKind;
  readonly doneToMs: number;
}

/** Everything that following writes beside pages; each call is one transaction. */
export function createFollowingWriter(database: Database, snapshots: SnapshotReader) {
  const insert = database.prepare(
    `INSERT INTO snapshots (connection_id, tenant, report, start_date, end_date, from_ms, to_ms, zone, state,
       started_at_ms, still_open, settled_to_ms, slice_number, fetched_order)
     VALUES (@connectionId, @tenant, @report, @startDate, @endDate, @fromMs, @toMs, @zone, 'complete',
       @startedAtMs, 1, @fromMs, -1, ${NEXT_FETCHED_ORDER})`,
  );
  const insertDownload = database.prepare(
    `INSERT INTO downloads (snapshot_id, state, queued_at_ms, base_address, report_identifier)
     VALUES (?, 'ended', ?, ?, ?)`,
  );
  const slices = prepareSliceWrites(database);
  const end = database.prepare(
    `UPDATE snapshots SET end_date = @endDate, to_ms = @toMs, settled_to_ms = @settledToMs,
       settled_look_back_ms = @lookBackMs, still_open = @stillOpen, fetched_at_ms = @atMs, fetched_order = ${NEXT_FETCHED_ORDER}
     WHERE snapshot_id = @snapshotId`,
  );
  const endDownload = database.prepare('UPDATE downloads SET ended_at_ms = ? WHERE snapshot_id = ?');
  const marks = database.prepare<[string], FollowedMark>(
    `SELECT connection_id AS connectionId, report, done_to_ms AS doneToMs FROM followed_reports
     WHERE connection_id = ?`,
  );
  const keepMark = database.prepare(
    `INSERT INTO followed_reports (connection_id, report, done_to_ms) VALUES (@connectionId, @report, @doneToMs)
     ON CONFLICT DO UPDATE SET done_to_ms = excluded.done_to_ms`,
  );
  const insertDay = database.transaction(
    ({ baseAddress, reportIdentifier, period, ...more }: NewFollowedDay) => {
      const { lastInsertRowid } = insert.run({ ...more, ...period });
      insertDownload.run(lastInsertRowid, more.startedAtMs, baseAddress, reportIdentifier);
      return snapshots.get(Number(lastInsertRowid));
    },
  );
  const beginSlice = database.transaction(({ snapshotId, ...slice }: NewFollowedSlice) => {
    slices.append(snapshotId, slice);
    return snapshots.get(snapshotId);
  });
  const endSlice = database.transaction(({ period, stillOpen, ...more }: EndedFollowedSlice) => {
    const { endDate, toMs } = period;
    end.run({ ...more, endDate, toMs, stillOpen: Number(stillOpen) });
    endDownload.run(stillOpen ? null : more.atMs, more.snapshotId);
    slices.end(more.snapshotId);
    return snapshots.get(more.snapshotId);
  });
  return {
    createFollowedDay: (day: NewFollowedDay): Snapshot => insertDay.immediate(day),
    /** Begins a walk of its own: what the day holds already is told from what is new by all its fields. */
    beginFollowedSlice: (slice: NewFollowedSlice): Snapshot => beginSlice.immediate(slice),
    /** Says that a slice was read to its end. */
    endFollowedSlice: (slice: EndedFollowedSlice): Snapshot => endSlice.immediate(slice),
    listFollowedMarks: (connectionId: string): FollowedMark[] => marks.all(connectionId),
    keepFollowedMark: (mark: FollowedMark): void => void keepMark.run(mark),
  };
}
