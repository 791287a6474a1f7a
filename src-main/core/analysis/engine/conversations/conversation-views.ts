import type { DuckDBConnection } from '@duckdb/node-api';
import { AppError } from '../../../../common/contract/errors.ts';
import {
  type Conversation,
  CONVERSATION_OUTCOMES,
  type ConversationTimes,
  type KnownTime,
  type OpenedConversations,
} from '../../../../common/model/records/conversation.ts';
import type { SqlCell } from '../../../../common/model/records/sql.ts';
import { toConversationCells } from '../../../../common/exports/export-texts.ts';
import type { PeriodScope } from '../../../../common/model/records/record-filter.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import { DETAIL_KINDS } from '../../../../common/reporting/reports.ts';
import { readRows, type EngineDatabase } from '../engine-database.ts';
import type { FilteredRecords, ResolvedScope } from '../resolved-scope.ts';
import { CLIENT_CELLS_SQL, countClients, listClients } from './conversation-clients.ts';
import { type ConversationsQuestion, listTables, openList } from './conversation-lists.ts';
import { measureConversationTimes, TIMES_CELLS_SQL } from './conversation-times.ts';
import { gatherConversations, type SetValues, toConversationsSql } from './gather-conversations.ts';
import type { KeptConversations } from './kept-conversations.ts';
import { readConversations } from './read-conversations.ts';

/** Periods whose conversations are kept, and lists of each; the ones used longest ago go first. */
const MAX_PERIODS = 3;
const MAX_LISTS = 6;
/** Rows that are read together where they are written to a file. */
const BLOCK_ROWS = 10_000;

/** What conversations are found with. */
interface ConversationSource {
  /** Records of a connection in a span. */
  resolve(connection: DuckDBConnection, scope: PeriodScope): Promise<ResolvedScope>;
  /** The filter with what its marks and families stand for. */
  resolveFilter(
    connection: DuckDBConnection,
    records: FilteredRecords,
    connectionId: string,
  ): Promise<FilteredRecords>;
  /** Differs once records or their outcomes are others. */
  getVersion(): number;
  /** What was gathered ahead. */
  readonly kept: Pick<KeptConversations, 'find'>;
}

type Listed = Awaited<ReturnType<typeof openList>>['list'];

interface OpenList extends Listed {
  readonly number: number;
  block: { readonly offset: number; readonly rows: readonly Conversation[] } | null;
  /** Lists of its clients, and of where its time went, by the id under which they are read; each has a table of its own. */
  readonly tables: Map<string, OwnTable>;
  /** Where its time went, by the zone of its steps. */
  readonly times: Map<string, ConversationTimes>;
}

interface OwnTable {
  readonly table: string;
  readonly rowCount: number;
  /** What is read of a row. */
  readonly cells: string;
}

/** The conversations of a period, `conversations` on a connection of their own, whose statements run one by one. */
interface OpenPeriod {
  readonly scopes: readonly ResolvedScope[];
  readonly period: TimeSpan;
  readonly known: KnownTime;
  readonly values: SetValues;
  readonly totalCount: number;
  readonly lists: Map<string, OpenList>;
  run<Value>(signal: AbortSignal, work: (connection: DuckDBConnection) => Promise<Value>): Promise<Value>;
  close(): void;
}

export interface ConversationViews {
  /** Lists that are open. */
  readonly size: number;
  open(question: ConversationsQuestion, signal: AbortSignal): Promise<OpenedConversations>;
  /** Rows [offset, offset + limit); fewer at the end. Throws AppError `cache.view-closed`, as all that follow do. */
  readRows(
    place: { readonly viewId: string; readonly offset: number; readonly limit: number },
    signal: AbortSignal,
  ): Promise<Conversation[]>;
  countClients(
    viewId: string,
    signal: AbortSignal,
  ): Promise<{ outcome: Conversation['outcome']; count: number }[]>;
  /**
   * Lists the clients behind the conversations of a list, each once, the one who wrote last first, to be read with
   * `readCells`.
   */
  listClients(viewId: string, signal: AbortSignal): Promise<{ resultId: string; rowCount: number }>;
  /** Measures where the time of the conversations of a list went in its period; steps are those of a zone's clock. */
  measureTimes(
    question: { readonly viewId: string; readonly zone: string },
    signal: AbortSignal,
  ): Promise<ConversationTimes>;
  /** Whether an id is that of a list of conversations or clients, or of where their time went. */
  has(resultId: string): boolean;
  /** Rows of such a list, as they are in a file. */
  readCells(
    place: { readonly resultId: string; readonly offset: number; readonly limit: number },
    signal: AbortSignal,
  ): Promise<SqlCell[][]>;
  close(viewId: string): void;
  /** Closes all that were found in records of a snapshot, since these are others now. */
  closeOf(snapshotId: number): void;
  /** Resolves once nothing is read any more. */
  closeAll(): Promise<void>;
}

