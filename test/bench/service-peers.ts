import Database from 'better-sqlite3';
import { measure } from './figure.ts';

/** fromMs <= date < toMs. */
export interface BenchPeriod {
  readonly fromMs: number;
  readonly toMs: number;
}

interface PeerTimes {
  readonly name: string;
  readonly times: readonly number[];
  /** Groups of each period, to be compared with the service's. */
  readonly groups: readonly number[];
}

const COLUMNS = 'date_ms, group_id, response_time_us';
const CHUNK_ROWS = 2048;

/** A plain GROUP BY over the raw tables, with the memory for pages that the service has. */
export async function timeGroupBy(file: string, periods: readonly BenchPeriod[]): Promise<PeerTimes> {
  const db = new Database(file, { readonly: true });
  try {
    db.pragma('cache_size = -16384');
    const toStatement = (table: string, latency: string) =>
      db
        .prepare<[number, number]>(
          `SELECT channel, service, origin, response_code, records, time_us, latency FROM (
             SELECT group_id, count(*) AS records, avg(response_time_us) AS time_us, ${latency} AS latency
             FROM ${table} WHERE date_ms >= ? AND date_ms < ? GROUP BY group_id) JOIN traffic_group USING (group_id)`,
        )
        .raw();
    const statements = [
      toStatement('inbound_record', 'avg(bot_latency_ms)'),
      toStatement('outbound_record', '0'),
    ];
    return await timeQueries('GROUP BY over the raw tables', periods, ({ fromMs, toMs }) =>
      statements.reduce((groups, statement) => groups + statement.all(fromMs, toMs).length, 0),
    );
  } finally {
    db.close();
  }
}

/** DuckDB over the same rows in memory; undefined where it isn't installed. */
export async function tryTimeDuckDb(
  file: string,
  periods: readonly BenchPeriod[],
): Promise<PeerTimes | undefined> {
  const duck = await import('@duckdb/node-api').catch(() => undefined);
  if (duck === undefined) return undefined;
  const connection = await (await duck.DuckDBInstance.create(':memory:')).connect();
  const source = new Database(file, { readonly: true });
  for (const [table, latency] of [
    ['inbound_record', 'bot_latency_ms'],
    ['outbound_record', '0'],
  ]) {
    await connection.run(
      `CREATE TABLE ${table} (date_ms BIGINT, group_id INTEGER, response_time_us INTEGER, latency INTEGER)`,
    );
    const appender = await connection.createAppender(table!);
    const chunk = duck.DuckDBDataChunk.create([duck.BIGINT, duck.INTEGER, duck.INTEGER, duck.INTEGER]);
    const columns: [bigint[], number[], number[], number[]] = [[], [], [], []];
    const flush = (): void => {
      chunk.setColumns(columns);
      appender.appendDataChunk(chunk);
      for (const column of columns) column.length = 0;
    };
    const rows = source.prepare<[], [number, number, number, number]>(
      `SELECT ${COLUMNS}, ${latency} FROM ${table} ORDER BY date_ms, arrival`,
    );
    for (const [dateMs, groupId, timeUs, latencyMs] of rows.raw().iterate()) {
      columns[0].push(BigInt(dateMs));
      columns[1].push(groupId);
      columns[2].push(timeUs);
      columns[3].push(latencyMs);
      if (columns[0].length === CHUNK_ROWS) flush();
    }
    if (columns[0].length > 0) flush();
    appender.closeSync();
  }
  source.close();
  const toSql = (table: string): string =>
    `SELECT group_id, count(*), avg(response_time_us), avg(latency) FROM ${table}
     WHERE date_ms >= $1 AND date_ms < $2 GROUP BY group_id`;
  const statements = [
    await connection.prepare(toSql('inbound_record')),
    await connection.prepare(toSql('outbound_record')),
  ];
  return timeQueries('DuckDB, in memory', periods, async ({ fromMs, toMs }) => {
    let groups = 0;
    for (const statement of statements) {
      statement.bindBigInt(1, BigInt(fromMs));
      statement.bindBigInt(2, BigInt(toMs));
      groups += (await statement.runAndReadAll()).getRows().length;
    }
    return groups;
  });
}

async function timeQueries(
  name: string,
  periods: readonly BenchPeriod[],
  countGroups: (period: BenchPeriod) => number | Promise<number>,
): Promise<PeerTimes> {
  const results: { value: number; ms: number }[] = [];
  for (const period of periods.slice(-2)) await countGroups(period);
  for (const period of periods) results.push(await measure(() => countGroups(period)));
  return { name, times: results.map(({ ms }) => ms), groups: results.map(({ value }) => value) };
}
