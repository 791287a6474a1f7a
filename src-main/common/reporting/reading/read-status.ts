import { AppError } from '../../contract/errors.ts';
import { mayLoseDigits, parseExactly } from '../../json.ts';
import type { StatusExtra } from '../../model/connections/status.ts';
import { resolveFields, STATUS_FIELD_NAMES } from '../field-names.ts';
import type { TrafficGroup } from '../wire-documents.ts';
import { decodeUtf8, isJsonObject, isTooDeep, parseBody, type JsonObject } from './read-json.ts';
import { readInteger, readNumber } from './read-record.ts';

/** A tenant status as read from anybody's service (decision 2). Times in milliseconds. */
export interface StatusReading {
  readonly platform: 'up' | 'down' | 'unknown';
  readonly connector: 'up' | 'down' | 'unknown';
  readonly internalResponseTimeMs: number | null;
  readonly sessions: number | null;
  readonly traffic: readonly TrafficGroup[];
  /** Traffic information that is plain text, or holds more than groups: as it came, at most 10,000 characters. */
  readonly trafficText: string;
  /** What none of these says; left out where there is nothing. */
  readonly extra?: StatusExtra;
}

type StatusValues = ReadonlyMap<StatusField, unknown>;

/** What was found so far, and at a place of the answer what is left of it. */
interface Found {
  readonly values: Map<StatusField, unknown>;
  readonly rest: StatusRest;
}

const DEPTH_LIMIT = 4;
/** Where a group of sessions belongs, and what the group calls it. */
const PLACES = { division: 'Division', channel: 'Channel', service: 'Service' } as const;
type PlaceField = keyof typeof PLACES;
const GROUPED: readonly StatusField[] = ['division', 'channel', 'service', 'sessions'];
/** An answer with none of these says nothing about a tenant's status. */
const TELLING: readonly StatusField[] = [
  'platform',
  'connector',
  'internalResponseTimeMs',
  'traffic',
  'sessions',
];

/**
 * Reads a tenant status (decision 2): flat or nested, groups as an array, an object or a JSON string, plain
 * text, `up` and `down` in any letter case. Throws AppError `client.html`, `client.not-json`,
 * `client.truncated` or `client.unexpected-shape`.
 */
export function readStatus(bytes: Uint8Array): StatusReading {
  const text = decodeUtf8(bytes);
  const word = /^\s*(up|down)\s*$/i.exec(text)?.[1];
  const body = word === undefined ? parseStatus(text) : word;
  const values = new Map<StatusField, unknown>();
  const rest = createStatusRest();
  if (typeof body === 'string') values.set('platform', body);
  else collectFields(body, { values, rest }, 0);
  if (!TELLING.some((field) => values.has(field))) {
    throw new AppError('client.unexpected-shape', 'The answer is no tenant status.', { reason: 'no-status' });
  }
  return toReading(values, Array.isArray(body) ? body : [], rest);
}

function parseStatus(text: string): unknown {
  const body = parseBody(text);
  return mayLoseDigits(text) ? parseExactly(text) : body;
}

/** Takes each field from the outermost object that has it; groups keep their own counts to themselves. */
function collectFields(value: unknown, { values, rest }: Found, depth: number): void {
  if (depth <= DEPTH_LIMIT && Array.isArray(value)) {
    for (const [at, item] of value.entries())
      collectFields(item, { values, rest: rest.at(`[${at}]`) }, depth + 1);
    return;
  }
  if (depth > DEPTH_LIMIT || !isJsonObject(value)) {
    rest.add(value);
    return;
  }
  const { keyOf } = resolveFields<StatusField>(Object.keys(value), STATUS_FIELD_NAMES);
  const claimed = new Set<string>();
  for (const [field, key] of Object.entries(keyOf) as [StatusField, string | undefined][]) {
    if (key === undefined) continue;
    const isSection = isJsonObject(value[key]) && field !== 'traffic' && field !== 'sessions';
    if (isSection) continue;
    claimed.add(key);
    if (!values.has(field)) {
      values.set(field, value[key]);
      rest.name(field, key);
    } else if (!isSame(values.get(field), value[key])) {
      rest.at(key).add(value[key], field);
    }
  }
  for (const [key, inner] of Object.entries(value)) {
    if (claimed.has(key)) continue;
    collectSection(key, inner, { values, rest: rest.at(key) }, depth);
  }
}

