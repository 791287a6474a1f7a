import type { DuckDBAppender, DuckDBConnection } from '@duckdb/node-api';
import { joinJsonTexts, type JsonTexts } from '../../../../common/json.ts';
import type { Snapshot } from '../../../../common/model/cache/snapshot.ts';
import { toEndMs } from '../../../../common/model/period.ts';
import type { PeriodScope } from '../../../../common/model/records/record-filter.ts';
import type { SqlQuestion, SqlTableCounts } from '../../../../common/model/records/sql.ts';
import { isSummaryKind, type Direction } from '../../../../common/reporting/reports.ts';
import {
  type ClockOffset,
  listClockOffsets,
  quoteText,
  toClockText,
} from '../../../../common/sql/filter-statement.ts';
import {
  CONNECTION_COLUMNS,
  ERROR_FAMILY_COLUMN,
  listSqlTables,
  SQL_TABLES,
  UTC_COLUMN,
  type SqlColumnType,
  type SqlTable,
} from '../../../../common/sql/sql-tables.ts';
import { countRecords } from '../count-records.ts';
import { readRows } from '../engine-database.ts';
import type { OwnColumn } from '../own-values.ts';
import { OUTCOME_COLUMN, PATTERN_COLUMN } from '../engine-tables.ts';
import { toSharedSql, toSourceSql, type ResolvedScope } from '../resolved-scope.ts';
import type { EngineSource } from '../resolve-scope.ts';

const ALL = { sql: 'true', values: [] };
const TYPES: Readonly<Record<SqlColumnType, string>> = {
  timestamp: 'TIMESTAMP',
  integer: 'BIGINT',
  double: 'DOUBLE',
  text: 'VARCHAR',
};
/** What asks for the present time, as a timestamp of the shown clock. */
const CLOCKS = ['now', 'get_current_timestamp', 'transaction_timestamp', 'current_localtimestamp'];

type TableName = SqlTable['name'];
type Value = string | number | null;

/** A connection whose rows the tables have. */
interface SqlOwner {
  readonly id: string;
  readonly name: string;
}

/** What a statement is asked of, with the names of all connections where there are several; the first is its own. */
export type OwnedQuestion = Omit<SqlQuestion, 'text' | 'otherConnectionIds'> & {
  readonly owners?: readonly SqlOwner[];
};

/**
 * Makes the tables that a statement names, for its connections alone: records are seen through views of their period,
 * the few rows of the others are copied. Times are timestamps of the shown clock, so that hours and days are cut where
 * that clock cuts them.
 */
export async function makeTables(options: {
  readonly connection: DuckDBConnection;
  readonly question: OwnedQuestion;
  readonly names: ReadonlySet<string>;
  /** Rejects at once when the statement is cancelled, though records may have to be fed first. */
  readonly resolve: (scope: PeriodScope) => Promise<ResolvedScope>;
  readonly source: Pick<EngineSource, 'listSnapshots' | 'readSummary' | 'listStatus'>;
  /** Columns of a person's own tables that the statement names. */
  listOwnColumns(direction: Direction): Promise<readonly OwnColumn[]>;
  readonly nowMs: number;
}): Promise<void> {
  const { connection, question, names, resolve, source, listOwnColumns, nowMs } = options;
  const { fromMs, toMs, zone, withoutTexts = false } = question;
  const owners = listOwners(question);
  for (const direction of ['inbound', 'outbound'] as const) {
    if (!names.has(direction)) continue;
    const report = `${direction}-detail` as const;
    const scopes: ResolvedScope[] = [];
    for (const { id } of owners) scopes.push(await resolve({ connectionId: id, report, fromMs, toMs }));
    await makeRecords(connection, direction, {
      scopes,
      owners: question.owners ?? null,
      offsets: listClockOffsets(fromMs, toMs, zone),
      withoutTexts,
      ownColumns: withoutTexts || owners.length > 1 ? [] : await listOwnColumns(direction),
    });
  }
  const isOfSeveral = question.owners !== undefined;
  if (names.has('summaries') && !withoutTexts)
    await fill(
      connection,
      { name: 'summaries', isOfSeveral },
      listOwned(question, (own) => listSummaries(source, own)),
    );
  if (names.has('status') && !withoutTexts)
    await fill(
      connection,
      { name: 'status', isOfSeveral },
      listOwned(question, (own) => listStatus(source, own)),
    );
  const now = `TIMESTAMP '${toClockText(nowMs, zone)}'`;
  for (const name of CLOCKS) await connection.run(`CREATE TEMP MACRO ${name}() AS ${now}`);
  for (const name of ['current_date', 'today']) {
    await connection.run(`CREATE TEMP MACRO ${name}() AS CAST(${now} AS DATE)`);
  }
}

