import { CODE_CLASSES, toCodeClass } from '../../../common/model/record.ts';
import type { Snapshot } from '../../../common/model/snapshot.ts';
import type { Database } from '../../../node/open-database.ts';
import { scanRecords } from './scan-records.ts';

/** Dates (NaN where not understood) and places in CODE_CLASSES of a snapshot's records, by seq. */
export interface DateColumn {
  readonly datesMs: Float64Array;
  readonly classes: Uint8Array;
}

/** Nine bytes a record: the most held is about 36 MB. */
const HELD_RECORDS = 4_000_000;
const PLACES = new Map(CODE_CLASSES.map((name, place) => [name, place]));

/** Reads the columns that every chart over time needs, and holds those used last. A grown snapshot reads its new rows only. */
export function createDateColumns(
  database: Database,
): (snapshot: Snapshot, pause: () => Promise<void>) => Promise<DateColumn> {
  const held = new Map<number, DateColumn>();
  const forget = (): void => {
    let count = 0;
    for (const [id, column] of [...held].reverse()) {
      count += column.datesMs.length;
      if (count > HELD_RECORDS) held.delete(id);
    }
  };
  return async (snapshot, pause) => {
    const before = held.get(snapshot.id);
    const known = Math.min(before?.datesMs.length ?? 0, snapshot.recordCount);
    let column = before;
    if (column?.datesMs.length !== snapshot.recordCount) {
      const datesMs = new Float64Array(snapshot.recordCount).fill(NaN);
      const classes = new Uint8Array(snapshot.recordCount);
      datesMs.set(before?.datesMs.subarray(0, known) ?? []);
      classes.set(before?.classes.subarray(0, known) ?? []);
      let seq = known;
      const visit = (dateMs: number | null, code: number | null): void => {
        datesMs[seq] = dateMs ?? NaN;
        classes[seq] = PLACES.get(toCodeClass(code)) ?? 0;
        seq += 1;
      };
      await scanRecords(database, snapshot, 'date_ms, response_code', pause, visit, known);
      column = { datesMs, classes };
    }
    held.delete(snapshot.id);
    held.set(snapshot.id, column);
    forget();
    return column;
  };
}
