import { FAILURE_WINDOW_MS, MAX_FAILURES, toWaitSeconds } from '../../node/http/failure-limiter.ts';
import type { SharedRefusals, SharedState } from '../store/shared-state.ts';
import type { PostgresPool } from './connect.ts';
import { NO_DATES, type RecordWriter } from './write-records.ts';

type RefusalRow = readonly [timesJson: string, nowMs: number];

/** The database's clock: those of the processes may differ. */
const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
const OPEN_SQL = `
INSERT INTO refused_address VALUES ($1, '[]', ${NOW_MS}) ON CONFLICT (address) DO NOTHING`;
const READ_SQL = `SELECT times_ms_json, ${NOW_MS} FROM refused_address WHERE address = $1`;
const WRITE_SQL = 'UPDATE refused_address SET times_ms_json = $2, last_ms = $3 WHERE address = $1';
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

function createRefusals(pool: PostgresPool): SharedRefusals {
  return {
    add: async (address) => {
      const waitSeconds = await pool.transact(async (connection) => {
        await connection.query(OPEN_SQL, [address]);
        const [row = ['[]', 0]] = await connection.query<RefusalRow>(`${READ_SQL} FOR UPDATE`, [address]);
        const recent = listRecent(row);
        const [, nowMs] = row;
        const wait = toWaitSeconds(recent, nowMs);
        if (wait > 0) return wait;
        const times = JSON.stringify([...recent, nowMs].slice(-MAX_FAILURES));
        await connection.query(WRITE_SQL, [address, times, nowMs]);
        return 0;
      });
      if (waitSeconds === 0) await pool.transact((connection) => connection.query(CLEAN_SQL));
      return waitSeconds;
    },
    readWaitSeconds: (address) =>
      pool.transact(async (connection) => {
        const [row] = await connection.query<RefusalRow>(READ_SQL, [address]);
        return row === undefined ? 0 : toWaitSeconds(listRecent(row), row[1]);
      }),
  };
}

function listRecent([timesJson, nowMs]: RefusalRow): number[] {
  return (JSON.parse(timesJson) as number[]).filter((atMs) => atMs > nowMs - FAILURE_WINDOW_MS);
}
