import type { DuckDBConnection } from '@duckdb/node-api';
import {
  listGroupFields,
  type GroupField,
  type GroupValue,
} from '../../../../../common/model/analysis/grouping.ts';
import type { ExplainedTerm, ExplainedValue } from '../../../../../common/model/analysis/comparison.ts';
import type { Direction } from '../../../../../common/reporting/reports.ts';
import type { CountedValue, JudgedValue, Sides } from '../../../judge-values.ts';
import { quoteText, readRows, toTypes } from '../../engine-database.ts';
import { findColumn, OUTCOME_COLUMN } from '../../engine-tables.ts';
import type { BoundValue, SqlCondition } from '../../filter-sql.ts';
import { UNIT_SQL } from '../measure-sql.ts';

/**
 * Records as a table expression with `inside`, true for those of the selection, and more columns; where `leaves` says more
 * than `true`, those for which it holds.
 */
export type ToSource = (columns: readonly string[], leaves?: string) => SqlCondition;

/** Values of a field. */
interface WantedValues {
  readonly field: TermField;
  readonly values: readonly ExplainedTerm['value'][];
}

/**
 * A condition that a column has one of some values, on the column itself: each text of its dictionaries is compared once.
 * Null for what isn't a plain column, and where no value is meant, or one that can't be written in a statement.
 */
function toAmongSql({ field, values }: WantedValues, direction: Direction): string | null {
  const column = findColumn(field, direction);
  if (column === null || column === OUTCOME_COLUMN) return null;
  if (values.some((value) => value === null || String(value).includes('\0'))) return null;
  const listed = values.map((value) => (typeof value === 'string' ? quoteText(value) : value));
  return `${column.name} IN (${listed.join(', ')})`;
}

type TermField = ExplainedTerm['field'];
/** The values of a field as groups have them; see `toKeySql`. */
export type ToKey = (field: TermField) => string;

/** Values of a field that are compared: those whose shares differ most. All of them count as looked at. */
const MAX_COMPARED = 100;
const SIDES_SQL =
  'coalesce(sum(records) FILTER (inside), 0)::BIGINT AS inside, coalesce(sum(records) FILTER (NOT inside), 0)::BIGINT AS outside';

/** Counted apart: clients are too many to be combined with others. The outcome says less than the code and the error. */
const APART: ReadonlySet<GroupField> = new Set(['client', 'outcome']);

/** Fields of a report whose values are few enough to be counted together. */
export function listComparedFields(direction: Direction): readonly GroupField[] {
  return listGroupFields(direction).filter((field) => !APART.has(field));
}

/**
 * Counts the records of each combination of values, for the counts that follow, and says how many are on either side. The
 * table that it fills belongs to the connection.
 */
