import type { DuckDBConnection } from '@duckdb/node-api';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import { DETAIL_KINDS, type DetailKind, type Direction } from '../../../../common/reporting/reports.ts';
import { type EngineDatabase, readRows } from '../engine-database.ts';
import { NO_CONDITION } from '../filter-sql.ts';
import { countAtMost, type ResolvedScope, type ScopePart, toSourceSql } from '../resolved-scope.ts';
import {
  gatherConversations,
  GATHERED_COLUMNS,
  type KeptTable,
  MAX_SET_VALUES,
  readSetValues,
  type SetValues,
} from './gather-conversations.ts';
import { ALWAYS, joinSpans } from './member-records.ts';

/** How much is kept, and when. */
export interface KeptLimits {
  /** Conversations of connections with fewer records are gathered as they are asked for. */
  readonly records: number;
  /** So many records that came since are gathered with each question; with more, conversations are kept anew. */
  readonly added: number;
}

const LIMITS: KeptLimits = { records: 100_000, added: 50_000 };
/** Of so many added records the groups still fit into the engine's memory; of more, everything is gathered. */
const MAX_ADDED = 300_000;

const RETRIED_GROWTH = 1.1;

/** What of a snapshot is in kept conversations. */
export interface KeptPart {
  readonly snapshotId: number;
  /** Its first records. */
  readonly recordCount: number;
  /** Dates, as in a ScopePart; null for all. */
  readonly spans: readonly TimeSpan[] | null;
  /** The first and the last date of these records; null where none has one. */
  readonly firstMs: number | null;
  readonly lastMs: number | null;
}

interface Kept {
  readonly number: number;
  readonly parts: Readonly<Record<Direction, readonly KeptPart[]>>;
  readonly values: SetValues;
  /** That of the feed: with another one, records that were gathered are others now. */
  readonly version: number;
}

/** The conversations of connections, gathered ahead of what is asked of them. */
export interface KeptConversations {
  /**
   * Returns what is kept of the records of both directions of a connection in a span; null for nothing that fits. Its
   * table stays until `release` is called.
   */
  find(connectionId: string, scopes: readonly ResolvedScope[], span: TimeSpan): FoundKept | null;
  /** Keeps what isn't kept yet, of each connection that has enough records. */
  keep(signal: AbortSignal): Promise<void>;
}

interface FoundKept extends KeptTable {
  release(): void;
}

interface KeptSource {
  /** The records of each connection that are cached, of both directions. */
  countRecords(): ReadonlyMap<string, number>;
  resolveAll(connection: DuckDBConnection, connectionId: string, report: DetailKind): Promise<ResolvedScope>;
  /** That of the feed, which forgets what is kept whenever it changes. */
  getVersion(): number;
  /** Runs a task while the feed changes nothing. */
  enqueue(task: (feedConnection: DuckDBConnection) => Promise<void>): Promise<void>;
  /** Resolves once nobody waits for an answer. */
  rest(): Promise<void>;
}

type Row = [connectionId: string, number: number, parts: string, values: string];

const toTable = (number: number): string => `conversations_${number}`;

/**
 * Creates the store. Each table is written once and never changed, so that lists that are open go on in it: what came since
 * goes into the next one.
 */
