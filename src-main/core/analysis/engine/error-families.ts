import type { DuckDBConnection } from '@duckdb/node-api';
import type { RecordFilter } from '../../../common/model/record-filter.ts';
import { readRows } from './engine-database.ts';
import { toFilterSql } from './filter-sql.ts';
import { toSourceSql, type RecordScope } from './record-scope.ts';

/** Errors that read alike once their variable parts are folded. */
export interface ErrorFamily {
  /** The text with `<number>`, `<id>`, `<value>` and `<address>` in the place of what varies. */
  readonly pattern: string;
  readonly count: number;
  readonly firstMs: number | null;
  readonly lastMs: number | null;
  readonly channels: readonly number[];
  readonly services: readonly number[];
  /** Distinct texts, the most frequent first, at most ten. */
  readonly examples: readonly { readonly text: string; readonly count: number }[];
  /** Number of distinct texts. */
  readonly textCount: number;
  /** Records in equal spans of the period. */
  readonly trend: readonly number[];
}

const MAX_EXAMPLES = 10;
const TREND_BUCKETS = 24;

const FOLDS: readonly (readonly [RegExp, string])[] = [
  [/\bhttps?:\/\/[^\s"'<>]+/gi, '<address>'],
  [/\b[\w.+-]+@[\w-]+\.[\w.-]+\b/g, '<address>'],
  [/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g, '<address>'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '<id>'],
  [/"[^"]*"|'[^']*'|`[^`]*`|«[^»]*»|“[^”]*”/g, '<value>'],
  [/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,}\b/gi, '<id>'],
  [/[-+]?\d+(?:[.,:]\d+)*/g, '<number>'],
];

/** Folds what varies from one occurrence of an error to the next: addresses, identifiers, quoted values, numbers. */
export function toErrorPattern(text: string): string {
  return FOLDS.reduce((folded, [pattern, word]) => folded.replace(pattern, word), text).trim();
}

/** Groups the errors of a scope by their pattern, the most frequent first. Distinct texts are folded once each. */
export async function findErrorFamilies(
  connection: DuckDBConnection,
  scope: RecordScope,
  filter: RecordFilter,
  period: { readonly fromMs: number; readonly toMs: number },
): Promise<ErrorFamily[]> {
  const where = toFilterSql(filter, scope.direction);
  const widthMs = Math.max(1, Math.ceil((period.toMs - period.fromMs) / TREND_BUCKETS));
  const source = toSourceSql(scope, ['error', 'date_ms', 'channel', 'service'], where);
  const rows = await readRows<
    [string, number | null, number | null, number | null, number, number | null, number | null]
  >(
    connection,
    `SELECT error, channel, service, (date_ms - ${period.fromMs}) // ${widthMs} AS bucket, count(*),
       min(date_ms), max(date_ms)
     FROM ${source} WHERE error <> '' GROUP BY error, channel, service, bucket`,
    where.values,
  );
  const families = new Map<string, MutableFamily>();
  const patterns = new Map<string, string>();
  for (const [text, channel, service, bucket, count, firstMs, lastMs] of rows) {
    const pattern = patterns.get(text) ?? toErrorPattern(text);
    patterns.set(text, pattern);
    const family = families.get(pattern) ?? createFamily();
    families.set(pattern, family);
    family.count += count;
    family.firstMs = Math.min(family.firstMs, firstMs ?? Infinity);
    family.lastMs = Math.max(family.lastMs, lastMs ?? -Infinity);
    if (channel !== null) family.channels.set(channel, (family.channels.get(channel) ?? 0) + count);
    if (service !== null) family.services.set(service, (family.services.get(service) ?? 0) + count);
    family.texts.set(text, (family.texts.get(text) ?? 0) + count);
    if (bucket !== null && bucket >= 0 && bucket < TREND_BUCKETS) {
      family.trend[bucket] = (family.trend[bucket] ?? 0) + count;
    }
  }
  return [...families]
    .map(([pattern, family]) => toFamily(pattern, family))
    .sort((a, b) => b.count - a.count || (a.pattern < b.pattern ? -1 : 1));
}

interface MutableFamily {
  count: number;
  firstMs: number;
  lastMs: number;
  readonly channels: Map<number, number>;
  readonly services: Map<number, number>;
  readonly texts: Map<string, number>;
  readonly trend: number[];
}

function createFamily(): MutableFamily {
  return {
    count: 0,
    firstMs: Infinity,
    lastMs: -Infinity,
    channels: new Map(),
    services: new Map(),
    texts: new Map(),
    trend: Array.from({ length: TREND_BUCKETS }, () => 0),
  };
}

function toFamily(pattern: string, family: MutableFamily): ErrorFamily {
  const ranked = <Key>(counts: ReadonlyMap<Key, number>): [Key, number][] =>
    [...counts].sort((a, b) => b[1] - a[1]);
  return {
    pattern,
    count: family.count,
    firstMs: Number.isFinite(family.firstMs) ? family.firstMs : null,
    lastMs: Number.isFinite(family.lastMs) ? family.lastMs : null,
    channels: ranked(family.channels).map(([channel]) => channel),
    services: ranked(family.services).map(([service]) => service),
    examples: ranked(family.texts)
      .slice(0, MAX_EXAMPLES)
      .map(([text, count]) => ({ text, count })),
    textCount: family.texts.size,
    trend: family.trend,
  };
}
