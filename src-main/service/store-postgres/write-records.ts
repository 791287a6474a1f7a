import type { Direction } from '../../common/reporting/reports.ts';
import { ROLLUP_TIERS_MS } from '../store/split-period.ts';
import type { TrafficBatch } from '../store/records.ts';
import type { PostgresPool, Queryable } from './connect.ts';
import type { DayPartitions } from './day-partitions.ts';
import type { GroupCache, GroupDraft } from './group-cache.ts';
import { COUNTERS, DIRECTION_NUMBERS, type CounterName } from './schema.ts';

/** A record of either direction; an imported one has a session below 0. */
export type NewRecord = TrafficBatch[Direction][number] & {
  readonly botLatencyMs?: number;
  readonly actionId?: number;
};

/**
 * What a transaction writes for a tenant. It holds the tenant's counters: writers take turns, at this process
 * and at others, so a record that is committed later has a higher arrival.
 */
export interface RecordWriting {
  readonly connection: Queryable;
  /** Groups and origins together. */
  readonly groupCount: number;
  /** Returns the arrival of the first record; the others follow without a gap. */
  write(direction: Direction, records: readonly NewRecord[]): Promise<number>;
  setProperties(properties: Readonly<Record<string, string>>): Promise<void>;
  /** The next number of a counter of its own. */
  next(counter: CounterName): number;
}

const LOCK_SQL = 'SELECT name, value FROM counter WHERE tenant = $1 ORDER BY name FOR UPDATE';
const COUNT_SQL = `
UPDATE counter SET value = given.value
FROM unnest($2::text[], $3::bigint[]) AS given (name, value)
WHERE counter.tenant = $1 AND counter.name = given.name`;
const PROPERTIES_SQL = `
INSERT INTO property SELECT $1, name, value FROM unnest($2::text[], $3::text[]) AS given (name, value)
ON CONFLICT (tenant, name) DO UPDATE SET value = excluded.value`;

/** Records, their rollups of every size and their counts in one statement: the database adds up what it is given. */
const toWriteSql = (direction: Direction): string => {
  const number = DIRECTION_NUMBERS[direction];
  const isInbound = direction === 'inbound';
  const tiers = `unnest(ARRAY[${ROLLUP_TIERS_MS.join(', ')}]::bigint[])`;
  return `
WITH given AS (
  SELECT date_ms, $2::bigint + place AS arrival, session, group_id, response_time_us, detail, origin_id
  FROM unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[])
    WITH ORDINALITY AS row (date_ms, session, group_id, response_time_us, detail, origin_id, place)
), stored AS (
  INSERT INTO ${direction}_record
  SELECT $1, date_ms, arrival, session, group_id, response_time_us, detail${isInbound ? '' : ', origin_id'}
  FROM given
), summed AS (
  INSERT INTO rollup AS known
  SELECT $1, ${number}, tier_ms, date_ms - ((date_ms % tier_ms) + tier_ms) % tier_ms, group_id,
    count(*), sum(response_time_us), sum(${isInbound ? 'detail' : '0'}), max(ARRAY[date_ms, arrival, session])
  FROM given CROSS JOIN ${tiers} AS tier (tier_ms)
  GROUP BY 3, 4, 5
  ON CONFLICT (tenant, direction, tier_ms, start_ms, group_id) DO UPDATE SET
    records = known.records + excluded.records,
    response_time_us = known.response_time_us + excluded.response_time_us,
    bot_latency_ms = known.bot_latency_ms + excluded.bot_latency_ms,
    newest = greatest(known.newest, excluded.newest)
)
INSERT INTO record_count AS known
SELECT $1, ${number}, tier_ms, date_ms - ((date_ms % tier_ms) + tier_ms) % tier_ms, count(*)
FROM given CROSS JOIN ${tiers} AS tier (tier_ms)
GROUP BY 3, 4
ON CONFLICT (tenant, direction, tier_ms, start_ms) DO UPDATE SET records = known.records + excluded.records`;
};
const WRITE_SQL = { inbound: toWriteSql('inbound'), outbound: toWriteSql('outbound') };

