import { blobValue, type DuckDBBlobValue, type DuckDBConnection } from '@duckdb/node-api';
import { deserialize, serialize } from 'node:v8';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { createHash } from 'node:crypto';
import { isPlainObject } from '../../../../common/json.ts';
import { inTransaction, readRows } from '../engine-database.ts';

/** Where counts of days are kept over restarts, each until the records that it was counted of are decided otherwise or go. */
export interface KeptCounts {
  /** Returns what is kept of days by their keys; a day that has no records is null. */
  read(connection: DuckDBConnection, keys: readonly string[]): Promise<ReadonlyMap<string, unknown>>;
  /** `version` is what the feed's was before the records were counted: what has changed since isn't kept. */
  keep(days: readonly KeptCount[], version: number): void;
}

interface KeptCount {
  /** The first records of the day, by which it is replaced, and all of its records. */
  readonly place: string;
  readonly key: string;
  readonly counts: unknown;
}

/** Days of all kinds together: a year of some connections. */
const MAX_DAYS = 10_000;
/** Short, so that a statement may name many. */
function toHash(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
}

/** Counts shrink to a tenth; more is not worth the time. */
const LEVEL = { level: 1 };

type Column = Uint8Array | Int8Array | Uint16Array | Int16Array | Int32Array | Float64Array;
const NARROW = [Uint8Array, Int8Array, Uint16Array, Int16Array, Int32Array] as const;

/** The same numbers in as few bytes as hold each of them: most are small, and there are millions to write and to read. */
function toNarrowest(values: Float64Array): Column {
  let [least, most] = [0, 0];
  for (const value of values) {
    if (!Number.isInteger(value)) return values;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  for (const Type of NARROW) {
    const bits = 8 * Type.BYTES_PER_ELEMENT;
    const isSigned = Type !== Uint8Array && Type !== Uint16Array;
    const [lowest, highest] = isSigned ? [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] : [0, 2 ** bits - 1];
    if (least >= lowest && most <= highest) return new Type(values);
  }
  return values;
}

/** Counts with narrow columns; what has none is left as it is. */
function narrow(counts: unknown): unknown {
  return mapColumns(counts, (column) => (column instanceof Float64Array ? toNarrowest(column) : column));
}

function widen(counts: unknown): unknown {
  return mapColumns(counts, (column) =>
    ArrayBuffer.isView(column) && !(column instanceof Float64Array)
      ? new Float64Array(column as Exclude<Column, Float64Array>)
      : column,
  );
}

function mapColumns(counts: unknown, change: (column: unknown) => unknown): unknown {
  if (!isPlainObject(counts) || counts instanceof Map) return counts;
  return Object.fromEntries(Object.entries(counts).map(([name, column]) => [name, change(column)]));
}

/**
 * Creates what keeps counts in the engine's file. `getVersion` is the feed's, and `enqueue` runs what is passed to it while
 * the feed changes nothing: a day that was counted before a change is never written after it.
 */
export function createKeptCounts(
  feedConnection: DuckDBConnection,
  getVersion: () => number,
  enqueue: (write: () => Promise<void>) => void,
): KeptCounts {
  /** What may be kept, so that nothing is asked for that isn't; null before it was read. */
  let written: Set<string> | null = null;
  const readWritten = async (connection: DuckDBConnection): Promise<Set<string>> => {
    if (written !== null) return written;
    const rows = await readRows<[string]>(connection, 'SELECT key FROM counted_days');
    return (written ??= new Set(rows.map(([key]) => key)));
  };
  return {
    async read(connection, keys) {
      if (keys.length === 0) return new Map();
      const known = await readWritten(connection);
      const hashed = new Map(
        keys.map((key) => [toHash(key), key] as const).filter(([hash]) => known.has(hash)),
      );
      if (hashed.size === 0) return new Map();
      const list = [...hashed.keys()].map((hash) => `'${hash}'`).join(', ');
      const rows = await readRows<[string, { readonly bytes: Uint8Array }]>(
        connection,
        `SELECT key, counts FROM counted_days WHERE key IN (${list})`,
      );
      return new Map(
        rows.map(([key, { bytes }]): [string, unknown] => [
          hashed.get(key) ?? '',
          widen(deserialize(inflateRawSync(bytes))),
        ]),
      );
    },
    keep(days, version) {
      if (days.length === 0 || getVersion() !== version) return;
      enqueue(async () => {
        if (getVersion() !== version) return;
        const known = await readWritten(feedConnection);
        for (const { key } of days) known.add(toHash(key));
        const run = (sql: string, values: (string | DuckDBBlobValue)[] = []): Promise<unknown> =>
          feedConnection.run(sql, values);
        await inTransaction(feedConnection, async () => {
          for (const { place, key, counts } of days) {
            await run('DELETE FROM counted_days WHERE place = $1', [place]);
            const bytes = blobValue(deflateRawSync(serialize(narrow(counts)), LEVEL));
            await run(
              'INSERT INTO counted_days SELECT coalesce(max(number), 0) + 1, $1, $2, $3 FROM counted_days',
              [place, toHash(key), bytes],
            );
          }
          await run(
            `DELETE FROM counted_days WHERE number <= (SELECT max(number) - ${MAX_DAYS} FROM counted_days)`,
          );
        });
      });
    },
  };
}
