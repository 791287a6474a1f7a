import { DIRECTIONS, type Direction } from '../../common/reporting/reports.ts';
import { isLockError, isTransientPostgresError, type PostgresPool } from './connect.ts';
import { DAY_MS } from '../../common/time/durations.ts';

/** Days for which a partition is made; records of others share one. */
const PAST_DAYS = 400;
const FUTURE_DAYS = 2;
/** A backup holds the tables for as long as it takes; records are written meanwhile. */
const RETRY_LOCKED_MS = 60_000;

/** Makes the partitions that a tenant's records go to. Which one a record lies in changes no answer, only what a read touches. */
export interface DayPartitions {
  /**
   * Waits until each day of the dates has its partition, or can't have one of its own for now. Makes those of today and
   * the days ahead too: one can't be made any more once the rest holds records of its day. Rejects where the database is
   * away, as records written then would end up there.
   */
  ensure(direction: Direction, datesMs: Iterable<number>): Promise<void>;
}

/** Makes the partitions of a tenant's days before records of them are written. */
export function createDayPartitions(
  pool: PostgresPool,
  tenant: number,
  { now, reportError }: { readonly now: () => number; readonly reportError: (error: unknown) => void },
): DayPartitions {
  const known: Readonly<Record<Direction, Set<number>>> = { inbound: new Set(), outbound: new Set() };
  let lookedAheadOn = -Infinity;
  let lockedUntilMs = -Infinity;
  const create = async (direction: Direction, day: number): Promise<void> => {
    if (known[direction].has(day) || now() < lockedUntilMs) return;
    try {
      await pool.transact((connection) =>
        connection.query('SELECT add_day_partition($1, $2, $3)', [direction, tenant, day]),
      );
    } catch (error) {
      if (isLockError(error)) lockedUntilMs = now() + RETRY_LOCKED_MS;
      else if (isTransientPostgresError(error)) throw error;
      // Without the right to make one, or with records of that day in the rest, that is where they go.
      reportError(error);
      if (isLockError(error)) return;
    }
    known[direction].add(day);
  };
  return {
    ensure: async (direction, datesMs) => {
      const today = Math.floor(now() / DAY_MS);
      if (lookedAheadOn < today) {
        // What couldn't be made for want of a right is tried again each day.
        for (const each of DIRECTIONS) known[each].clear();
        lookedAheadOn = today;
      }
      for (const each of DIRECTIONS) {
        for (let day = today; day <= today + FUTURE_DAYS; day += 1) await create(each, day);
      }
      const days = new Set<number>();
      for (const dateMs of datesMs) days.add(Math.floor(dateMs / DAY_MS));
      for (const day of days) {
        if (day >= today - PAST_DAYS && day <= today + FUTURE_DAYS) await create(direction, day);
      }
    },
  };
}
