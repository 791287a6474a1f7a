import type { DuckDBConnection } from '@duckdb/node-api';
import {
  BODY_ROOTS,
  MAX_PATH_STEPS,
  writeBodyPath,
  type BodyRoot,
} from '../../../../../common/model/records/body-path.ts';
import type { BodyMeasure, BodyTermField } from '../../../../../common/model/analysis/comparison.ts';
import type { Direction } from '../../../../../common/reporting/reports.ts';
import { BODY_COLUMNS, toBodyNumber } from '../../../../../common/sql/filter-statement.ts';
import { pickUnusual, type CountedValue, type Sides } from '../../../judge-values.ts';
import { toPathType } from '../../bodies/find-paths.ts';
import { toTypes } from '../../engine-database.ts';
import { ENGINE_COLUMNS } from '../../engine-tables.ts';
import { UNIT_SQL } from '../measure-sql.ts';
import { toEffect, type ToSource } from './count-sides.ts';

/** Sessions of about so many records of a side are read; of more, a part of the sessions tells. */
const SAMPLED_OF_SIDE = 10_000;
/** Records with longer bodies aren't read: one of them takes as long as hundreds of others. */
const MAX_BODY_CHARACTERS = 200_000;
/** Signs of fewer records tell nothing, wherever these are. */
const MIN_RECORDS = 5;
/** With more values than this, a path holds what differs from record to record, such as identifiers. */
const MAX_VALUES_OF_PATH = 1_000;
const MAX_PATHS = 5_000;
const MAX_VALUE_CHARACTERS = 200;
/** Two signs say the same if this part of the records with either has both. */
const ALIKE = 0.9;
/** Elements of one array that are looked at. */
const MAX_ELEMENTS = 50;

/** What a record's bodies may have: a value at a path, none there, a type or a length. */
interface Sign {
  readonly path: BodyTermField;
  readonly measure: BodyMeasure | null;
  /** Null for no value. */
  readonly value: string | null;
  /** Places of the records that have it. */
  readonly records: number[];
}

interface ReadRecord {
  readonly isInside: boolean;
  readonly session: string;
  readonly client: string;
  /** Records of one session, or one without a session by itself. */
  readonly unit: string;
}

/** What was found in the bodies of a sample, and how many signs were looked at. */
interface FoundSigns {
  /** Those that would be unusual were records independent of each other. */
  readonly values: readonly MeasuredSign[];
  /** Records of either side that were read. */
  readonly among: Sides;
  readonly lookedAt: number;
}

/** Records of either side that were read, and all of them. */
interface Sample {
  readonly sides: Sides;
  readonly size: number;
}

interface CountedSign extends CountedValue {
  readonly sign: Sign;
  /** Places of the records that have it. */
  readonly own: readonly number[];
}

/** With the sessions and the clients of the records inside that have it, of those that were read. */
interface MeasuredSign extends CountedValue {
  readonly among: Sides;
  readonly sessionCount: number;
  readonly clientCount: number;
}

/**
 * Counts what the bodies of either side have: values at paths, paths without one, types and lengths where they differ. Of
 * many records, whole sessions are drawn from each side. Paths that `isChosen` names, those that the selection is chosen
 * by, are left out. A body that isn't JSON has no paths.
 */
