import { DETAIL_KINDS, mapKinds, type DetailKind } from '../../../common/reporting/reports.ts';
import { toRecordId } from '../../../common/model/records/record-ids.ts';
import type { Database } from '../../../node/open-database.ts';
import { RECORD_TABLES } from './record-tables.ts';

export interface WantedReach {
  readonly snapshotId: number;
  readonly report: DetailKind;
  /** Where the slice's records begin, and where the snapshot's end. */
  readonly fromSeq: number;
  readonly toSeq: number;
}

/** Dates of the first and the last record of a walk whose records came in the order of time, or against it. */
export interface WalkReach {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Records that are looked at: the first ones of pages, evenly chosen. */
const MAX_LOOKED_AT = 200;

/** Prepares the reading of how far a walk has come in time; null where its records are in no order of time. */
export function createReachReader(database: Database): (wanted: WantedReach) => WalkReach | null {
  const firstSeqs = database
    .prepare<[number, number], number>(
      'SELECT first_seq FROM pages WHERE snapshot_id = ? AND first_seq >= ? AND record_count > 0 ORDER BY first_seq',
    )
    .pluck();
  const dateOf = mapKinds(DETAIL_KINDS, (kind) =>
    database
      .prepare<[number], number | null>(`SELECT date_ms FROM ${RECORD_TABLES[kind].name} WHERE record_id = ?`)
      .pluck(),
  );
  return ({ snapshotId, report, fromSeq, toSeq }) => {
    if (toSeq <= fromSeq) return null;
    const starts = firstSeqs.all(snapshotId, fromSeq);
    const step = Math.max(1, Math.ceil(starts.length / MAX_LOOKED_AT));
    const seqs = [...starts.filter((_seq, place) => place % step === 0), toSeq - 1];
    const dates = seqs.map((seq) => dateOf[report].get(toRecordId(snapshotId, seq)) ?? null);
    const known = dates.filter((date) => date !== null);
    const [firstMs, lastMs] = [known[0], known.at(-1)];
    if (known.length < dates.length || firstMs === undefined || lastMs === undefined) return null;
    const isOrdered = (sign: number): boolean =>
      known.every((date, place) => place === 0 || (date - (known[place - 1] ?? date)) * sign >= 0);
    return isOrdered(1) || isOrdered(-1) ? { firstMs, lastMs } : null;
  };
}
