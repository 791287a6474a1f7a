import type { Direction } from '../../common/reporting/reports.ts';
import type { Queryable } from './connect.ts';
import { DIRECTION_NUMBERS } from './schema.ts';

/** What records are summed by. `origin` is empty for outbound, whose summary doesn't have it. */
interface RecordGroup {
  readonly channel: number;
  readonly service: number;
  readonly origin: string;
  readonly responseCode: number | null;
}

type GroupRow = readonly [
  groupId: number,
  direction: number,
  channel: number,
  service: number,
  originJson: string,
  responseCode: number | null,
];
type OriginRow = readonly [originId: number, nameJson: string];

/** The numbers that a transaction gives to groups and origins; they count only once it is committed. */
export interface GroupDraft {
  resolveGroup(direction: Direction, group: RecordGroup): number;
  resolveOrigin(name: string): number;
  /** Writes what is new. */
  store(connection: Queryable): Promise<void>;
  /** Highest numbers that were ever in use. */
  readonly last: { readonly group: number; readonly origin: number };
  /** Groups and origins together. */
  readonly size: number;
  /** After the commit: others see them too. */
  keep(): void;
}

/**
 * A tenant's groups and origins, mirrored in memory: a few hundred that never change, needed for every page. A number is
 * never given twice; what was removed is forgotten by writers only, as a page may still be read that names it.
 */
export interface GroupCache {
  /** Reads what other processes have added up to these numbers. */
  catchUp(source: Queryable, groupIds: Iterable<number>, originIds?: Iterable<number>): Promise<void>;
  /** Throws when it isn't there after catching up, which is damage. */
  getGroup(groupId: number): RecordGroup;
  getOrigin(originId: number): string;
  /** Inside a transaction that holds the tenant's counters, which stand at these numbers. */
  begin(
    connection: Queryable,
    last: { readonly group: number; readonly origin: number; readonly removal: number },
  ): Promise<GroupDraft>;
}

const GROUPS_SQL = `
SELECT group_id, direction, channel, service, origin_json, response_code
FROM traffic_group WHERE tenant = $1 AND group_id > $2 ORDER BY group_id`;
const ORIGINS_SQL =
  'SELECT origin_id, name_json FROM origin WHERE tenant = $1 AND origin_id > $2 ORDER BY origin_id';

/** Creates an empty mirror for a tenant; `catchUp` and `begin` fill it. */
export function createGroupCache(tenant: number): GroupCache {
  const groups = new Map<number, RecordGroup>();
  const groupIds = new Map<string, number>();
  const origins = new Map<number, string>();
  const originIds = new Map<string, number>();
  const highest = { group: 0, origin: 0 };
  let seenRemoval = 0;

  const remember = ([groupId, direction, channel, service, originJson, responseCode]: GroupRow): void => {
    const group = { channel, service, origin: JSON.parse(originJson) as string, responseCode };
    groups.set(groupId, group);
    groupIds.set(toKey(direction, group), groupId);
    highest.group = Math.max(highest.group, groupId);
  };
  const rememberOrigin = ([originId, nameJson]: OriginRow): void => {
    const name = JSON.parse(nameJson) as string;
    origins.set(originId, name);
    originIds.set(name, originId);
    highest.origin = Math.max(highest.origin, originId);
  };
  const readGroups = async (source: Queryable): Promise<void> => {
    for (const row of await source.query<GroupRow>(GROUPS_SQL, [tenant, highest.group])) remember(row);
  };
  const readOrigins = async (source: Queryable): Promise<void> => {
    for (const row of await source.query<OriginRow>(ORIGINS_SQL, [tenant, highest.origin]))
      rememberOrigin(row);
  };
  return {
    catchUp: async (source, wantedGroups, wantedOrigins = []) => {
      for (const id of wantedGroups) if (!groups.has(id)) await readGroups(source);
      for (const id of wantedOrigins) if (!origins.has(id)) await readOrigins(source);
    },
    getGroup: (groupId) => {
      const group = groups.get(groupId);
      if (group === undefined) throw new Error(`Unknown record group ${groupId}`);
      return group;
    },
    getOrigin: (originId) => {
      const name = origins.get(originId);
      if (name === undefined) throw new Error(`Unknown origin ${originId}`);
      return name;
    },
    begin: async (connection, last) => {
      if (seenRemoval !== last.removal) {
        for (const ids of [groupIds, originIds]) ids.clear();
        Object.assign(highest, { group: 0, origin: 0 });
        seenRemoval = last.removal;
      }
      if (highest.group < last.group) await readGroups(connection);
      if (highest.origin < last.origin) await readOrigins(connection);
      const newGroups = new Map<string, GroupRow>();
      const newOrigins = new Map<string, OriginRow>();
      return {
        resolveGroup: (direction, group) => {
          const number = DIRECTION_NUMBERS[direction];
          const key = toKey(number, group);
          const knownId = groupIds.get(key) ?? newGroups.get(key)?.[0];
          if (knownId !== undefined) return knownId;
          const groupId = last.group + newGroups.size + 1;
          const { channel, service, origin, responseCode } = group;
          newGroups.set(key, [groupId, number, channel, service, JSON.stringify(origin), responseCode]);
          return groupId;
        },
        resolveOrigin: (name) => {
          const knownId = originIds.get(name) ?? newOrigins.get(name)?.[0];
          if (knownId !== undefined) return knownId;
          const originId = last.origin + newOrigins.size + 1;
          newOrigins.set(name, [originId, JSON.stringify(name)]);
          return originId;
        },
        store: async (within) => {
          for (const row of newGroups.values()) {
            await within.query('INSERT INTO traffic_group VALUES ($1, $2, $3, $4, $5, $6, $7)', [
              tenant,
              ...row,
            ]);
          }
          for (const row of newOrigins.values()) {
            await within.query('INSERT INTO origin VALUES ($1, $2, $3)', [tenant, ...row]);
          }
        },
        get last() {
          return { group: last.group + newGroups.size, origin: last.origin + newOrigins.size };
        },
        get size() {
          return groupIds.size + originIds.size + newGroups.size + newOrigins.size;
        },
        keep: () => {
          for (const row of newGroups.values()) remember(row);
          for (const row of newOrigins.values()) rememberOrigin(row);
        },
      };
    },
  };
}

function toKey(direction: number, { channel, service, origin, responseCode }: RecordGroup): string {
  return `${direction}|${channel}|${service}|${String(responseCode)}|${origin}`;
}
