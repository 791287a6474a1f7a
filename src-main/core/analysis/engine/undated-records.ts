import type { DuckDBConnection } from '@duckdb/node-api';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import { fromRecordId } from '../../../common/model/records/record-ids.ts';
import type { Direction } from '../../../common/reporting/reports.ts';
import { isOverlapping } from '../divide-period.ts';
import { readRows } from './engine-database.ts';
import { ENGINE_COLUMNS } from './engine-tables.ts';
import { toRecordsKey } from './owned-moments.ts';
import { toSourceSql } from './resolved-scope.ts';

/** Answers that are known, before all are forgotten together. */
const MAX_KNOWN = 500;
const UNDATED = { sql: 'date_ms IS NULL', values: [] };

/**
 * Finds the records without a date that a later snapshot holds as well, by the snapshot: equal ones of overlapping
 * snapshots count once (decision 33), and the n-th of some equal ones is the n-th of the others (decision 26).
 */
export type FindRepeated = (
  connection: DuckDBConnection,
  direction: Direction,
  latestFirst: readonly Snapshot[],
) => Promise<ReadonlyMap<number, readonly number[]>>;

const NOTHING: ReadonlyMap<number, readonly number[]> = new Map();

/** Creates a FindRepeated that looks at the same records only once. */
export function createUndatedRecords(): FindRepeated {
  const counts = new Map<string, number>();
  const answers = new Map<string, ReadonlyMap<number, readonly number[]>>();
  const countUndated = async (
    connection: DuckDBConnection,
    direction: Direction,
    snapshot: Snapshot,
  ): Promise<number> => {
    const key = toRecordsKey(snapshot);
    const known = counts.get(key);
    if (known !== undefined) return known;
    const source = toUndatedSql(direction, [snapshot], 'record_id');
    const [[count] = [0]] = await readRows<[number]>(connection, `SELECT count(*) FROM ${source}`);
    if (counts.size >= MAX_KNOWN) counts.clear();
    counts.set(key, count);
    return count;
  };
  return async (connection, direction, latestFirst) => {
    const overlapping = latestFirst.filter((one) =>
      latestFirst.some((other) => one !== other && isOverlapping(one, other)),
    );
    const holding: Snapshot[] = [];
    for (const snapshot of overlapping) {
      if ((await countUndated(connection, direction, snapshot)) > 0) holding.push(snapshot);
    }
    if (holding.length < 2) return NOTHING;
    const key = holding.map(toRecordsKey).join(',');
    const found = answers.get(key) ?? (await readRepeated(connection, direction, holding));
    if (answers.size >= MAX_KNOWN) answers.clear();
    answers.set(key, found);
    return found;
  };
}

async function readRepeated(
  connection: DuckDBConnection,
  direction: Direction,
  latestFirst: readonly Snapshot[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const pairs = latestFirst.flatMap((one, later) =>
    latestFirst.flatMap((other, earlier) =>
      later < earlier && isOverlapping(one, other) ? [`(${later}, ${earlier})`] : [],
    ),
  );
  if (pairs.length === 0) return NOTHING;
  const names = ENGINE_COLUMNS[direction].map(({ name }) => name).filter((name) => name !== 'record_id');
  const fields = `md5(to_json(struct_pack(${names.map((name) => `${name} := ${name}`).join(', ')}))::VARCHAR)`;
  const source = toUndatedSql(direction, latestFirst, ['record_id', ...names].join(', '));
  const rows = await readRows<[number]>(
    connection,
    `WITH undated AS (SELECT record_id, part, ${fields} AS fields FROM ${source}),
     numbered AS MATERIALIZED (
       SELECT *, row_number() OVER (PARTITION BY part, fields ORDER BY record_id) AS number FROM undated
     ), pairs(later_part, own_part) AS (VALUES ${pairs.join(', ')})
     SELECT DISTINCT own.record_id FROM numbered AS own
     JOIN pairs ON pairs.own_part = own.part
     JOIN numbered AS other ON other.part = pairs.later_part AND other.fields = own.fields AND other.number = own.number
     ORDER BY own.record_id`,
  );
  const repeated = new Map<number, number[]>();
  for (const [recordId] of rows) {
    const { snapshotId } = fromRecordId(recordId);
    const own = repeated.get(snapshotId) ?? [];
    own.push(recordId);
    repeated.set(snapshotId, own);
  }
  return repeated;
}

function toUndatedSql(direction: Direction, snapshots: readonly Snapshot[], columns: string): string {
  const parts = snapshots.map(({ id, recordCount }) => ({
    snapshotId: id,
    recordCount,
    spans: null,
    withUndated: true,
  }));
  return toSourceSql({ direction, parts }, [columns], UNDATED);
}