/** A section named after its subject, `Connector: {Status}`, says that subject's state. */
function collectSection(key: string, inner: unknown, { values, rest }: Found, depth: number): void {
  const subject = /connector/i.test(key) ? 'connector' : /^platform$/i.test(key) ? 'platform' : undefined;
  if (subject !== undefined && typeof inner === 'string' && !values.has(subject)) {
    values.set(subject, inner);
    rest.name(subject);
    return;
  }
  const own = subject === 'connector' && !values.has('connector') ? findSectionState(inner) : undefined;
  if (own !== undefined && isJsonObject(inner)) {
    values.set('connector', inner[own]);
    rest.name('connector', own);
    for (const [name, part] of Object.entries(inner)) if (name !== own) rest.at(name).add(part);
    return;
  }
  const sizeBefore = values.size;
  const inside = rest.branch();
  collectFields(inner, { values, rest: inside }, depth + 1);
  // Nothing of it is known: it is kept as one.
  if (values.size === sizeBefore) rest.add(inner);
  else inside.keep();
}

function findSectionState(section: unknown): string | undefined {
  if (!isJsonObject(section)) return undefined;
  const { keyOf } = resolveFields<StatusField>(Object.keys(section), STATUS_FIELD_NAMES);
  return keyOf.connector === undefined ? keyOf.platform : undefined;
}

function toReading(values: StatusValues, wholeObjects: readonly unknown[], rest: StatusRest): StatusReading {
  const fromTraffic = readTraffic(values.get('traffic'));
  const fromSessions = readTraffic(values.get('sessions'));
  const fromWhole = readTraffic(wholeObjects.length > 1 ? wholeObjects : undefined);
  const grouped = [fromTraffic, fromSessions, fromWhole].find(({ groups }) => groups.length > 0);
  const total = readCount(values.get('sessions'));
  const traffic = grouped?.groups ?? readFlatGroup(values);
  const sum = traffic.reduce((sessions, group) => sessions + group.Sessions, 0);
  const platform = readState(values.get('platform'));
  const connector = readState(values.get('connector'));
  const internalResponseTimeMs = readNumber(values.get('internalResponseTimeMs'), {
    bits: 0,
    isLossy: false,
  });
  const isSaid = (field: PlaceField): boolean =>
    traffic.some((group) => group[PLACES[field]] === readCount(values.get(field)));
  const unread: readonly (readonly [StatusField, boolean])[] = [
    ['platform', platform === 'unknown'],
    ['connector', connector === 'unknown'],
    ['internalResponseTimeMs', internalResponseTimeMs === null],
    ['traffic', fromTraffic.groups.length === 0 && fromTraffic.text === ''],
    ['sessions', total === null && (fromSessions !== grouped || fromSessions.text !== '')],
    ...(Object.keys(PLACES) as PlaceField[]).map((field) => [field, !isSaid(field)] as const),
  ];
  for (const [field, isUnread] of unread) if (isUnread) rest.addField(field, values.get(field));
  const extra = rest.finish(grouped === fromWhole ? GROUPED : []);
  return {
    platform,
    connector,
    internalResponseTimeMs,
    ...(extra === null ? {} : { extra }),
    sessions: grouped === fromWhole || total === null ? (traffic.length > 0 ? sum : null) : total,
    traffic,
    trafficText: fromTraffic.text,
  };
}

/** The eight fields flat and no groups: the counts beside them are the only group. */
function readFlatGroup(values: StatusValues): readonly TrafficGroup[] {
  const flat: JsonObject = {
    Division: values.get('division'),
    Channel: values.get('channel'),
    Service: values.get('service'),
    Sessions: values.get('sessions'),
  };
  return readTraffic(flat).groups;
}

function isSame(one: unknown, other: unknown): boolean {
  return !isTooDeep(one) && !isTooDeep(other) && JSON.stringify(one) === JSON.stringify(other);
}

function readState(value: unknown): 'up' | 'down' | 'unknown' {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  return word === 'up' || word === 'down' ? word : 'unknown';
}

function readCount(value: unknown): number | null {
  const number = readNumber(value, { bits: 0, isLossy: false });
  return Number.isSafeInteger(number) ? number : null;
}

type StatusField = keyof typeof STATUS_FIELD_NAMES;

/** Collects what of a status is no field of it, or could not be read, under the path at which it stands. */
interface StatusRest {
  /** The same, for what lies below a key. */
  at(key: string): StatusRest;
  /** A rest that counts only once it is kept. */
  branch(): StatusRest & { keep(): void };
  /** Adds what stands here; `field` where it is a further value of a known field. */
  add(value: unknown, field?: StatusField): void;
  /** Remembers where the value of a field was found: below a key, or here. */
  name(field: StatusField, key?: string): void;
  /** Adds the value of a field that could not be read; nothing where the service gave none. */
  addField(field: StatusField, value: unknown): void;
  /** Everything but further values of some fields; null for nothing. */
  finish(without: readonly StatusField[]): StatusExtra | null;
}