function listOwners({ connectionId, owners }: Pick<OwnedQuestion, 'connectionId' | 'owners'>) {
  return owners ?? [{ id: connectionId, name: '' }];
}

/** The rows of each connection, which they begin with where there are several. */
function* listOwned(
  question: OwnedQuestion,
  list: (own: OwnedQuestion) => Iterable<readonly Value[]>,
): Generator<readonly Value[]> {
  for (const { id, name } of listOwners(question))
    for (const row of list({ ...question, connectionId: id }))
      yield question.owners === undefined ? row : [name, id, ...row];
}

/** Counts the rows that each table has for a statement, of all its connections. */
export async function countTables(
  connection: DuckDBConnection,
  { otherConnectionIds = [], ...question }: Omit<SqlQuestion, 'text' | 'zone'>,
  resolve: (scope: PeriodScope) => Promise<ResolvedScope>,
  source: Pick<EngineSource, 'listSnapshots' | 'countStatus'>,
): Promise<SqlTableCounts> {
  const { fromMs, toMs } = question;
  const sum = { inbound: 0, outbound: 0, summaries: 0, status: 0 };
  for (const connectionId of [question.connectionId, ...otherConnectionIds]) {
    for (const direction of ['inbound', 'outbound'] as const) {
      const report = `${direction}-detail` as const;
      sum[direction] += await countRecords(connection, await resolve({ connectionId, report, fromMs, toMs }));
    }
    for (const { recordCount } of listReported(source, { ...question, connectionId }))
      sum.summaries += recordCount;
    sum.status += source.countStatus(connectionId, fromMs, toMs - 1);
  }
  return sum;
}

async function makeRecords(
  connection: DuckDBConnection,
  direction: Direction,
  {
    scopes,
    owners,
    offsets,
    withoutTexts,
    ownColumns,
  }: {
    /** One for each connection, in their order. */
    readonly scopes: readonly ResolvedScope[];
    /** Null where rows don't say which connection they are of. */
    readonly owners: readonly SqlOwner[] | null;
    readonly offsets: readonly ClockOffset[];
    readonly withoutTexts: boolean;
    readonly ownColumns: readonly OwnColumn[];
  },
): Promise<void> {
  const columns = SQL_TABLES.find(({ name }) => name === direction)?.columns ?? [];
  const own = columns.filter(({ type }) => !withoutTexts || type !== 'text').map(({ name }) => name);
  const [, , ...fields] = own.filter((name) => name !== ERROR_FAMILY_COLUMN && name !== OUTCOME_COLUMN.name);
  const [[catalog] = ['']] = await readRows<[string]>(connection, 'SELECT current_database()');
  // The name alone would be that of the view itself.
  const table = `"${catalog.replaceAll('"', '""')}".main.${direction}`;
  const read = [
    'date_ms',
    ...fields,
    PATTERN_COLUMN.name,
    OUTCOME_COLUMN.name,
    ...ownColumns.map(({ sql, sqlName }) => `${sql} AS "${sqlName}"`),
  ];
  const ownerNames = owners === null ? [] : CONNECTION_COLUMNS.map(({ name }) => name);
  const labelled = (owners ?? []).flatMap(({ id, name }, place) => {
    const scope = scopes[place];
    return scope === undefined ? [] : [{ scope, labels: [quoteText(name), quoteText(id)] }];
  });
  const [scope = { direction, parts: [] }] = scopes;
  const source =
    owners === null
      ? toSourceSql(scope, read, ALL, table)
      : `(SELECT ${[...ownerNames, ...read].join(', ')} FROM ${toSharedSql(table, labelled, ownerNames)})`;
  const selected = [
    ...ownerNames,
    `epoch_ms(date_ms + ${toOffsetSql(offsets)}) AS date`,
    `epoch_ms(date_ms) AS ${UTC_COLUMN}`,
    ...fields,
    ...(withoutTexts ? [] : [`${PATTERN_COLUMN.name} AS ${ERROR_FAMILY_COLUMN}`]),
    // A text like any other, to whoever writes statements.
    `${OUTCOME_COLUMN.name}::VARCHAR AS ${OUTCOME_COLUMN.name}`,
    ...ownColumns.map(({ sqlName }) => `"${sqlName}"`),
  ];
  await connection.run(`CREATE TEMP VIEW ${direction} AS SELECT ${selected.join(', ')} FROM ${source}`);
}

