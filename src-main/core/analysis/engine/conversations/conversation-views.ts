import type { DuckDBConnection } from '@duckdb/node-api';
import { AppError } from '../../../../common/contract/errors.ts';
import type { Input } from '../../../../common/contract/index.ts';
import {
  type Conversation,
  CONVERSATION_OUTCOMES,
  type ConversationFacets,
  type ConversationOrder,
  type ConversationTimes,
  type KnownTime,
  type OpenedConversations,
  SLOWEST_PARTS,
} from '../../../../common/model/records/conversation.ts';
import type { SqlCell } from '../../../../common/model/records/sql.ts';
import { toConversationCells } from '../../../../common/exports/export-texts.ts';
import type { PeriodScope, RecordFilter } from '../../../../common/model/records/record-filter.ts';
import type { TimeSpan } from '../../../../common/time/time-span.ts';
import { DETAIL_KINDS } from '../../../../common/reporting/reports.ts';
import { toTextOrderSql } from '../../../../common/sql/view-statements.ts';
import { quoteText, readRows, toTypes, type EngineDatabase } from '../engine-database.ts';
import { toFilterSql } from '../filter-sql.ts';
import type { FilteredRecords, ResolvedScope } from '../resolved-scope.ts';
import { measureConversationTimes, TIMES_CELLS_SQL } from './conversation-times.ts';
import {
  readConversations,
  listConversationSql,
  listTimeSlices,
  readSetValues,
  type SET_FIELDS,
  type SetValues,
  MEMBER_ORDER_SQL,
  toMatchedSql,
  toMembersSql,
  toPlacedSql,
} from './conversation-sql.ts';

/** Periods whose conversations are kept, and lists of each; the ones used longest ago go first. */
const MAX_PERIODS = 3;
const MAX_LISTS = 6;
const MAX_FACET_VALUES = 50;
/** Rows that are read together where they are written to a file. */
const BLOCK_ROWS = 10_000;

/** A question about conversations, with what is known of its time. */
export type ConversationsQuestion = Omit<Input<'conversations/open'>, 'order'> & {
  readonly order: ConversationOrder;
  readonly known: KnownTime;
};

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
}

