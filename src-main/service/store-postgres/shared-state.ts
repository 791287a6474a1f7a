import { FAILURE_WINDOW_MS, MAX_FAILURES, toWaitSeconds } from '../../node/http/problem.ts';
import type { RefusalWait, SharedRefusals, SharedState } from '../store/record-store.ts';
import type { PostgresPool, Queryable } from './connect.ts';
import { NO_DATES, type RecordWriter } from './write-records.ts';

type RefusalRow = readonly [tenant: number, timesJson: string, nowMs: number];

/** Callers of many tenants may come from one address; one that guesses at many is slowed down for all of them. */
const MAX_FAILURES_OF_ADDRESS = 100;

/** The database's clock: those of the processes may differ. */
const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
const READ_SQL = `
SELECT tenant, times_ms_json, ${NOW_MS} FROM refused_address
WHERE address = $1 AND last_ms > ${NOW_MS} - ${FAILURE_WINDOW_MS}`;
/** Others that count for this tenant and address wait here. */
const OPEN_SQL = `
INSERT INTO refused_address (address, tenant, times_ms_json, last_ms) VALUES ($1, $2, '[]', ${NOW_MS})
ON CONFLICT (address, tenant) DO UPDATE SET last_ms = excluded.last_ms`;
const WRITE_SQL = 'UPDATE refused_address SET times_ms_json = $3 WHERE address = $1 AND tenant = $2';
const CLEAN_SQL = `DELETE FROM refused_address WHERE last_ms < ${NOW_MS} - ${2 * FAILURE_WINDOW_MS}`;

/** What the processes on a database share; properties are those of one tenant. */
export function createSharedState(pool: PostgresPool, tenant: number, writer: RecordWriter): SharedState {
  return {
    changeProperty: (name, change) =>
      writer.transact(NO_DATES, async ({ connection, setProperties }) => {
        const [row] = await connection.query<[string]>(
          'SELECT value FROM property WHERE tenant = $1 AND name = $2',
          [tenant, name],
        );
        const value = change(row?.[0]);
        if (value !== row?.[0]) await setProperties({ [name]: value });
        return value;
      }),
    refusals: createRefusals(pool),
    countConnections: pool.countConnections,
  };
}

/** Refusals of all tenants of a database. */
export function createRefusals(pool: PostgresPool): SharedRefusals {
  const read = (connection: Queryable, address: string): Promise<RefusalRow[]> =>
    connection.query<RefusalRow>(READ_SQL, [address]);
  return {
    add: async (address, tenant) => {
      const wait = await pool.transact(async (connection) => {
        // One that has to wait leaves no more rows.
        const known = toWait(await read(connection, address), tenant);
        if (known.seconds > 0) return known;
        await connection.query(OPEN_SQL, [address, tenant]);
        const rows = await read(connection, address);
        const exact = toWait(rows, tenant);
        const own = rows.find(([of]) => of === tenant);
        if (exact.seconds > 0 || own === undefined) return exact;
        const times = JSON.stringify([...listRecent(own), own[2]].slice(-MAX_FAILURES));
        await connection.query(WRITE_SQL, [address, tenant, times]);
        return exact;
      });
      if (wait.seconds === 0) await pool.transact((connection) => connection.query(CLEAN_SQL));
      return wait;
    },
    read: (address, tenant) =>
      pool.transact(async (connection) => toWait(await read(connection, address), tenant)),
  };
}

function toWait(rows: readonly RefusalRow[], tenant: number | null): RefusalWait {
  const nowMs = rows[0]?.[2] ?? 0;
  const all = rows.flatMap(listRecent).toSorted((a, b) => a - b);
  const everywhere = toWaitSeconds(all, nowMs, MAX_FAILURES_OF_ADDRESS);
  if (everywhere > 0) return { seconds: everywhere, isForEveryTenant: true };
  const own = rows.find(([of]) => of === tenant);
  const seconds = own === undefined ? 0 : toWaitSeconds(listRecent(own), nowMs);
  return { seconds, isForEveryTenant: false };
}

function listRecent([, timesJson, nowMs]: RefusalRow): number[] {
  return (JSON.parse(timesJson) as number[]).filter((atMs) => atMs > nowMs - FAILURE_WINDOW_MS);
}
