import { AppError } from '../contract/errors.ts';
import { resolveFields, STATUS_FIELD_NAMES } from './field-names.ts';
import { readTraffic } from './read-traffic.ts';
import { decodeUtf8, isJsonObject, parseBody, type JsonObject } from './read-json.ts';
import { readNumber } from './read-value.ts';
import type { TrafficGroup } from './wire-schemas.ts';

/** A tenant status as read from anybody's service (decision 2). Times in milliseconds. */
export interface StatusReading {
  readonly platform: 'up' | 'down' | 'unknown';
  readonly connector: 'up' | 'down' | 'unknown';
  readonly internalResponseTimeMs: number | null;
  readonly sessions: number | null;
  readonly traffic: readonly TrafficGroup[];
  /** Traffic information that is plain text. */
  readonly trafficText: string;
}

type StatusField = keyof typeof STATUS_FIELD_NAMES;
type StatusValues = ReadonlyMap<StatusField, unknown>;

const DEPTH_LIMIT = 4;
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
  const body = word === undefined ? parseBody(text) : word;
  const values = new Map<StatusField, unknown>();
  if (typeof body === 'string') values.set('platform', body);
  else collectFields(body, values, 0);
  if (!TELLING.some((field) => values.has(field))) {
    throw new AppError('client.unexpected-shape', 'The answer is no tenant status.', { reason: 'no-status' });
  }
  return toReading(values, Array.isArray(body) ? body : []);
}

/** Takes each field from the outermost object that has it; groups keep their own counts to themselves. */
function collectFields(value: unknown, values: Map<StatusField, unknown>, depth: number): void {
  if (depth > DEPTH_LIMIT) return;
  if (Array.isArray(value)) {
    for (const item of value) collectFields(item, values, depth + 1);
    return;
  }
  if (!isJsonObject(value)) return;
  const { keyOf } = resolveFields<StatusField>(Object.keys(value), STATUS_FIELD_NAMES);
  const claimed = new Set<string>();
  for (const [field, key] of Object.entries(keyOf) as [StatusField, string | undefined][]) {
    if (key === undefined) continue;
    const isSection = isJsonObject(value[key]) && field !== 'traffic' && field !== 'sessions';
    if (!isSection) claimed.add(key);
    if (!isSection && !values.has(field)) values.set(field, value[key]);
  }
  for (const [key, inner] of Object.entries(value)) {
    if (claimed.has(key)) continue;
    collectSection(key, inner, values, depth);
  }
}

/** A section named after its subject, `Connector: {Status}`, says that subject's state. */
function collectSection(key: string, inner: unknown, values: Map<StatusField, unknown>, depth: number): void {
  if (/connector/i.test(key) && !values.has('connector')) {
    if (typeof inner === 'string') values.set('connector', inner);
    const own = readSectionState(inner);
    if (own !== undefined) {
      values.set('connector', own);
      return;
    }
  }
  if (/^platform$/i.test(key) && typeof inner === 'string' && !values.has('platform')) {
    values.set('platform', inner);
  }
  collectFields(inner, values, depth + 1);
}

function readSectionState(section: unknown): unknown {
  if (!isJsonObject(section)) return undefined;
  const { keyOf } = resolveFields<StatusField>(Object.keys(section), STATUS_FIELD_NAMES);
  const key = keyOf.connector === undefined ? keyOf.platform : undefined;
  return key === undefined ? undefined : section[key];
}

function toReading(values: StatusValues, wholeObjects: readonly unknown[]): StatusReading {
  const fromTraffic = readTraffic(values.get('traffic'));
  const fromSessions = readTraffic(values.get('sessions'));
  const fromWhole = readTraffic(wholeObjects.length > 1 ? wholeObjects : undefined);
  const grouped = [fromTraffic, fromSessions, fromWhole].find(({ groups }) => groups.length > 0);
  const total = readCount(values.get('sessions'));
  const traffic = grouped?.groups ?? readFlatGroup(values);
  const sum = traffic.reduce((sessions, group) => sessions + group.Sessions, 0);
  return {
    platform: readState(values.get('platform')),
    connector: readState(values.get('connector')),
    internalResponseTimeMs: readNumber(values.get('internalResponseTimeMs'), { bits: 0, isRounded: false }),
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

function readState(value: unknown): 'up' | 'down' | 'unknown' {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  return word === 'up' || word === 'down' ? word : 'unknown';
}

function readCount(value: unknown): number | null {
  const number = readNumber(value, { bits: 0, isRounded: false });
  return Number.isSafeInteger(number) ? number : null;
}