interface Kept {
  readonly path: string;
  /** Null where it is nested too deep. */
  readonly text: string | null;
  readonly field: StatusField | undefined;
}

/** Every sample is kept, so a service that tells everything must not fill the cache. */
const MAX_CHARACTERS = 20_000;

/** Begins the collecting at the outermost level. */
function createStatusRest(): StatusRest {
  return createAt('', [], new Map());
}

function createAt(path: string, kept: Kept[], paths: Map<StatusField, string>): StatusRest {
  const join = (key: string): string =>
    path === '' || key.startsWith('[') ? `${path}${key}` : `${path}.${key}`;
  return {
    at: (key) => createAt(join(key), kept, paths),
    branch() {
      const own: Kept[] = [];
      return { ...createAt(path, own, paths), keep: () => void kept.push(...own) };
    },
    add: (value, field) => void kept.push({ path, text: toText(value), field }),
    name: (field, key) => void paths.set(field, key === undefined ? path : join(key)),
    addField(field, value) {
      if (value === undefined || value === null || value === '') return;
      kept.push({ path: paths.get(field) ?? field, text: toText(value), field: undefined });
    },
    finish(without) {
      const all = kept.filter(({ field }) => field === undefined || !without.includes(field));
      if (all.length === 0) return null;
      const fields: Record<string, string> = {};
      let characters = 0;
      let leftOut = 0;
      for (const { path: name, text } of all) {
        const size = name.length + (text?.length ?? 0);
        if (text === null || characters + size > MAX_CHARACTERS || Object.hasOwn(fields, name)) leftOut += 1;
        else {
          characters += size;
          // Also a name such as `__proto__`.
          Object.defineProperty(fields, name, { value: text, enumerable: true });
        }
      }
      return { fields, leftOut };
    },
  };
}

function toText(value: unknown): string | null {
  return isTooDeep(value) ? null : JSON.stringify(value);
}

interface ReadTraffic {
  readonly groups: readonly TrafficGroup[];
  /** What is not groups, as text. */
  readonly text: string;
}

const GROUP_FIELDS = {
  Division: ['Division'],
  Channel: ['Channel'],
  Service: ['Service'],
  Sessions: ['Sessions', 'Session', 'Count'],
} as const;
const TEXT_CHARACTERS = 10_000;
const TRAFFIC_DEPTH_LIMIT = 3;

/**
 * Reads groups of sessions (decision 2): an array, one object, objects by name, or a JSON string of these.
 * Where any part is no group, `text` keeps the whole as it came.
 */
function readTraffic(value: unknown): ReadTraffic {
  if (value === undefined || value === null || typeof value === 'number') return { groups: [], text: '' };
  const parsed = typeof value === 'string' ? tryParse(value) : value;
  if (parsed === undefined) return { groups: [], text: toShortText(value) };
  const groups: TrafficGroup[] = [];
  const isWhole = collectGroups(parsed, groups, 0);
  return { groups, text: isWhole ? '' : toShortText(value) };
}

/** Adds the groups found; false when something was no group. */
function collectGroups(value: unknown, groups: TrafficGroup[], depth: number): boolean {
  if (depth > TRAFFIC_DEPTH_LIMIT) return false;
  if (Array.isArray(value)) return value.map((item) => collectGroups(item, groups, depth + 1)).every(Boolean);
  if (!isJsonObject(value)) return false;
  const read = readGroup(value);
  if (read !== null) {
    groups.push(read.group);
    return read.isWhole;
  }
  const children = Object.values(value);
  return (
    children.length > 0 && children.map((child) => collectGroups(child, groups, depth + 1)).every(Boolean)
  );
}

/** Not whole where the group has fields of which nothing else tells. */
function readGroup(value: JsonObject): { readonly group: TrafficGroup; readonly isWhole: boolean } | null {
  const { keyOf, unknownKeys } = resolveFields<keyof typeof GROUP_FIELDS>(Object.keys(value), GROUP_FIELDS);
  const read = (field: keyof typeof GROUP_FIELDS): number | null => {
    const key = keyOf[field];
    return key === undefined ? null : readInteger(value[key], { bits: 0, isLossy: false });
  };
  const [Division, Channel, Service, Sessions] = [
    read('Division'),
    read('Channel'),
    read('Service'),
    read('Sessions'),
  ];
  if (Division === null || Channel === null || Service === null || Sessions === null) return null;
  return { group: { Division, Channel, Service, Sessions }, isWhole: unknownKeys.length === 0 };
}

function tryParse(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function toShortText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.slice(0, TEXT_CHARACTERS);
}