/** Writes for one tenant. */
export interface RecordWriter {
  /** Makes the counters of a tenant that has none. */
  prepare(): Promise<void>;
  /** `dates` are those of the records that may be written: making their partitions would wait for the transaction. */
  transact<Result>(dates: RecordDates, work: (writing: RecordWriting) => Promise<Result>): Promise<Result>;
}

/** Dates of records in milliseconds, by direction. */
export type RecordDates = Readonly<Record<Direction, Iterable<number>>>;

export const NO_DATES: RecordDates = { inbound: [], outbound: [] };

export function createRecordWriter(
  pool: PostgresPool,
  tenant: number,
  parts: { readonly groups: GroupCache; readonly partitions: DayPartitions },
): RecordWriter {
  const { groups, partitions } = parts;

  const begin = async (connection: Queryable) => {
    const counters = new Map(await connection.query<[string, number]>(LOCK_SQL, [tenant]));
    const get = (name: CounterName): number => counters.get(name) ?? 0;
    const draft = await groups.begin(connection, { group: get('traffic_group'), origin: get('origin') });
    const writing: RecordWriting = {
      connection,
      get groupCount() {
        const { group, origin } = draft.last;
        return group + origin;
      },
      write: async (direction, records) => {
        const counter = `${direction}_arrival` as const;
        const before = get(counter);
        if (records.length === 0) return before + 1;
        await connection.query(WRITE_SQL[direction], [
          tenant,
          before,
          ...toColumns(direction, records, draft),
        ]);
        counters.set(counter, before + records.length);
        return before + 1;
      },
      setProperties: async (properties) => {
        const entries = Object.entries(properties);
        if (entries.length === 0) return;
        await connection.query(PROPERTIES_SQL, [
          tenant,
          entries.map(([name]) => name),
          entries.map(([, value]) => value),
        ]);
      },
      next: (counter) => {
        const value = get(counter) + 1;
        counters.set(counter, value);
        return value;
      },
    };
    const end = async (): Promise<void> => {
      await draft.store(connection);
      const { group, origin } = draft.last;
      counters.set('traffic_group', group).set('origin', origin);
      await connection.query(COUNT_SQL, [tenant, [...counters.keys()], [...counters.values()]]);
    };
    return { writing, end, keep: draft.keep };
  };
  return {
    prepare: async () => {
      await pool.query(
        'INSERT INTO counter SELECT $1, name, 0 FROM unnest($2::text[]) AS given (name) ON CONFLICT DO NOTHING',
        [tenant, [...COUNTERS]],
      );
    },
    transact: async (dates, work) => {
      await partitions.ensure('inbound', dates.inbound);
      await partitions.ensure('outbound', dates.outbound);
      const [result, keep] = await pool.transact(async (connection) => {
        const begun = await begin(connection);
        const done = await work(begun.writing);
        await begun.end();
        return [done, begun.keep] as const;
      });
      keep();
      return result;
    },
  };
}

/** The columns of records, which the statement takes as lists. */
function toColumns(
  direction: Direction,
  records: readonly NewRecord[],
  draft: GroupDraft,
): readonly (readonly number[])[] {
  const isInbound = direction === 'inbound';
  return [
    records.map(({ dateMs }) => dateMs),
    records.map(({ session }) => session),
    records.map(({ channel, service, origin, responseCode }) =>
      draft.resolveGroup(direction, { channel, service, responseCode, origin: isInbound ? origin : '' }),
    ),
    records.map(({ responseTimeUs }) => responseTimeUs),
    records.map(({ botLatencyMs = 0, actionId = 0 }) => (isInbound ? botLatencyMs : actionId)),
    records.map(({ origin }) => (isInbound ? 0 : draft.resolveOrigin(origin))),
  ];
}
