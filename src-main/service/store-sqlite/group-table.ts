import type { Direction } from '../../common/reporting/reports.ts';
import type { Database } from '../../node/open-database.ts';
import type { RecordTexts, StoredRecord } from '../store/record-store.ts';
import { DIRECTION_NUMBERS } from './schema.ts';

/** What records are summed by. `origin` is empty for outbound, whose summary doesn't have it. */
interface RecordGroup {
  readonly groupId: number;
  readonly channel: number;
  readonly service: number;
  readonly origin: string;
  readonly responseCode: number | null;
}

/** The groups and origins that the database knows, mirrored in memory: a few hundred, needed for every page. */
export interface GroupTable {
  /** Groups and origins together. */
  getSize(): number;
  /** Number of a group; an unknown one is added, inside the caller's transaction. */
  resolveGroup(direction: Direction, fields: Omit<RecordGroup, 'groupId' | 'origin'>, origin: string): number;
  /** Number of an origin's name; an unknown one is added, inside the caller's transaction. */
  resolveOrigin(name: string): number;
  /** Throws when a record refers to a group that isn't there, which is damage. */
  getGroup(groupId: number): RecordGroup;
  getOriginName(originId: number): string;
  /** Reads the tables again; needed after a transaction that added groups was rolled back. */
  reload(): void;
}

interface GroupRow extends RecordGroup {
  readonly direction: number;
}

// Three numbers below this fit one exact number.
const KEY_LIMIT = 2 ** 17;

const GROUPS_SQL = `
SELECT group_id AS groupId, direction, channel, service, origin, response_code AS responseCode FROM traffic_group`;

/** Reads the groups and origins of a database. */
export function createGroupTable(db: Database): GroupTable {
  const insertGroup = db.prepare<[number, number, number, string, number | null]>(
    'INSERT INTO traffic_group (direction, channel, service, origin, response_code) VALUES (?, ?, ?, ?, ?)',
  );
  const insertOrigin = db.prepare<[string]>('INSERT INTO origin (name) VALUES (?)');
  const readGroups = db.prepare<[], GroupRow>(GROUPS_SQL);
  const readOrigins = db
    .prepare<[], [originId: number, name: string]>('SELECT origin_id, name FROM origin')
    .raw();
  const groups = new Map<number, RecordGroup>();
  /** By direction, by origin, then by the numbers. */
  const groupIds: readonly Map<string, Map<number | string, number>>[] = [new Map(), new Map()];
  const originNames = new Map<number, string>();
  const originIds = new Map<string, number>();

  const rememberGroup = ({ direction, ...group }: GroupRow): void => {
    groups.set(group.groupId, group);
    const byOrigin = groupIds[direction];
    const ids = byOrigin?.get(group.origin) ?? new Map<number | string, number>();
    byOrigin?.set(group.origin, ids);
    ids.set(toKey(group.channel, group.service, group.responseCode), group.groupId);
  };
  const rememberOrigin = (originId: number, name: string): void => {
    originNames.set(originId, name);
    originIds.set(name, originId);
  };
  const reload = (): void => {
    for (const map of [groups, ...groupIds, originNames, originIds]) map.clear();
    for (const row of readGroups.all()) rememberGroup(row);
    for (const row of readOrigins.all()) rememberOrigin(...row);
  };
  reload();
  return {
    getSize: () => groups.size + originNames.size,
    resolveGroup: (directionName, { channel, service, responseCode }, origin) => {
      const direction = DIRECTION_NUMBERS[directionName];
      const known = groupIds[direction]?.get(origin)?.get(toKey(channel, service, responseCode));
      if (known !== undefined) return known;
      const inserted = insertGroup.run(direction, channel, service, origin, responseCode);
      const groupId = Number(inserted.lastInsertRowid);
      rememberGroup({ groupId, direction, channel, service, origin, responseCode });
      return groupId;
    },
    resolveOrigin: (name) => {
      const known = originIds.get(name);
      if (known !== undefined) return known;
      const originId = Number(insertOrigin.run(name).lastInsertRowid);
      rememberOrigin(originId, name);
      return originId;
    },
    getGroup: (groupId) => {
      const group = groups.get(groupId);
      if (group === undefined) throw new Error(`Unknown record group ${groupId}`);
      return group;
    },
    getOriginName: (originId) => originNames.get(originId) ?? '',
    reload,
  };
}

/** One exact number for the usual small ones, which is found much sooner than a text. */
function toKey(channel: number, service: number, responseCode: number | null): number | string {
  const isSmall =
    responseCode !== null &&
    Math.min(channel, service, responseCode) >= 0 &&
    Math.max(channel, service, responseCode) < KEY_LIMIT;
  return isSmall
    ? (channel * KEY_LIMIT + service) * KEY_LIMIT + responseCode
    : `${channel}|${service}|${String(responseCode)}`;
}

/** `detail` is the bot latency of an inbound record, the action of an outbound one. */
export type RecordRow = readonly [
  dateMs: number,
  arrival: number,
  session: number,
  groupId: number,
  responseTimeUs: number,
  detail: number,
  originId?: number,
];

const SHARED_COLUMNS = 'r.date_ms, r.arrival, r.session, r.group_id, r.response_time_us';

/** Columns of RecordRow, from a table named `r`. */
export const ROW_COLUMNS: Readonly<Record<Direction, string>> = {
  inbound: `${SHARED_COLUMNS}, r.bot_latency_ms`,
  outbound: `${SHARED_COLUMNS}, r.action_id, r.origin_id`,
};

/** Columns of RecordTexts but for the session, from a table named `t`. */
export const TEXT_COLUMNS: Readonly<Record<Direction, string>> = {
  inbound: "t.client, t.error, '' AS actionId, t.payload, '' AS response",
  outbound: 't.client, t.error, t.action_id AS actionId, t.payload, t.response',
};

/** Makes a record of a row; texts are null for a record of sample traffic, whose texts are made when it is sent. */
export function toRecord(row: RecordRow, texts: RecordTexts | null, groups: GroupTable): StoredRecord {
  // By index: taking a row apart as a list takes longer until it is compiled.
  const originId = row[6];
  const { channel, service, origin, responseCode } = groups.getGroup(row[3]);
  return {
    dateMs: row[0],
    arrival: row[1],
    session: texts === null ? row[2] : 0,
    channel,
    service,
    origin: originId === undefined ? origin : groups.getOriginName(originId),
    responseCode,
    responseTimeUs: row[4],
    botLatencyMs: originId === undefined ? row[5] : 0,
    actionId: originId === undefined ? 0 : row[5],
    texts,
  };
}