/** Keeps the conversations of periods; `mark` makes the names of lists differ from those of another process. */
export function createConversationViews(
  database: EngineDatabase,
  mark: string,
  source: ConversationSource,
): ConversationViews {
  const periods = new Map<string, Promise<OpenPeriod>>();
  const owners = new Map<string, OpenPeriod>();
  let last = 0;

  const forget = (key: string): void => {
    const found = periods.get(key);
    periods.delete(key);
    void found?.then(
      (period) => {
        for (const viewId of period.lists.keys()) owners.delete(viewId);
        period.close();
      },
      () => undefined,
    );
  };
  const findPeriod = (question: ConversationsQuestion, signal: AbortSignal): Promise<OpenPeriod> => {
    const { connectionId, fromMs, toMs, known } = question;
    const key = JSON.stringify([source.getVersion(), connectionId, fromMs, toMs, known]);
    const opened = periods.get(key) ?? openPeriod(database, source, question, signal);
    periods.delete(key);
    periods.set(key, opened);
    opened.catch(() => periods.get(key) === opened && periods.delete(key));
    for (const oldest of [...periods.keys()].slice(0, -MAX_PERIODS)) forget(oldest);
    return opened;
  };
  const find = (viewId: string): { period: OpenPeriod; list: OpenList } => {
    const period = owners.get(viewId);
    const list = period?.lists.get(viewId);
    if (period === undefined || list === undefined)
      throw new AppError('cache.view-closed', 'The view is closed.', { viewId });
    return { period, list };
  };
  const findTable = (resultId: string) => {
    for (const [viewId, period] of owners) {
      const found = period.lists.get(viewId)?.tables.get(resultId);
      if (found !== undefined) return { period, ...found };
    }
    return null;
  };
  const readBlock = async (viewId: string, offset: number, limit: number, signal: AbortSignal) => {
    const { period, list } = find(viewId);
    const end = Math.min(offset + limit, list.rowCount);
    if (end <= offset) return [];
    return period.run(signal, async (connection) => {
      await list.find(connection, end);
      return readConversations(connection, period.scopes, list.table, { offset, end });
    });
  };

  return {
    get size() {
      return owners.size;
    },
    async open(question, signal) {
      const period = await findPeriod(question, signal);
      // Another list may be asked for before this one's turn comes.
      const number = ++last;
      const viewId = `conversations-${mark}-${number}`;
      const { scopes, values } = period;
      const { resolveFilter } = source;
      const opened = await period.run(signal, (connection) =>
        openList(connection, { question, scopes, values, number, resolveFilter }),
      );
      const list = { ...opened.list, number, block: null, tables: new Map(), times: new Map() };
      period.lists.set(viewId, list);
      owners.set(viewId, period);
      for (const oldest of [...period.lists.keys()].slice(0, -MAX_LISTS)) this.close(oldest);
      const { totalCount } = period;
      return { viewId, totalCount, knownUntilMs: question.known.untilMs, ...opened.found };
    },
    async readRows({ viewId, offset, limit }, signal) {
      const { list } = find(viewId);
      const isWithin =
        list.block !== null &&
        offset >= list.block.offset &&
        offset + limit <= list.block.offset + list.block.rows.length;
      if (list.block !== null && isWithin)
        return list.block.rows.slice(offset - list.block.offset, offset - list.block.offset + limit);
      // A file is written window after window: one that follows the one before is read far ahead.
      const isFollowing = list.block !== null && offset === list.block.offset + list.block.rows.length;
      const rows = await readBlock(viewId, offset, isFollowing ? Math.max(limit, BLOCK_ROWS) : limit, signal);
      list.block = { offset, rows };
      return rows.slice(0, limit);
    },
    async countClients(viewId, signal) {
      const { period, list } = find(viewId);
      const rows = await period.run(signal, (connection) =>
        countClients(connection, period.scopes, list.where),
      );
      const counts = new Map(rows);
      return CONVERSATION_OUTCOMES.map((outcome, place) => ({ outcome, count: counts.get(place) ?? 0 }));
    },
    async listClients(viewId, signal) {
      const { period, list } = find(viewId);
      const resultId = `${viewId}-clients`;
      const known = list.tables.get(resultId);
      if (known !== undefined) return { resultId, rowCount: known.rowCount };
      const table = `clients_${++last}`;
      const rowCount = await period.run(signal, (connection) =>
        listClients(connection, period.scopes, { table, where: list.shown }),
      );
      list.tables.set(resultId, { table, rowCount, cells: CLIENT_CELLS_SQL });
      return { resultId, rowCount };
    },
    async measureTimes({ viewId, zone }, signal) {
      const { period, list } = find(viewId);
      const before = list.times.get(zone);
      if (before !== undefined) return before;
      const number = ++last;
      const { scopes, known } = period;
      const { table, ...measured } = await period.run(signal, async (connection) => {
        await list.find(connection, list.rowCount);
        return measureConversationTimes(connection, {
          scopes,
          known,
          list: list.table,
          period: period.period,
          zone,
          number,
        });
      });
      const times = { ...measured, resultId: `${viewId}-times-${number}` };
      list.tables.set(times.resultId, { table, rowCount: times.rowCount, cells: TIMES_CELLS_SQL });
      list.times.set(zone, times);
      return times;
    },
    has: (resultId) => owners.has(resultId) || findTable(resultId) !== null,
    async readCells({ resultId, offset, limit }, signal) {
      const own = findTable(resultId);
      if (own === null) {
        const rows = await this.readRows({ viewId: resultId, offset, limit }, signal);
        return rows.map(toConversationCells);
      }
      return own.period.run(signal, (connection) =>
        readRows<SqlCell[]>(
          connection,
          `SELECT ${own.cells} FROM ${own.table}
           WHERE rowid >= ${offset} AND rowid < ${offset + limit} ORDER BY rowid`,
        ),
      );
    },
    close(viewId) {
      const period = owners.get(viewId);
      const list = period?.lists.get(viewId);
      owners.delete(viewId);
      period?.lists.delete(viewId);
      if (period === undefined || list === undefined) return;
      const tables = [...listTables(list.number), ...[...list.tables.values()].map(({ table }) => table)];
      period
        .run(new AbortController().signal, async (connection) => {
          for (const table of tables) await connection.run(`DROP TABLE IF EXISTS ${table}`);
        })
        .catch(() => undefined);
    },
    closeOf(snapshotId) {
      for (const [key, opened] of periods) {
        void opened.then(
          ({ scopes }) => {
            const isTouched = scopes.some(({ parts }) =>
              parts.some((part) => part.snapshotId === snapshotId),
            );
            if (isTouched) forget(key);
          },
          () => undefined,
        );
      }
    },
    async closeAll() {
      const opened = [...periods.values()];
      for (const key of [...periods.keys()]) forget(key);
      await Promise.allSettled(
        opened.map(async (one) => (await one).run(new AbortController().signal, () => Promise.resolve())),
      );
    },
  };
}