export async function readSides(
  connection: DuckDBConnection,
  toSource: ToSource,
  fields: readonly TermField[],
  toKey: ToKey,
): Promise<Sides> {
  const source = toSource(fields.map((field) => `${toKey(field)} AS ${toName(field)}`));
  const names = ['inside', ...fields.map(toName)].join(', ');
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE combinations AS SELECT ${names}, count(*) AS records FROM ${source.sql} GROUP BY ALL`,
    [...source.values],
    toTypes(source.values),
  );
  const [[inside, outside] = [0, 0]] = await readRows<[number, number]>(
    connection,
    `SELECT ${SIDES_SQL} FROM combinations`,
  );
  return { inside, outside };
}

/** Values with their counts, and how many there are. */
interface Counted {
  readonly values: CountedValue[];
  readonly valueCount: number;
}

/** Counts the values of some fields on either side. */
export async function countSingles(
  connection: DuckDBConnection,
  fields: readonly TermField[],
  sides: Sides,
): Promise<Counted> {
  const counted: CountedValue[] = [];
  let valueCount = 0;
  for (const field of fields) {
    const own = `SELECT ${toName(field)} AS value, ${SIDES_SQL} FROM combinations GROUP BY value`;
    const found = await readDiffering(connection, { sql: own, values: [] }, field, sides);
    counted.push(...found.values);
    valueCount += found.valueCount;
  }
  return { values: counted, valueCount };
}

/** Counts the sessions and the clients that the records of the selection are of. */
export async function countHit(
  connection: DuckDBConnection,
  toSource: ToSource,
): Promise<readonly [sessions: number, clients: number]> {
  const source = toSource(['session_id', 'client']);
  // Of millions of texts, their hashes are counted in half the time.
  const count = (column: string): string =>
    `count(DISTINCT hash(${column})) FILTER (inside AND ${column} <> '')`;
  const [row] = await readRows<[number, number]>(
    connection,
    `SELECT ${count('session_id')}, ${count('client')} FROM ${source.sql}`,
    source.values,
  );
  return row ?? [0, 0];
}

/** Adds the sessions and the clients that the records of the selection with each value are of. */
export async function addAffected(
  connection: DuckDBConnection,
  toSource: ToSource,
  values: readonly JudgedValue[],
  { toKey, direction }: Keys,
): Promise<ExplainedValue[]> {
  const toFields = ({ terms }: JudgedValue): string => terms.map(({ field }) => field).join(' ');
  const counts = new Map<JudgedValue, readonly [sessions: number, clients: number]>();
  // Values of one field are counted in one walk.
  for (const own of Map.groupBy(values, toFields).values()) {
    const fields = (own[0]?.terms ?? []).map(({ field }) => field);
    const columns = fields.map((field) => `${toKey(field)} AS ${toName(field)}`);
    const [only, ...others] = fields.map((field) => ({
      field,
      values: own.flatMap(({ terms }) => terms.flatMap((term) => (term.field === field ? term.value : []))),
    }));
    const leaves = only === undefined || others.length > 0 ? null : toAmongSql(only, direction);
    const source = toSource([...columns, 'session_id', 'client AS of_client'], leaves ?? 'true');
    const bound = [...source.values];
    const conditions = (leaves === null ? own : []).map(({ terms }) =>
      terms
        .map(({ field, value }) => {
          if (value === null) return `${toName(field)} IS NULL`;
          const isWhole = typeof value === 'number' && Number.isInteger(value);
          return `${toName(field)} = $${bound.push(isWhole ? BigInt(value) : value)}`;
        })
        .join(' AND '),
    );
    const names = fields.map(toName).join(', ');
    const rows = await readRows<[sessions: number, clients: number, ...GroupValue[]]>(
      connection,
      `SELECT count(DISTINCT hash(session_id)) FILTER (session_id <> ''),
         count(DISTINCT hash(of_client)) FILTER (of_client <> ''), ${names}
       FROM ${source.sql} WHERE inside AND (${conditions.map((one) => `(${one})`).join(' OR ') || 'true'}) GROUP BY ALL`,
      bound,
    );
    for (const [sessions, clients, ...found] of rows) {
      const value = own.find(({ terms }) => terms.every((term, place) => term.value === found[place]));
      if (value !== undefined) counts.set(value, [sessions, clients]);
    }
  }
  return values.map((value) => {
    const [sessionCount, clientCount] = counts.get(value) ?? [0, 0];
    return { ...value, sessionCount, clientCount };
  });
}

/** Counts the records of each client on either side. */
export function countClients(
  connection: DuckDBConnection,
  toSource: ToSource,
  sides: Sides,
): Promise<Counted> {
  const source = toSource(["nullif(client, '') AS value"]);
  const own = `SELECT value, ${SIDES_SQL} FROM (
      SELECT value, inside, count(*) AS records FROM ${source.sql} GROUP BY ALL
    ) GROUP BY value`;
  return readDiffering(connection, { sql: own, values: source.values }, 'client', sides);
}

async function readDiffering(
  connection: DuckDBConnection,
  { sql, values }: SqlCondition,
  field: TermField,
  sides: Sides,
): Promise<Counted> {
  const rows = await readRows<[GroupValue, number, number, number]>(
    connection,
    `SELECT value, inside, outside, count(*) OVER () FROM (${sql})
     ORDER BY abs(inside / ${sides.inside} - outside / ${sides.outside}) DESC, value LIMIT ${MAX_COMPARED}`,
    values,
  );
  return {
    // One value that everything has tells nothing apart.
    values:
      rows.length < 2
        ? []
        : rows.map(([value, inside, outside]) => ({ terms: [{ field, value }], inside, outside })),
    valueCount: rows[0]?.[3] ?? 0,
  };
}

/** Counts the records that have two of the values, of different fields, on either side. */
export async function countPairs(
  connection: DuckDBConnection,
  singles: readonly CountedValue[],
): Promise<CountedValue[]> {
  const terms = singles.flatMap((single) => single.terms);
  const pairs = terms.flatMap((one, place) =>
    terms.slice(place + 1).flatMap((other) => (other.field === one.field ? [] : [[one, other]])),
  );
  if (pairs.length === 0) return [];
  const values: BoundValue[] = [];
  const bind = (value: string | number): string =>
    `$${values.push(typeof value === 'number' ? BigInt(value) : value)}`;
  const conditions = pairs.map((pair) =>
    pair
      .map(({ field, value }) => `${toName(field)} ${value === null ? 'IS NULL' : `= ${bind(value)}`}`)
      .join(' AND '),
  );
  const sums = conditions.flatMap((condition) =>
    ['inside', 'NOT inside'].map(
      (side) => `coalesce(sum(records) FILTER (${side} AND ${condition}), 0)::BIGINT`,
    ),
  );
  // Both sums of a condition name the same values.
  const [row = []] = await readRows<number[]>(
    connection,
    `SELECT ${sums.join(', ')} FROM combinations`,
    values,
  );
  return pairs.map((pair, place) => ({
    terms: pair,
    inside: row[place * 2] ?? 0,
    outside: row[place * 2 + 1] ?? 0,
  }));
}

/** How fields are read. */
interface Keys {
  readonly toKey: ToKey;
  readonly direction: Direction;
}

/** Which values, of which records. */
interface SessionsQuestion extends Keys {
  readonly values: readonly CountedValue[];
  readonly sides: Sides;
  readonly maxRecords: number;
}

/** Of so many records, all sessions are looked at for values of fewer than this; of frequent ones a part of them tells. */
const MAX_RARE = 50_000;

/**
 * Measures how many records of each value tell as much as one (the design effect of their sessions, never below 1), from
 * how unevenly the sessions of either side have it. Records without a session count each. Of more than `maxRecords`, every
 * nth session is looked at, and all those of rare values.
 */
export async function measureSessions(
  connection: DuckDBConnection,
  toSource: ToSource,
  { values, sides, toKey, direction, maxRecords }: SessionsQuestion,
): Promise<ReadonlyMap<CountedValue, CountedValue>> {
  const all = sides.inside + sides.outside;
  const part = Math.ceil(all / maxRecords);
  const isRare = ({ inside, outside }: CountedValue): boolean => part > 1 && inside + outside <= MAX_RARE;
  const toColumn = (field: TermField): string => `${toKey(field)} AS ${toName(field)}`;
  const unit = `${UNIT_SQL} AS unit`;
  const fields = [...new Set(values.flatMap(({ terms: [term] }) => term?.field ?? []))];
  const sampled = fields.filter((field) =>
    values.some((value) => value.terms[0]?.field === field && !isRare(value)),
  );
  if (sampled.length > 0) {
    // One walk over the records serves all fields.
    const source = toSource([unit, ...sampled.map(toColumn)]);
    const among = part > 1 ? `WHERE unit % ${part} = 0` : '';
    await connection.run(
      `CREATE OR REPLACE TEMP TABLE sampled AS
       SELECT ${['inside', 'unit', ...sampled.map(toName)].join(', ')} FROM ${source.sql} ${among}`,
      [...source.values],
      toTypes(source.values),
    );
  }
  const measured = new Map<CountedValue, CountedValue>();
  for (const field of fields) {
    const own = values.filter(({ terms: [term] }) => term?.field === field);
    for (const rare of [false, true]) {
      const wanted = own.filter((value) => isRare(value) === rare);
      if (wanted.length === 0) continue;
      const named = { field, values: wanted.map(({ terms: [term] }) => term?.value ?? null) };
      const leaves = rare ? toAmongSql(named, direction) : null;
      const source = rare
        ? toSource([unit, toColumn(field)], leaves ?? 'true')
        : { sql: 'sampled', values: [] };
      const isLeft = !rare || leaves !== null;
      const rows = await weighSessions(connection, source, wanted, { sides, isLeft });
      for (const [found, ...weights] of rows) {
        const value = wanted.find(({ terms: [term] }) => (term?.value ?? null) === found);
        if (value === undefined) continue;
        const share = rare ? 0 : (value.inside + value.outside) / all;
        measured.set(value, { ...value, perSession: toEffect(weights, share) });
      }
    }
  }
  return measured;
}

/**
 * Adds up what each session weighs in the difference of shares of some values of one field. `isLeft` says that the source
 * has what is read: all records of its sessions, or of rare values those with the values.
 */
function weighSessions(
  connection: DuckDBConnection,
  source: SqlCondition,
  values: readonly CountedValue[],
  { sides, isLeft }: { readonly sides: Sides; readonly isLeft: boolean },
): Promise<[GroupValue, ...Weights][]> {
  const [field] = values.flatMap(({ terms: [term] }) => term?.field ?? []);
  const name = toName(field ?? 'client');
  const bound = [...source.values];
  const named = values.flatMap(({ terms: [term] }) => {
    const value = term?.value ?? null;
    if (value === null) return [];
    return `$${bound.push(typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value)}`;
  });
  const toWanted = (column: string): string =>
    [
      ...(named.length > 0 ? [`coalesce(${column} IN (${named.join(', ')}), false)`] : []),
      ...(named.length < values.length ? [`${column} IS NULL`] : []),
    ].join(' OR ');
  // The weight of a session is what it adds to the difference of shares; that of its records by themselves is squared.
  return readRows<[GroupValue, ...Weights]>(
    connection,
    `WITH cells AS (
       SELECT ${name} AS value, unit, (count(*) FILTER (inside))::DOUBLE AS inside,
         (count(*) FILTER (NOT inside))::DOUBLE AS outside
       FROM ${source.sql} ${isLeft ? '' : `WHERE ${toWanted(name)}`} GROUP BY ALL
     ), weights AS (
       SELECT value, inside / ${sides.inside} - outside / ${sides.outside} AS weight, unit,
         inside / pow(${sides.inside}, 2) + outside / pow(${sides.outside}, 2) AS single
       FROM cells
     ), sums AS (
       SELECT value, sum(weight * weight) AS own, sum(weight * whole) AS shared, sum(single) AS single FROM (
         SELECT *, sum(weight) OVER (PARTITION BY unit) AS whole FROM weights
       ) GROUP BY value
     )
     SELECT * FROM (SELECT *, sum(shared) OVER (), sum(single) OVER () FROM sums) WHERE ${toWanted('value')}`,
    bound,
  );
}

/** Sums over sessions: of squared weights, of those times the session's whole weight, and of single records; then of all. */
type Weights = readonly [own: number, shared: number, single: number, allShared: number, allSingle: number];

/**
 * The variance of a difference of shares as sessions have it, in that of the same records taken each by itself: both of
 * what was found, so that a difference which is there makes neither larger than the other.
 */
export function toEffect([own, shared, single, allShared, allSingle]: Weights, share: number): number {
  const ofSessions = own - 2 * share * shared + share * share * allShared;
  const ofRecords = (1 - share) ** 2 * single + share * share * (allSingle - single);
  // Sums of several threads differ in their last digits from one question to the next.
  return ofRecords > 0 ? Math.max(1, Number((ofSessions / ofRecords).toPrecision(6))) : 1;
}

function toName(field: TermField): string {
  return `"value_${field.replaceAll('"', '""')}"`;
}
