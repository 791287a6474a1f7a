import type { Database } from 'better-sqlite3';
import type { Direction } from '../../common/reporting/reports.ts';
import { DIRECTION_NUMBERS } from './schema.ts';

/** What a summary groups by. `origin` is empty for outbound, whose summary doesn't know it. */
export interface TrafficGroup {
  readonly groupId: number;
  readonly direction: Direction;
  readonly channel: number;
  readonly service: number;
  readonly origin: string;
  readonly responseCode: number;
}

interface GroupRow {
  readonly group_id: number;
  readonly direction: number;
  readonly channel: number;
  readonly service: number;
  readonly origin: string;
  readonly response_code: number;
}

// Three numbers below this fit one exact number.
const KEY_LIMIT = 2 ** 17;

/** The groups and origins that the store knows, mirrored in memory: a few hundred, read on every page. */
export class TrafficGroups {
  readonly #insertGroup;
  readonly #insertOrigin;
  readonly #readGroups;
  readonly #readOrigins;
  readonly #groups = new Map<number, TrafficGroup>();
  /** By origin, then by the numbers. */
  readonly #groupIds: Readonly<Record<Direction, Map<string, Map<number | string, number>>>> = {
    inbound: new Map(),
    outbound: new Map(),
  };
  /** Place of each group in the order of summaries; empty until asked for. */
  readonly #ranks = new Map<number, number>();
  readonly #originNames = new Map<number, string>();
  readonly #originIds = new Map<string, number>();

  constructor(db: Database) {
    this.#insertGroup = db.prepare<[number, number, number, string, number]>(
      'INSERT INTO traffic_group (direction, channel, service, origin, response_code) VALUES (?, ?, ?, ?, ?)',
    );
    this.#insertOrigin = db.prepare<[string]>('INSERT INTO origin (name) VALUES (?)');
    this.#readGroups = db.prepare<[], GroupRow>('SELECT * FROM traffic_group');
    this.#readOrigins = db.prepare<[], { origin_id: number; name: string }>('SELECT * FROM origin');
    this.reload();
  }

  /** Reads the tables again; needed after a transaction that added groups was rolled back. */
  reload(): void {
    const ids = Object.values(this.#groupIds);
    for (const map of [this.#groups, ...ids, this.#ranks, this.#originNames, this.#originIds]) map.clear();
    for (const row of this.#readGroups.all()) {
      this.#remember({
        groupId: row.group_id,
        direction: row.direction === DIRECTION_NUMBERS.inbound ? 'inbound' : 'outbound',
        channel: row.channel,
        service: row.service,
        origin: row.origin,
        responseCode: row.response_code,
      });
    }
    for (const row of this.#readOrigins.all()) this.#rememberOrigin(row.origin_id, row.name);
  }

  /** Groups and origins together. */
  get size(): number {
    return this.#groups.size + this.#originNames.size;
  }

  /** Number of a group; an unknown one is added, inside the caller's transaction. */
  resolveGroup(
    direction: Direction,
    channel: number,
    service: number,
    origin: string,
    responseCode: number,
  ): number {
    const known = this.#groupIds[direction].get(origin)?.get(toKey(channel, service, responseCode));
    if (known !== undefined) return known;
    const { lastInsertRowid } = this.#insertGroup.run(
      DIRECTION_NUMBERS[direction],
      channel,
      service,
      origin,
      responseCode,
    );
    const groupId = Number(lastInsertRowid);
    this.#remember({ groupId, direction, channel, service, origin, responseCode });
    return groupId;
  }

  /** Number of an origin's name; an unknown one is added, inside the caller's transaction. */
  resolveOrigin(name: string): number {
    const known = this.#originIds.get(name);
    if (known !== undefined) return known;
    const originId = Number(this.#insertOrigin.run(name).lastInsertRowid);
    this.#rememberOrigin(originId, name);
    return originId;
  }

  /** Throws when the store holds a record of a group that it doesn't know, which is damage. */
  getGroup(groupId: number): TrafficGroup {
    const group = this.#groups.get(groupId);
    if (group === undefined) throw new Error(`Unknown traffic group ${groupId}`);
    return group;
  }

  /**
   * Place of a group in the order of summaries: inbound first, then by channel, service, origin and code.
   * Places shift as groups are added, their order doesn't.
   */
  getRank(groupId: number): number {
    if (this.#ranks.size === 0) {
      const sorted = [...this.#groups.values()].sort(compareGroups);
      for (const [rank, group] of sorted.entries()) this.#ranks.set(group.groupId, rank);
    }
    return this.#ranks.get(groupId) ?? -1;
  }

  getOriginName(originId: number): string {
    return this.#originNames.get(originId) ?? '';
  }

  #remember(group: TrafficGroup): void {
    this.#groups.set(group.groupId, group);
    this.#ranks.clear();
    const { direction, origin } = group;
    const ids = this.#groupIds[direction].get(origin) ?? new Map<number | string, number>();
    this.#groupIds[direction].set(origin, ids);
    ids.set(toKey(group.channel, group.service, group.responseCode), group.groupId);
  }

  #rememberOrigin(originId: number, name: string): void {
    this.#originNames.set(originId, name);
    this.#originIds.set(name, originId);
  }
}

/** One exact number for the usual small ones, which is found much sooner than a text. */
function toKey(channel: number, service: number, responseCode: number): number | string {
  const isSmall =
    Math.min(channel, service, responseCode) >= 0 && Math.max(channel, service, responseCode) < KEY_LIMIT;
  return isSmall
    ? (channel * KEY_LIMIT + service) * KEY_LIMIT + responseCode
    : `${channel}|${service}|${responseCode}`;
}

function compareGroups(a: TrafficGroup, b: TrafficGroup): number {
  if (a.direction !== b.direction) return a.direction === 'inbound' ? -1 : 1;
  if (a.channel !== b.channel) return a.channel - b.channel;
  if (a.service !== b.service) return a.service - b.service;
  if (a.origin !== b.origin) return a.origin < b.origin ? -1 : 1;
  return a.responseCode - b.responseCode;
}