async function openPeriod(
  database: EngineDatabase,
  source: ConversationSource,
  { connectionId, fromMs, toMs, known }: ConversationsQuestion,
  signal: AbortSignal,
): Promise<OpenPeriod> {
  const connection = await database.connect();
  let running: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  const run: OpenPeriod['run'] = (ownSignal, work) => {
    const interrupt = (): void => connection.interrupt();
    const result = running.then(async () => {
      ownSignal.throwIfAborted();
      if (isClosed) throw new AppError('cache.view-closed', 'The view is closed.', {});
      ownSignal.addEventListener('abort', interrupt, { once: true });
      try {
        return await work(connection);
      } finally {
        ownSignal.removeEventListener('abort', interrupt);
      }
    });
    running = result.catch(() => undefined);
    return result;
  };
  let found: ReturnType<KeptConversations['find']> = null;
  const close = (): void => {
    // No connection may be closed under a statement.
    void running.then(() => {
      if (!isClosed) connection.closeSync();
      isClosed = true;
      found?.release();
    });
  };
  try {
    return await run(signal, async () => {
      const { span } = known;
      const scopes: ResolvedScope[] = [];
      for (const report of DETAIL_KINDS)
        scopes.push(await source.resolve(connection, { connectionId, report, ...span }));
      found = source.kept.find(connectionId, scopes, span);
      const { queries, values } = await gatherConversations(connection, scopes, { span, kept: found });
      const period = { fromMs, toMs };
      await connection.run(toConversationsSql(queries, period, known));
      const [count] = await readRows<[number]>(connection, 'SELECT count(*) FROM conversations');
      return { scopes, period, known, values, totalCount: count?.[0] ?? 0, lists: new Map(), run, close };
    });
  } catch (error) {
    close();
    throw error;
  }
}