interface OpenList {
  readonly table: string;
  /** The condition on `conversations` without the chosen outcomes. */
  readonly where: string;
  readonly rowCount: number;
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

/** The conversations of a period in temporary tables of a connection of their own, whose statements run one by one. */
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

interface ConversationViews {
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
    return period.run(signal, (connection) =>
      readConversations(connection, period.scopes, list.table, { offset, end }),
    );
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
      const opened = await period.run(signal, (connection) =>
        openList(connection, source, { question, period, number }),
      );
      period.lists.set(viewId, { ...opened.list, block: null, tables: new Map(), times: new Map() });
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
        readRows<[number, number]>(
          connection,
          `SELECT own.outcome, count(DISTINCT hash(client)) FROM ${toMembersSql(period.scopes, ['client'])} AS member
           JOIN (SELECT conversation, outcome FROM conversations WHERE ${list.where}) AS own USING (conversation)
           WHERE client <> '' GROUP BY own.outcome`,
        ),
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
      const rowCount = await period.run(signal, async (connection) => {
        const [named, begun] = [`named_${table}`, `begun_${table}`];
        const own = { list: list.table };
        await connection.run(toFirstSql(period.scopes, { ...own, table: named, isNamed: true }));
        await connection.run(toFirstSql(period.scopes, { ...own, table: begun, isNamed: false }));
        await connection.run(toClientsSql(period.scopes, { table, named, begun }));
        for (const used of [named, begun]) await connection.run(`DROP TABLE ${used}`);
        const [count] = await readRows<[number]>(connection, `SELECT count(*) FROM ${table}`);
        return count?.[0] ?? 0;
      });
      list.tables.set(resultId, { table, rowCount, cells: CLIENT_CELLS_SQL });
      return { resultId, rowCount };
    },
    async measureTimes({ viewId, zone }, signal) {
      const { period, list } = find(viewId);
      const before = list.times.get(zone);
      if (before !== undefined) return before;
      const number = ++last;
      const { scopes, known } = period;
      const { table, ...measured } = await period.run(signal, (connection) =>
        measureConversationTimes(connection, {
          scopes,
          known,
          list: list.table,
          period: period.period,
          zone,
          number,
        }),
      );
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
      const tables = [
        list.table,
        list.table.replace('listed', 'matched'),
        ...[...list.tables.values()].map(({ table }) => table),
      ];
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

/** The columns of CLIENT_COLUMNS, in their order. */
const CLIENT_CELLS_SQL = `client, conversations, lost, recovered, waiting, unknown,
  strftime(epoch_ms(last_ms), '%Y-%m-%dT%H:%M:%S.%gZ'), last_outcome, channels, last_session_id`;

/** The first request of conversations that names a client, or the first of all; of those of a list, if there is one. */
function toFirstSql(
  scopes: readonly ResolvedScope[],
  { table, isNamed, list }: { readonly table: string; readonly isNamed: boolean; readonly list?: string },
): string {
  return `CREATE OR REPLACE TEMP TABLE ${table} AS
    SELECT conversation, min(${MEMBER_ORDER_SQL}) ${isNamed ? "FILTER (client <> '')" : ''} AS place
    FROM ${toMembersSql(scopes, ['client', 'record_id'])}
    ${list === undefined ? '' : `SEMI JOIN ${list} USING (conversation)`} GROUP BY conversation`;
}

/** The clients behind a list of conversations, each by the first name that its conversation has. */
function toClientsSql(
  scopes: readonly ResolvedScope[],
  { table, named, begun }: Readonly<Record<'table' | 'named' | 'begun', string>>,
): string {
  const count = (outcome: Conversation['outcome']): string =>
    `count(*) FILTER (outcome = ${CONVERSATION_OUTCOMES.indexOf(outcome)}) AS ${outcome}`;
  const names = CONVERSATION_OUTCOMES.map(quoteText).join(', ');
  return `CREATE TEMP TABLE ${table} AS
    WITH named AS (
      FROM ${toPlacedSql(scopes, { table: named, place: 'place', column: 'client' })}
      JOIN ${toPlacedSql(scopes, { table: begun, place: 'place', column: 'session_id' })} USING (conversation)
    )
    SELECT client, count(*) AS conversations, ${(['lost', 'recovered', 'waiting', 'unknown'] as const).map(count).join(', ')},
      max(last_ms) AS last_ms, [${names}][arg_max(outcome, (last_ms, conversation)) + 1] AS last_outcome,
      array_to_string(list_sort(list_distinct(list(channel))), ', ') AS channels,
      arg_max(session_id, (last_ms, conversation)) AS last_session_id
    FROM named JOIN conversations USING (conversation)
    GROUP BY client ORDER BY last_ms DESC, client`;
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
  const close = (): void => {
    // No connection may be closed under a statement.
    void running.then(() => {
      if (!isClosed) connection.closeSync();
      isClosed = true;
    });
  };
  try {
    return await run(signal, async () => {
      const scopes: ResolvedScope[] = [];
      for (const report of DETAIL_KINDS)
        scopes.push(await source.resolve(connection, { connectionId, report, ...known.span }));
      const values = await readSetValues(connection, scopes);
      const slices = await listTimeSlices(connection, scopes);
      for (const sql of listConversationSql(scopes, { fromMs, toMs }, known, { values, slices }))
        await connection.run(sql);
      const [count] = await readRows<[number]>(connection, 'SELECT count(*) FROM conversations');
      const period = { fromMs, toMs };
      return { scopes, period, known, values, totalCount: count?.[0] ?? 0, lists: new Map(), run, close };
    });
  } catch (error) {
    close();
    throw error;
  }
}

/** Opens a list of the conversations that a question is about, and counts them. */
async function openList(
  connection: DuckDBConnection,
  source: ConversationSource,
  {
    question,
    period: { scopes, values },
    number,
  }: {
    readonly question: ConversationsQuestion;
    readonly period: Pick<OpenPeriod, 'scopes' | 'values'>;
    readonly number: number;
  },
): Promise<{
  list: Omit<OpenList, 'block' | 'tables' | 'times'>;
  found: Pick<OpenedConversations, 'rowCount' | 'outcomes' | 'facets'>;
}> {
  const { filter, direction, outcomes, slowest, order, connectionId } = question;
  const looked = scopes.filter((scope) => direction === undefined || scope.direction === direction);
  const where = [await matchFilter(connection, source, { filter, scopes: looked, connectionId, number })];
  const toPlaces = (all: readonly string[], chosen: readonly string[]): string =>
    chosen.length === 0 ? '-1' : chosen.map((one) => all.indexOf(one)).join(', ');
  if (slowest !== undefined) where.push(`slow % 4 IN (${toPlaces(SLOWEST_PARTS, slowest)})`);
  const matching = where.join(' AND ');
  const shown =
    outcomes === undefined
      ? matching
      : `${matching} AND outcome IN (${toPlaces(CONVERSATION_OUTCOMES, outcomes)})`;
  const table = `listed_${number}`;
  const isByClient = order.column === 'client';
  if (isByClient) for (const sql of listClientSql(scopes)) await connection.run(sql);
  const clients = isByClient ? 'LEFT JOIN named USING (conversation) LEFT JOIN ranks USING (client)' : '';
  await connection.run(
    `CREATE TEMP TABLE ${table} AS
     SELECT conversation FROM conversations ${clients} WHERE ${shown} ORDER BY ${toOrderSql(order)}`,
  );
  if (isByClient) for (const used of CLIENT_TABLES) await connection.run(`DROP TABLE ${used}`);
  const counted = await readRows<[number, number]>(
    connection,
    `SELECT outcome, count(*) FROM conversations WHERE ${matching} GROUP BY outcome`,
  );
  const counts = new Map(counted);
  const [rows] = await readRows<[number]>(connection, `SELECT count(*) FROM ${table}`);
  return {
    list: { table, where: matching, rowCount: rows?.[0] ?? 0 },
    found: {
      rowCount: rows?.[0] ?? 0,
      outcomes: CONVERSATION_OUTCOMES.map((outcome, place) => ({ outcome, count: counts.get(place) ?? 0 })),
      facets: await readFacets(connection, shown, values),
    },
  };
}

const CLIENT_TABLES = ['firsts', 'named', 'ranks'] as const;

/** Statements that make tables of the clients of conversations anew, since an aborted question leaves some, and of their order: names are few beside conversations. */
function listClientSql(scopes: readonly ResolvedScope[]): string[] {
  const [firsts, named, ranks] = CLIENT_TABLES;
  return [
    toFirstSql(scopes, { table: firsts, isNamed: true }),
    `CREATE OR REPLACE TEMP TABLE ${named} AS FROM ${toPlacedSql(scopes, { table: firsts, place: 'place', column: 'client' })}`,
    `CREATE OR REPLACE TEMP TABLE ${ranks} AS
     SELECT client, dense_rank() OVER (ORDER BY ${toTextOrderSql('client')}) AS client_rank
     FROM (SELECT DISTINCT client FROM ${named})`,
  ];
}

/** Returns the condition that a conversation has a record which meets the filter. */
async function matchFilter(
  connection: DuckDBConnection,
  source: ConversationSource,
  {
    filter,
    scopes,
    connectionId,
    number,
  }: {
    readonly filter: RecordFilter;
    readonly scopes: readonly ResolvedScope[];
    readonly connectionId: string;
    readonly number: number;
  },
): Promise<string> {
  if (filter.conditions.length === 0) return 'true';
  const table = `matched_${number}`;
  await connection.run(`CREATE TEMP TABLE ${table} (conversation BIGINT)`);
  for (const scope of scopes) {
    const records = await source.resolveFilter(connection, { scope, filter }, connectionId);
    const where = toFilterSql(records.filter, scope.direction);
    await connection.run(
      `INSERT INTO ${table} ${toMatchedSql(scope, where)}`,
      [...where.values],
      toTypes(where.values),
    );
  }
  return `conversation IN (SELECT conversation FROM ${table})`;
}

function toOrderSql({ column, descending }: ConversationOrder): string {
  const keys: Readonly<Record<ConversationOrder['column'], readonly string[]>> = {
    start: [],
    length: ['end_ms - first_ms'],
    outcome: ['outcome'],
    channel: ['channel', 'last_channel'],
    service: ['service', 'last_service'],
    client: ['client_rank'],
    messages: ['inbound', 'outbound'],
    failures: ['failures'],
    slowest: ['slow // 4'],
  };
  const direction = descending ? 'DESC NULLS LAST' : 'ASC NULLS FIRST';
  // Where they tie, the newest comes first; the key decides the rest, always alike.
  const ties = column === 'start' ? [`first_ms ${direction}`] : ['first_ms DESC'];
  return [...keys[column].map((key) => `${key} ${direction}`), ...ties, 'conversation'].join(', ');
}

async function readFacets(
  connection: DuckDBConnection,
  where: string,
  values: SetValues,
): Promise<ConversationFacets> {
  const readNumbers = async (name: (typeof SET_FIELDS)[number]) => {
    const counts = values[name].map(
      (_value, place) => `count(*) FILTER (${name}s & ${2n ** BigInt(place)} <> 0)`,
    );
    const [[blank = 0, ...counted] = []] = await readRows<number[]>(
      connection,
      `SELECT ${[`count(*) FILTER (${name} IS NULL)`, ...counts].join(', ')} FROM conversations WHERE ${where}`,
    );
    return [
      { value: null, count: blank },
      ...values[name].map((value, place) => ({ value, count: counted[place] ?? 0 })),
    ]
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count || (a.value ?? Infinity) - (b.value ?? Infinity))
      .slice(0, MAX_FACET_VALUES);
  };
  const errors = await readRows<[string, number]>(
    connection,
    `SELECT first_pattern, count(*) AS counted FROM conversations WHERE first_pattern IS NOT NULL AND ${where}
     GROUP BY first_pattern ORDER BY counted DESC, first_pattern LIMIT ${MAX_FACET_VALUES}`,
  );
  const slowest = await readRows<[number, number]>(
    connection,
    `SELECT slow % 4 AS part, count(*) AS counted FROM conversations WHERE slow IS NOT NULL AND ${where}
     GROUP BY part ORDER BY counted DESC, part`,
  );
  return {
    channels: await readNumbers('channel'),
    services: await readNumbers('service'),
    errors: errors.map(([value, count]) => ({ value, count })),
    slowest: slowest.flatMap(([place, count]) => {
      const value = SLOWEST_PARTS[place];
      return value === undefined ? [] : [{ value, count }];
    }),
  };
}
