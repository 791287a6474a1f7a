import type { Direction } from '../../common/reporting/reports.ts';
import type { PostgresPool } from './connect.ts';

const DAY_MS = 86_400_000;
/** Days for which a partition is made; records of others share one. */
const PAST_DAYS = 400;
const FUTURE_DAYS = 2;

/** Makes the partitions that records go to. Which one a record lies in changes no answer, only what a read touches. */
export interface DayPartitions {
  /** Waits until each day of the dates has its partition, or is known to have none of its own. */
  ensure(direction: Direction, datesMs: Iterable<number>): Promise<void>;
}

export function createDayPartitions(
  pool: PostgresPool,
  now: () => number,
  reportError: (error: unknown) => void,
): DayPartitions {
  const known: Readonly<Record<Direction, Set<number>>> = { inbound: new Set(), outbound: new Set() };
  const create = async (direction: Direction, day: number): Promise<void> => {
    const parent = `${direction}_record`;
    const name = `${parent}_${new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')}`;
    await pool.transact(async (connection) => {
      // Two processes that make the same day would otherwise fail at each other.
      await connection.query('SELECT pg_advisory_xact_lock(hashtext($1))', [name]);
      await connection.query(
        `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF ${parent} FOR VALUES FROM (${day * DAY_MS}) TO (${(day + 1) * DAY_MS})`,
      );
    });
  };
  return {
    ensure: async (direction, datesMs) => {
      const today = Math.floor(now() / DAY_MS);
      const days = new Set<number>();
      for (const dateMs of datesMs) {
        const day = Math.floor(dateMs / DAY_MS);
        if (day >= today - PAST_DAYS && day <= today + FUTURE_DAYS && !known[direction].has(day))
          days.add(day);
      }
      for (const day of days) {
        // Without the right to make one, or with records of that day in the rest, that is where they go.
        await create(direction, day).catch(reportError);
        known[direction].add(day);
      }
    },
  };
}
