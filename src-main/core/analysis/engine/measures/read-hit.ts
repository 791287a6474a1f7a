import type { DuckDBConnection } from '@duckdb/node-api';
import type { GroupValue } from '../../../../common/model/analysis/grouping.ts';
import { readRows } from '../engine-database.ts';
import { FAILED_SQL } from '../engine-tables.ts';
import type { SqlCondition } from '../filter-sql.ts';
import { makeCells } from './listed-rows.ts';

/** Whom the failed requests of a group hit. */
export interface Hit {
  readonly failedSessions: number;
  readonly failedClients: number;
  /** The sum of the squares of each session's failed requests. */
  readonly squares: number;
}

export const NOBODY_HIT: Hit = { failedSessions: 0, failedClients: 0, squares: 0 };

/**
 * Reads whom failed requests hit, for each level of keys, by `toHitKey`; groups without a failure are missing. `source`
 * has the keys, `unit`, `session_id` and `client`. `listed` is a table with the keys of the groups that are wanted; of
 * all if it is missing.
 */
export async function readHit(
  connection: DuckDBConnection,
  { sql, values }: SqlCondition,
  levels: readonly (readonly string[])[],
  listed?: string,
): Promise<ReadonlyMap<string, Hit>> {
  const keys = levels.reduce((most, level) => (level.length > most.length ? level : most), []);
  await makeCells(
    connection,
    'failed_cells',
    `SELECT ${[...keys, 'unit'].join(', ')}, coalesce(session_id, '') <> '' AS has_session, client, count(*) AS failures
     FROM ${sql} WHERE ${FAILED_SQL} GROUP BY ALL`,
    values,
  );
  const found = new Map<string, Hit>();
  for (const names of levels) {
    const isListed = listed !== undefined && names.length > 0;
    const own = names.map((name) => `${name}, `).join('');
    const units = names.map((name) => `, units.${name}`).join('');
    const rows = await readRows<(GroupValue | number)[]>(
      connection,
      `SELECT (count(*) FILTER (has_session))::DOUBLE, any_value(clients)::DOUBLE, sum(failures * failures) ${units}
       FROM (
         SELECT ${own} unit, bool_or(has_session) AS has_session, sum(failures)::DOUBLE AS failures
         FROM failed_cells GROUP BY ALL
       ) AS units JOIN (
         SELECT ${own} count(DISTINCT nullif(client, '')) AS clients FROM failed_cells GROUP BY ALL
       ) AS hit ON ${toSame(names, 'units', 'hit')}
       ${isListed ? `SEMI JOIN ${listed} AS listed ON ${toSame(names, 'units', 'listed')}` : ''}
       ${names.length === 0 ? 'HAVING count(*) > 0' : `GROUP BY ${names.map((name) => `units.${name}`).join(', ')}`}`,
    );
    for (const [sessions, clients, squares, ...key] of rows)
      found.set(toHitKey(key), {
        failedSessions: Number(sessions),
        failedClients: Number(clients),
        squares: Number(squares),
      });
  }
  return found;
}

export function toHitKey(key: readonly GroupValue[]): string {
  return JSON.stringify(key);
}

/** A key may be null. */
function toSame(names: readonly string[], one: string, other: string): string {
  if (names.length === 0) return 'true';
  return names.map((name) => `${one}.${name} IS NOT DISTINCT FROM ${other}.${name}`).join(' AND ');
}

/**
 * How many failed requests tell as much about the share of them as one, because those of a session belong together; never
 * below 1. A share of failures that belong together varies as that of fewer independent ones would.
 */
export function toPerFailure(
  groups: readonly { readonly count: number; readonly failures: number }[],
  hits: readonly (Hit | undefined)[],
): number {
  const add = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
  const failures = add(groups.map((group) => group.failures));
  if (failures === 0) return 1;
  const share = failures / add(groups.map(({ count }) => count));
  const squares = add(hits.map((hit) => hit?.squares ?? 0));
  // Of sessions without a failure nothing is read: where many requests fail, this says too much rather than too little.
  return Math.max(1, squares / failures / Math.max(0.5, 1 - share));
}