export async function countBodySigns(
  connection: DuckDBConnection,
  toSource: ToSource,
  {
    sides,
    direction,
    isChosen,
  }: {
    readonly sides: Sides;
    readonly direction: Direction;
    readonly isChosen: (path: BodyTermField) => boolean;
  },
): Promise<FoundSigns> {
  const roots = BODY_ROOTS.filter((root) =>
    ENGINE_COLUMNS[direction].some(({ name }) => name === BODY_COLUMNS[root]),
  );
  const bodies = roots.map((root) => BODY_COLUMNS[root]);
  const source = toSource([`${UNIT_SQL} AS unit`, 'session_id', 'client', ...bodies]);
  // With a number that differs from row to row the engine divides in 128 bits, which takes fifty times as long.
  const isDrawn = (count: number): string => `unit % ${Math.max(1, Math.ceil(count / SAMPLED_OF_SIDE))} = 0`;
  const rows = await connection.stream(
    `SELECT inside, unit::VARCHAR, session_id, client, ${bodies.join(', ')} FROM ${source.sql}
     WHERE CASE WHEN inside THEN ${isDrawn(sides.inside)} ELSE ${isDrawn(sides.outside)} END
       AND ${bodies.map((name) => `coalesce(length(${name}), 0)`).join(' + ')} <= ${MAX_BODY_CHARACTERS}`,
    [...source.values],
    toTypes(source.values),
  );
  const records: ReadRecord[] = [];
  const signs = createSigns();
  for (;;) {
    const chunk = await rows.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    for (const [isInside, unit, session, client, ...texts] of chunk.getRows()) {
      records.push({
        isInside: isInside === true,
        unit: String(unit),
        session: toText(session),
        client: toText(client),
      });
      for (const [place, root] of roots.entries()) signs.add(records.length - 1, root, texts[place]);
    }
  }
  const inside = records.reduce((count, { isInside }) => count + Number(isInside), 0);
  const among = { inside, outside: records.length - inside };
  const found = signs.list(records.length).filter(({ path }) => !isChosen(path));
  const toRest = (list: readonly number[]): number[] => {
    const own = new Set(list);
    return Array.from(records.keys()).filter((place) => !own.has(place));
  };
  const counted = found.map((sign): CountedSign => {
    const own = sign.value === null ? toRest(sign.records) : sign.records;
    const ofInside = own.reduce((count, place) => count + Number(records[place]?.isInside ?? false), 0);
    const { path: field, measure, value } = sign;
    const terms = [{ field, value, ...(measure === null ? {} : { measure }) }];
    return { sign, own, terms, inside: ofInside, outside: own.length - ofInside };
  });
  const measure = createMeasure(records, among);
  return {
    values: leaveOutImplied(pickUnusual(counted, among), { sides: among, size: records.length }).map(measure),
    among,
    lookedAt: found.length,
  };
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Measures what each record with a sign tells, by the sessions that have it. */
function createMeasure(records: readonly ReadRecord[], among: Sides): (counted: CountedSign) => MeasuredSign {
  const weightOf = ({ isInside }: ReadRecord): number =>
    isInside ? 1 / Math.max(1, among.inside) : -1 / Math.max(1, among.outside);
  const addUp = (list: Iterable<ReadRecord>): { units: Map<string, number>; single: number } => {
    const units = new Map<string, number>();
    let single = 0;
    for (const record of list) {
      const weight = weightOf(record);
      units.set(record.unit, (units.get(record.unit) ?? 0) + weight);
      single += weight * weight;
    }
    return { units, single };
  };
  const all = addUp(records);
  const allShared = [...all.units.values()].reduce((sum, weight) => sum + weight * weight, 0);
  return ({ terms, inside, outside, own: places }) => {
    const own = places.flatMap((place) => records[place] ?? []);
    const { units, single } = addUp(own);
    let [squared, shared] = [0, 0];
    for (const [unit, weight] of units) {
      squared += weight * weight;
      shared += weight * (all.units.get(unit) ?? 0);
    }
    const count = (name: 'session' | 'client'): number =>
      new Set(own.flatMap((record) => (record.isInside && record[name] !== '' ? [record[name]] : []))).size;
    const perSession = toEffect(
      [squared, shared, single, allShared, all.single],
      own.length / records.length,
    );
    const sessionCount = count('session');
    return { terms, inside, outside, among, perSession, sessionCount, clientCount: count('client') };
  };
}

/**
 * Leaves out what other signs of the same body say already: a key that is there tells as much as the object that it is in,
 * and a value as much as its key, or its length. Values are all told.
 */
function leaveOutImplied(found: readonly CountedSign[], { sides, size }: Sample): CountedSign[] {
  const rank = ({ measure, value }: Sign): number => (measure === null ? (value === null ? 1 : 0) : 2);
  // A key that is missing lies as far out as it can be said; a body is long because something in it is.
  const order = ({ sign }: CountedSign): number => (rank(sign) === 2 ? -1 : 1) * sign.path.length;
  const isMore = ({ inside, outside }: CountedSign): boolean =>
    inside * sides.outside > outside * sides.inside;
  const sorted = found.toSorted(
    (a, b) => rank(a.sign) - rank(b.sign) || order(a) - order(b) || Number(isMore(b)) - Number(isMore(a)),
  );
  const seen: { readonly root: string; readonly has: Uint8Array; readonly count: number }[] = [];
  return sorted.filter((counted) => {
    const { sign, own } = counted;
    const root = /^[a-z]+/.exec(sign.path)?.[0] ?? '';
    // Whatever is rarer inside is told by the records that lack it.
    const has = new Uint8Array(size).fill(isMore(counted) ? 0 : 1);
    for (const place of own) has[place] = isMore(counted) ? 1 : 0;
    const count = isMore(counted) ? own.length : size - own.length;
    const isImplied = seen.some((other) => other.root === root && isAlike(other, { has, count }));
    seen.push({ root, has, count });
    return rank(sign) === 0 || !isImplied;
  });
}

/** True for two signs that nearly the same records have. */
function isAlike(
  one: { readonly has: Uint8Array; readonly count: number },
  other: { readonly has: Uint8Array; readonly count: number },
): boolean {
  if (Math.min(one.count, other.count) < ALIKE * Math.max(one.count, other.count)) return false;
  const both = one.has.reduce((sum, own, place) => sum + own * (other.has[place] ?? 0), 0);
  return both >= ALIKE * (one.count + other.count - both);
}

interface PathSigns {
  readonly path: BodyTermField;
  /** Records that have a value there. */
  readonly present: number[];
  readonly types: Map<string, number[]>;
  readonly lengths: Map<number, number[]>;
  readonly elements: Map<number, number[]>;
  /** Null once there are too many. */
  values: Map<string, number[]> | null;
}

/** Collects the signs of records, one body after another. */
function createSigns() {
  const paths = new Map<BodyTermField, PathSigns>();
  const note = (list: number[], record: number): void => {
    if (list.at(-1) !== record) list.push(record);
  };
  const noteIn = <Key>(lists: Map<Key, number[]>, key: Key, record: number): void => {
    const list = lists.get(key);
    if (list === undefined) lists.set(key, [record]);
    else note(list, record);
  };
  const find = (path: BodyTermField | null): PathSigns | undefined => {
    if (path === null) return undefined;
    let own = paths.get(path);
    if (own === undefined && paths.size < MAX_PATHS) {
      own = {
        path,
        present: [],
        types: new Map(),
        lengths: new Map(),
        elements: new Map(),
        values: new Map(),
      };
      paths.set(path, own);
    }
    return own;
  };
  const walk = (record: number, root: BodyRoot, steps: readonly (string | null)[], value: unknown): void => {
    const own = steps.length === 0 ? undefined : find(writeBodyPath({ root, steps }));
    // As a filter has it, null and an empty text are no value.
    if (own !== undefined && value !== null && value !== '') {
      note(own.present, record);
      noteIn(own.types, toPathType(value), record);
      if (Array.isArray(value)) noteIn(own.elements, toStep(value.length), record);
      else if (typeof value === 'string') noteIn(own.lengths, toStep(value.length), record);
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
        addValue(own, String(value), record);
    }
    if (typeof value !== 'object' || value === null || steps.length === MAX_PATH_STEPS) return;
    if (Array.isArray(value)) {
      for (const element of value.slice(0, MAX_ELEMENTS)) walk(record, root, [...steps, null], element);
      return;
    }
    for (const [key, inner] of Object.entries(value)) walk(record, root, [...steps, key], inner);
  };
  const addValue = (own: PathSigns, text: string, record: number): void => {
    if (own.values === null || text.length > MAX_VALUE_CHARACTERS) return;
    // A number is one value however it is written.
    const number = toBodyNumber(text);
    noteIn(own.values, number !== null && Number.isSafeInteger(number) ? String(number) : text, record);
    if (own.values.size > MAX_VALUES_OF_PATH) own.values = null;
  };
  /** Signs of some records but not of all. */
  const listOf = (own: PathSigns, recordCount: number): Sign[] => {
    const { path, present, types, lengths, elements, values } = own;
    const toSigns = <Key>(lists: Map<Key, number[]>, measure: BodyMeasure | null): Sign[] =>
      // Of one type, or one length, everything that has a value has it.
      measure !== null && lists.size < 2
        ? []
        : [...lists].map(([value, records]) => ({ path, measure, value: String(value), records }));
    const missing: Sign = { path, measure: null, value: null, records: present };
    return [
      // That a list has no elements, or that there is none, is said of the list.
      ...(recordCount - present.length >= MIN_RECORDS && !path.endsWith('[]') ? [missing] : []),
      ...toSigns(types, 'type'),
      ...toSigns(lengths, 'length'),
      ...toSigns(elements, 'elements'),
      ...(values === null ? [] : toSigns(values, null)),
    ].filter(({ records }) => records.length >= MIN_RECORDS && records.length < recordCount);
  };

  return {
    /** Adds a body of a record; records come in the order of their places. */
    add(record: number, root: BodyRoot, body: unknown): void {
      if (typeof body !== 'string' || body === '') return;
      const value = readJson(body);
      const whole = root === 'other' ? undefined : find(root);
      if (whole !== undefined) {
        note(whole.present, record);
        noteIn(whole.types, toPathType(value ?? body), record);
        noteIn(whole.lengths, toStep(body.length), record);
      }
      if (value !== null) walk(record, root, [], value);
    },
    list: (recordCount: number): Sign[] => [...paths.values()].flatMap((own) => listOf(own, recordCount)),
  };
}

/** Null for what is neither an object nor an array. */
function readJson(body: string): object | null {
  if (!/^\s*[{[]/.test(body)) return null;
  try {
    return JSON.parse(body) as object;
  } catch {
    return null;
  }
}

/** The power of two that a length is at least; 0 for none. */
function toStep(length: number): number {
  return length === 0 ? 0 : 2 ** Math.floor(Math.log2(length));
}
