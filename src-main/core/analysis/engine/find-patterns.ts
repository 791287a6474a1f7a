import type { DuckDBConnection } from '@duckdb/node-api';
import {
  MAX_PATTERN_CHARACTERS,
  MAX_PATTERN_EXAMPLES,
  MAX_PATTERN_RECORDS,
  MAX_PATTERNS,
  MAX_TEXT_CHARACTERS,
  type PatternField,
  type TextPattern,
  type TextPatterns,
} from '../../../common/model/records/record-filter.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import type { CallContext } from '../../calls/calls.ts';
import { describeTexts } from '../families/describe-texts.ts';
import { createFamilyLearner } from '../families/learn-families.ts';
import { readRows, toPlain, toTypes } from './engine-database.ts';
import { findColumn } from './engine-tables.ts';
import { toFilterSql } from './filter-sql.ts';
import { toSourceSql, type FilteredRecords } from './resolved-scope.ts';

const TREND_BUCKETS = 24;
/** Texts after which what is new is compared with what came before. */
const SETTLED_TEXTS = 20_000;
/** Texts of a pattern from which it is told what they have in common. */
const MAX_SAMPLES = 40;
/** What they have in common beyond these is not looked for in other texts. */
const MAX_CANDIDATES = 8;
/** Conditions of a filter for a pattern. */
const MAX_WORDS = 3;
/** Letters and digits without which a part says nothing. */
const MIN_LETTERS = 3;
/** Texts of a pattern that may be shown. */
const MAX_KEPT_TEXTS = 500;
/** Hashes have 64 bits; numbers are exact with so many fewer. */
const HASH_STEP = 2_048;

/** How many of the texts have been read. */
export interface PatternsProgress {
  readonly read: number;
  readonly total: number;
}

/** The field and, for their trends, the period of the records; at most so many are read. */
interface PatternsQuestion {
  readonly field: PatternField;
  readonly period: TimeSpan;
  readonly maxRecords?: number;
}

type Row = [text: string, hash: number, dateMs: number | null, session: string | null, client: string | null];

/** Groups the texts of a field by how they read, with the learner of errors, for the records of one question. */
export async function findPatterns(
  connection: DuckDBConnection,
  { scope, filter }: FilteredRecords,
  { field, period, maxRecords = MAX_PATTERN_RECORDS }: PatternsQuestion,
  { signal, pause, progress }: CallContext<PatternsProgress>,
): Promise<TextPatterns> {
  const where = toFilterSql(filter, scope.direction);
  const column = findColumn(field, scope.direction)?.name ?? "''";
  const columns = ['record_id', `coalesce(${column}, '') AS text`, 'date_ms', 'session_id', 'client'];
  const source = toSourceSql(scope, columns, where);
  const [[recordCount, textRecordCount] = [0, 0]] = await readRows<[number, number]>(
    connection,
    `SELECT count(*), count(*) FILTER (text <> '') FROM ${source}`,
    where.values,
  );
  const every = Math.max(1, Math.ceil(textRecordCount / maxRecords));
  const total = Math.ceil(textRecordCount / every);
  const learner = createFamilyLearner();
  const groups = new Map<string, Group>();
  const widthMs = Math.max(1, Math.ceil((period.toMs - period.fromMs) / TREND_BUCKETS));
  const toBucket = (dateMs: number | null): number =>
    dateMs === null ? -1 : Math.floor((dateMs - period.fromMs) / widthMs);

  const among = every === 1 ? '' : ` AND hash(record_id) % ${every} = 0`;
  const texts = await connection.stream(
    `SELECT left(text, ${MAX_PATTERN_CHARACTERS}), hash(text) // ${HASH_STEP}, date_ms, session_id, client FROM ${source}
     WHERE text <> ''${among}`,
    [...where.values],
    toTypes(where.values),
  );
  let readCount = 0;
  for (;;) {
    signal.throwIfAborted();
    const chunk = await texts.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    for (const row of chunk.getRows() as Row[]) {
      const [text, hash, dateMs, session, client] = row.map(toPlain) as Row;
      const name = learner.find(text);
      const group = groups.get(name) ?? createGroup();
      groups.set(name, group);
      group.add(text, { hash, dateMs, session, client, bucket: toBucket(dateMs) });
      readCount += 1;
      if (readCount % SETTLED_TEXTS === 0) learner.settle();
    }
    progress({ read: readCount, total: Math.max(total, readCount) });
    await pause();
  }
  learner.settle();
  const joined = Map.groupBy(groups, ([name]) => learner.findOfPattern(name));
  const sizes = [...joined].map(([pattern, own]) => ({
    pattern,
    own: own.map(([, group]) => group),
    count: own.reduce((sum, [, { count }]) => sum + count, 0),
  }));
  sizes.sort((a, b) => b.count - a.count || (a.pattern < b.pattern ? -1 : 1));
  const patterns: TextPattern[] = [];
  for (const { pattern, own } of sizes.slice(0, MAX_PATTERNS)) {
    patterns.push(toTextPattern(pattern, own));
    await pause();
  }
  return { patterns, patternCount: sizes.length, recordCount, textRecordCount, readCount };
}