export async function createKeptConversations(
  database: EngineDatabase,
  source: KeptSource,
  limits: KeptLimits = LIMITS,
): Promise<KeptConversations> {
  const kept = new Map<string, Kept>();
  /** Questions that read each table. */
  const readers = new Map<number, number>();
  let last = 0;
  /** How many records a connection had when its conversations were looked at last, and the feed's version. */
  const looked = new Map<string, { recordCount: number; version: number; hasFailed: boolean }>();

  const dropUnused = async (connection: DuckDBConnection): Promise<void> => {
    const isUsed = (number: number): boolean =>
      (readers.get(number) ?? 0) > 0 ||
      [...kept.values()].some((own) => own.number === number && own.version === source.getVersion());
    const tables = await readRows<[string]>(
      connection,
      `SELECT table_name FROM duckdb_tables() WHERE NOT temporary AND regexp_matches(table_name, '^conversations_\\d+$')`,
    );
    const numbers = tables.map(([name]) => Number(name.split('_')[1]));
    last = Math.max(last, ...numbers);
    for (const number of numbers) if (!isUsed(number)) await connection.run(`DROP TABLE ${toTable(number)}`);
  };
  const find: KeptConversations['find'] = (connectionId, scopes, span) => {
    const own = kept.get(connectionId);
    if (own === undefined || own.version !== source.getVersion()) return null;
    const added: ResolvedScope[] = [];
    for (const scope of scopes) {
      const parts = findAdded(own.parts[scope.direction], scope.parts, span);
      if (parts === null) return null;
      added.push({ direction: scope.direction, parts });
    }
    if (added.reduce((sum, scope) => sum + countAtMost(scope), 0) > MAX_ADDED) return null;
    const { number, values } = own;
    readers.set(number, (readers.get(number) ?? 0) + 1);
    let isRead = true;
    return {
      table: toTable(number),
      values,
      added,
      release() {
        if (isRead) readers.set(number, (readers.get(number) ?? 0) - 1);
        isRead = false;
      },
    };
  };
  const keepOf = async (connection: DuckDBConnection, connectionId: string): Promise<void> => {
    const version = source.getVersion();
    const scopes: ResolvedScope[] = [];
    for (const report of DETAIL_KINDS) scopes.push(await source.resolveAll(connection, connectionId, report));
    const found = find(connectionId, scopes, ALWAYS);
    try {
      const addedCount = found?.added.reduce((sum, scope) => sum + countAtMost(scope), 0);
      if (addedCount !== undefined && addedCount < limits.added) return;
      // A set has no room for more values: which ones it has is another question in each period.
      const all = await readSetValues(connection, scopes, MAX_SET_VALUES + 1);
      if (Math.max(all.channel.length, all.service.length) > MAX_SET_VALUES) return;
      const { queries, values } = await gatherConversations(connection, scopes, {
        span: ALWAYS,
        kept: found,
        rest: source.rest,
      });
      const number = (last += 1);
      await connection.run(
        `CREATE TABLE ${toTable(number)} AS SELECT ${GATHERED_COLUMNS} FROM (${queries.join(' UNION ALL ')})`,
      );
      const parts = { inbound: [] as KeptPart[], outbound: [] as KeptPart[] };
      for (const scope of scopes) parts[scope.direction] = await describeParts(connection, scope);
      await source.enqueue(async (feedConnection) => {
        if (source.getVersion() !== version) return;
        await feedConnection.run('DELETE FROM kept_conversations WHERE connection_id = $1', [connectionId]);
        const row = [connectionId, number, JSON.stringify(parts), JSON.stringify(values)];
        await feedConnection.run('INSERT INTO kept_conversations VALUES ($1, $2, $3, $4)', row);
        if (source.getVersion() === version) kept.set(connectionId, { number, parts, values, version });
      });
    } finally {
      found?.release();
    }
  };
  const withConnection = async (
    work: (connection: DuckDBConnection) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<void> => {
    const connection = await database.connect();
    const interrupt = (): void => connection.interrupt();
    signal?.addEventListener('abort', interrupt, { once: true });
    try {
      signal?.throwIfAborted();
      await work(connection);
    } finally {
      signal?.removeEventListener('abort', interrupt);
      connection.closeSync();
    }
  };

  await withConnection(async (connection) => {
    const rows = await readRows<Row>(
      connection,
      'SELECT connection_id, number, parts, set_values FROM kept_conversations',
    );
    const version = source.getVersion();
    for (const [connectionId, number, parts, values] of rows)
      kept.set(connectionId, {
        number,
        parts: JSON.parse(parts) as Kept['parts'],
        values: JSON.parse(values) as SetValues,
        version,
      });
    // A disk that is full keeps nothing from being read.
    await dropUnused(connection).catch(() => undefined);
  });
  let keeping: Promise<void> = Promise.resolve();
  return {
    find,
    keep(signal) {
      const own = keeping.then(async () => {
        for (const [connectionId, recordCount] of source.countRecords()) {
          const version = source.getVersion();
          const before = looked.get(connectionId);
          // What there was no room for isn't tried again for a few more records.
          const isSame =
            before?.version === version &&
            (before.recordCount === recordCount ||
              (before.hasFailed && recordCount < before.recordCount * RETRIED_GROWTH));
          if (isSame || recordCount < limits.records) continue;
          const now = { recordCount, version, hasFailed: true };
          looked.set(connectionId, now);
          try {
            // Temporary tables that it leaves end with its connection.
            await withConnection((connection) => keepOf(connection, connectionId), signal);
            now.hasFailed = false;
          } finally {
            await withConnection(dropUnused, signal).catch(() => undefined);
          }
        }
      });
      keeping = own.catch(() => undefined);
      return own;
    },
  };
}

/**
 * The parts of a scope that hold what came since conversations were kept, in a span; null where records of then count no
 * more, or others of then count now. Whose moments are is divided alike in each span that is asked for.
 */
export function findAdded(
  kept: readonly KeptPart[],
  parts: readonly ScopePart[],
  span: TimeSpan,
): ScopePart[] | null {
  const own = Map.groupBy(parts, ({ snapshotId }) => snapshotId);
  for (const before of kept) {
    const now = own.get(before.snapshotId) ?? [];
    if (now.some(({ recordCount }) => recordCount < before.recordCount)) return null;
    const { firstMs, lastMs } = before;
    if (firstMs === null || lastMs === null) continue;
    const within = { fromMs: Math.max(span.fromMs, firstMs), toMs: Math.min(span.toMs, lastMs + 1) };
    const toSpans = (each: Pick<KeptPart, 'spans'>): readonly TimeSpan[] => each.spans ?? [ALWAYS];
    if (clip(toSpans(before), within) !== clip(now.flatMap(toSpans), within)) return null;
  }
  const counts = new Map(kept.map(({ snapshotId, recordCount }) => [snapshotId, recordCount]));
  return parts.flatMap((part) => {
    const fromSeq = Math.max(part.fromSeq ?? 0, counts.get(part.snapshotId) ?? 0);
    return fromSeq < part.recordCount ? [{ ...part, fromSeq }] : [];
  });
}

/** What spans have in common with another one, as a text that equal ones share. */
function clip(spans: readonly TimeSpan[], within: TimeSpan): string {
  const clipped = joinSpans(spans, Infinity).map(({ fromMs, toMs }) => [
    Math.max(fromMs, within.fromMs),
    Math.min(toMs, within.toMs),
  ]);
  return JSON.stringify(clipped.filter(([fromMs = 0, toMs = 0]) => fromMs < toMs));
}

async function describeParts(connection: DuckDBConnection, scope: ResolvedScope): Promise<KeptPart[]> {
  if (scope.parts.length === 0) return [];
  const dates = await readRows<[number, number | null, number | null]>(
    connection,
    `SELECT part, min(date_ms), max(date_ms) FROM ${toSourceSql(scope, ['date_ms'], NO_CONDITION)} GROUP BY part`,
  );
  const byPart = new Map(dates.map(([part, firstMs, lastMs]) => [part, { firstMs, lastMs }]));
  const own = scope.parts.map((part, place) => ({
    ...part,
    ...(byPart.get(place) ?? { firstMs: null, lastMs: null }),
  }));
  // A snapshot whose moments are divided has several parts.
  return [...Map.groupBy(own, ({ snapshotId }) => snapshotId)].map(([snapshotId, parts]) => {
    const [firstDates, lastDates] = [
      parts.flatMap(({ firstMs }) => firstMs ?? []),
      parts.flatMap(({ lastMs }) => lastMs ?? []),
    ];
    return {
      snapshotId,
      recordCount: Math.max(...parts.map(({ recordCount }) => recordCount)),
      spans: parts.some(({ spans }) => spans === null)
        ? null
        : joinSpans(
            parts.flatMap(({ spans }) => spans ?? []),
            Infinity,
          ),
      firstMs: firstDates.length === 0 ? null : Math.min(...firstDates),
      lastMs: lastDates.length === 0 ? null : Math.max(...lastDates),
    };
  });
}