function toOffsetSql(offsets: readonly ClockOffset[]): string {
  const [first, ...later] = offsets;
  if (later.length === 0) return String(first?.offsetMs ?? 0);
  const cases = later
    .toReversed()
    .map(({ fromMs, offsetMs }) => `WHEN date_ms >= ${fromMs} THEN ${offsetMs}`);
  return `CASE ${cases.join(' ')} ELSE ${first?.offsetMs ?? 0} END`;
}

/** Reported summaries that lie in the period; of those for the same period the newest. */
function listReported(
  source: Pick<EngineSource, 'listSnapshots'>,
  { connectionId, fromMs, toMs }: Omit<OwnedQuestion, 'zone'>,
): Snapshot[] {
  const seen = new Set<string>();
  return source.listSnapshots(connectionId).filter(({ report, period, state }) => {
    if (!isSummaryKind(report) || state !== 'complete') return false;
    if (period.fromMs < fromMs || toEndMs(period) > toMs) return false;
    const key = `${report} ${period.fromMs} ${period.toMs}`;
    const isNewest = !seen.has(key);
    seen.add(key);
    return isNewest;
  });
}

function* listSummaries(
  source: Pick<EngineSource, 'listSnapshots' | 'readSummary'>,
  question: OwnedQuestion,
): Generator<readonly Value[]> {
  for (const snapshot of listReported(source, question)) {
    const { report, period, fetchedAtMs } = snapshot;
    const direction = report.startsWith('inbound') ? 'inbound' : 'outbound';
    const times = [period.fromMs, toEndMs(period), fetchedAtMs].map((atMs) =>
      atMs === null ? null : toClockText(atMs, question.zone),
    );
    for (const group of source.readSummary(snapshot).groups) {
      yield [
        direction,
        ...times,
        group.channel,
        group.service,
        group.origin,
        group.responseCode,
        group.count,
        group.averageResponseTimeMs,
        group.averageBotLatencyMs,
        group.sessionId,
        toJson(group.extra),
      ];
    }
  }
}

function* listStatus(
  source: Pick<EngineSource, 'listStatus'>,
  { connectionId, fromMs, toMs, zone }: OwnedQuestion,
): Generator<readonly Value[]> {
  for (const sample of source.listStatus(connectionId, fromMs, toMs - 1)) {
    yield [
      toClockText(sample.checkedAtMs, zone),
      sample.platform,
      sample.connector,
      sample.roundTripMs,
      sample.internalResponseTimeMs,
      sample.sessions,
      sample.traffic.length > 0 ? JSON.stringify(sample.traffic) : sample.trafficText,
      sample.failure,
      toJson(sample.extra?.fields),
    ];
  }
}

function toJson(fields: JsonTexts | undefined): string | null {
  return fields === undefined ? null : joinJsonTexts(Object.entries(fields));
}

/** Values of each row are in the order of the table's columns. */
async function fill(
  connection: DuckDBConnection,
  { name, isOfSeveral }: { readonly name: TableName; readonly isOfSeveral: boolean },
  rows: Iterable<readonly Value[]>,
): Promise<void> {
  const columns = listSqlTables(isOfSeveral).find((table) => table.name === name)?.columns ?? [];
  // Rows come as text, since a time is told from its text once and for all; a table in between holds them.
  const texts = columns.map((column) => `${column.name} VARCHAR`).join(', ');
  await connection.run(`CREATE TEMP TABLE received_${name} (${texts})`);
  const appender = await connection.createAppender(`received_${name}`, 'main', 'temp');
  for (const row of rows) appendRow(appender, row);
  appender.closeSync();
  const typed = columns.map((column) => `CAST(${column.name} AS ${TYPES[column.type]}) AS ${column.name}`);
  await connection.run(`CREATE TEMP TABLE ${name} AS SELECT ${typed.join(', ')} FROM received_${name}`);
  await connection.run(`DROP TABLE temp.received_${name}`);
}

function appendRow(appender: DuckDBAppender, row: readonly Value[]): void {
  for (const value of row) {
    if (value === null) appender.appendNull();
    else appender.appendVarchar(String(value));
  }
  appender.endRow();
}