interface Place {
  readonly hash: number;
  readonly dateMs: number | null;
  readonly session: string | null;
  readonly client: string | null;
  readonly bucket: number;
}

interface Group {
  readonly count: number;
  readonly sessions: ReadonlySet<string>;
  readonly clients: ReadonlySet<string>;
  readonly firstMs: number | null;
  readonly lastMs: number | null;
  /** Records of each distinct text, by its hash. */
  readonly counts: ReadonlyMap<number, number>;
  /** The first of them, and those that came again. */
  readonly texts: ReadonlyMap<number, string>;
  readonly trend: readonly number[];
  readonly samples: ReadonlySet<string>;
  /** What every text contains; null while the samples are all of them. */
  readonly candidates: readonly string[] | null;
  add(text: string, place: Place): void;
}

function createGroup(): Group {
  const own = {
    count: 0,
    sessions: new Set<string>(),
    clients: new Set<string>(),
    firstMs: null as number | null,
    lastMs: null as number | null,
    counts: new Map<number, number>(),
    texts: new Map<number, string>(),
    trend: Array.from({ length: TREND_BUCKETS }, () => 0),
    samples: new Set<string>(),
    candidates: null as string[] | null,
  };
  return Object.assign(own, {
    add(text: string, { hash, dateMs, session, client, bucket }: Place): void {
      own.count += 1;
      if (session !== null && session !== '') own.sessions.add(session);
      if (client !== null && client !== '') own.clients.add(client);
      if (dateMs !== null) {
        own.firstMs = Math.min(own.firstMs ?? dateMs, dateMs);
        own.lastMs = Math.max(own.lastMs ?? dateMs, dateMs);
      }
      const before = own.trend[bucket];
      if (before !== undefined) own.trend[bucket] = before + 1;
      const known = own.counts.get(hash) ?? 0;
      own.counts.set(hash, known + 1);
      const isKept = own.texts.size < (known > 0 ? MAX_KEPT_TEXTS : MAX_PATTERN_EXAMPLES);
      if (isKept) own.texts.set(hash, text);
      if (own.samples.has(text)) return;
      if (own.samples.size < MAX_SAMPLES) own.samples.add(text);
      else {
        own.candidates ??= listCommon([...own.samples]);
        own.candidates = own.candidates.filter((part) => text.includes(part));
      }
    },
  });
}

function toTextPattern(pattern: string, groups: readonly Group[]): TextPattern {
  const least = (values: readonly (number | null)[], pick: (a: number, b: number) => number): number | null =>
    values.reduce((best, value) => (value === null ? best : best === null ? value : pick(best, value)), null);
  const counts = new Map<number, number>();
  for (const group of groups)
    for (const [hash, count] of group.counts) counts.set(hash, (counts.get(hash) ?? 0) + count);
  const texts = new Map(groups.flatMap((group) => [...group.texts]));
  const examples = [...texts].map(([hash, text]) => ({ text, count: counts.get(hash) ?? 0 }));
  examples.sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1));
  return {
    pattern,
    count: groups.reduce((sum, { count }) => sum + count, 0),
    sessionCount: new Set(groups.flatMap(({ sessions }) => [...sessions])).size,
    clientCount: new Set(groups.flatMap(({ clients }) => [...clients])).size,
    firstMs: least(
      groups.map(({ firstMs }) => firstMs),
      Math.min,
    ),
    lastMs: least(
      groups.map(({ lastMs }) => lastMs),
      Math.max,
    ),
    examples: examples.slice(0, MAX_PATTERN_EXAMPLES),
    textCount: counts.size,
    trend: Array.from({ length: TREND_BUCKETS }, (_none, at) =>
      groups.reduce((sum, { trend }) => sum + (trend[at] ?? 0), 0),
    ),
    words: findWords(groups),
  };
}

/** The longest parts that every text of some groups contains. */
function findWords(groups: readonly Group[]): string[] {
  const samples = groups.flatMap(({ samples: own }) => [...own]);
  const found = new Set([...listCommon(samples), ...groups.flatMap(({ candidates }) => candidates ?? [])]);
  const isInAll = (part: string): boolean =>
    groups.every((group) =>
      group.candidates === null
        ? [...group.samples].every((text) => text.includes(part))
        : group.candidates.some((own) => own.includes(part)),
    );
  const kept = [...found].filter(isInAll).sort((a, b) => b.length - a.length);
  return kept
    .filter((part, at) => !kept.slice(0, at).some((longer) => longer.includes(part)))
    .slice(0, MAX_WORDS);
}

/** Parts that texts have in common, the longest first. */
function listCommon(texts: readonly string[]): string[] {
  const { parts } = describeTexts(texts.map((text) => ({ text, count: 1 })));
  return parts
    .map((part) => part.slice(0, MAX_TEXT_CHARACTERS).trim())
    .filter((part) => (part.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= MIN_LETTERS)
    .filter((part) => texts.every((text) => text.includes(part)))
    .sort((a, b) => b.length - a.length)
    .slice(0, MAX_CANDIDATES);
}
