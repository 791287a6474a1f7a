import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { RecordOrder } from '../../src-main/common/model/records/record.ts';
import type { PeriodScope, RecordFilter } from '../../src-main/common/model/records/record-filter.ts';
import type { RulesByConnection } from '../../src-main/core/analysis/engine/engine-operations.ts';
import type { OwnTableSource } from '../../src-main/core/analysis/engine/own-values.ts';
import { ENGINE_LIMITS } from '../../src-main/core/analysis/engine/create-engine.ts';
import { FROM_MS, openTestEngine } from '../integration/cache/cache-fixture.ts';
import { measure, toTimeFigure, type BenchFigure, type BenchOptions } from './figure.ts';
import { openFilledCache } from './filled-cache.ts';

const BENCH = 'bodies';
const FIRST_GOAL_MS = 10_000;
const GOAL_MS = 1_000;
const PATH = 'payload.type';
const EXPLAIN_GOAL_MS = 3000;
const OTHER_SELECTION: RecordFilter = { conditions: [{ field: 'channel', values: [1] }] };
const ROUNDS = 3;
const OWN_ROWS = 100_000;
/** A column is filled in the background; it is waited for by asking. */
const POLL_MS = 500;
const MAX_POLLS = 400;

/** The values at a path in the bodies of `size` records, the first time and later, beside plain statements of DuckDB. */
export async function* benchBodies({ size, folder }: BenchOptions): AsyncGenerator<BenchFigure> {
  const { file, close } = await openFilledCache(size, folder);
  const table = await writeOwnTable(dirname(file));
  const rules: RulesByConnection = { outcomes: {}, families: {}, tables: { one: [table] } };
  const engine = openTestEngine(file, [], ENGINE_LIMITS, { listRules: () => rules });
  const toMs = FROM_MS + size * 1000;
  const scope = { connectionId: 'one', report: 'inbound-detail' as const, fromMs: FROM_MS, toMs };
  const question = { scope, filter: { conditions: [] } };
  const ask = () => engine.readPath({ ...question, path: PATH, limit: 5 });
  try {
    await engine.catchUp();
    await engine.restart();
    await engine.catchUp();
    const sample = await measure(() => engine.findPaths({ ...question, isExact: false }));
    yield toTimeFigure(BENCH, 'keys of a sample', sample.ms, GOAL_MS);
    const exact = await measure(() => engine.findPaths({ ...question, isExact: true }));
    yield toTimeFigure(BENCH, 'keys of all records', exact.ms);
    const first = await measure(() => ask());
    yield toTimeFigure(BENCH, 'values of a key, first use', first.ms, FIRST_GOAL_MS);
    const filled = await measure(async () => {
      // The last turn of the feed is behind the filling.
      for (let poll = 0; poll < MAX_POLLS; poll += 1) {
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
        const { ms } = await measure(() => ask());
        if (ms < first.ms / 4) return;
      }
    });
    yield toTimeFigure(BENCH, 'until the key is kept', filled.ms);
    const again = await measureQuickest(async () => (await measure(() => ask())).ms);
    yield toTimeFigure(BENCH, 'values of a key, again', again, GOAL_MS);
    const selection: RecordFilter = { conditions: [{ field: 'responseCode', classes: ['5xx'] }] };
    const explain = async (bodies: boolean): Promise<number> => {
      // The same question right after is answered from memory.
      await engine.explain({ ...question, selection: OTHER_SELECTION });
      return (await measure(() => engine.explain({ ...question, selection, bodies }))).ms;
    };
    const explained = await measureQuickest(() => explain(true));
    yield toTimeFigure(BENCH, 'a selection explained, with bodies', explained, EXPLAIN_GOAL_MS);
    const plain = await measureQuickest(() => explain(false));
    yield toTimeFigure(BENCH, 'the same without bodies', plain);
    yield* benchOwnTable(engine, question);
    await engine.close();
    yield* benchPeer(join(dirname(file), 'analysis.duckdb'));
  } finally {
    await engine.close();
    await close();
  }
}

async function measureQuickest(work: () => Promise<number>): Promise<number> {
  let quickest = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) quickest = Math.min(quickest, await work());
  return quickest;
}

async function writeOwnTable(folder: string): Promise<OwnTableSource> {
  const path = join(folder, 'own-table.json');
  const rows = Array.from({ length: OWN_ROWS }, (_, row) => [
    `00000000-0000-4000-8000-${String(row).padStart(12, '0')}`,
    `team ${row % 50}`,
  ]);
  await writeFile(path, JSON.stringify(rows));
  return {
    id: 'bench',
    name: 'Owners',
    field: 'sessionId',
    columns: ['team'],
    rowCount: OWN_ROWS,
    savedAtMs: 0,
    file: path,
  };
}

/** A table of one's own with a row for each of many sessions: its values, and the records that a condition on it finds. */
async function* benchOwnTable(
  engine: ReturnType<typeof openTestEngine>,
  question: { readonly scope: PeriodScope; readonly filter: RecordFilter },
): AsyncGenerator<BenchFigure> {
  const path = 'own.Owners.team';
  const filter: RecordFilter = { conditions: [{ field: path, values: ['team 3'] }] };
  const order: RecordOrder = [{ column: 'dateMs', descending: true }];
  const read = () => engine.readPath({ ...question, path, limit: 5 });
  const open = async (): Promise<void> => {
    const { viewId } = await engine.openView({ ...question, filter, order });
    await engine.countView(viewId);
    await engine.closeView(viewId);
  };
  await read();
  yield toTimeFigure(BENCH, `values of a table of ${OWN_ROWS} rows`, (await measure(read)).ms, GOAL_MS);
  yield toTimeFigure(BENCH, 'records found by a table', (await measure(open)).ms, GOAL_MS);
}

const SIDES = ', count(*) FILTER (response_code BETWEEN 500 AND 599)';

async function* benchPeer(file: string): AsyncGenerator<BenchFigure> {
  const instance = await DuckDBInstance.create(file, {
    threads: String(ENGINE_LIMITS.threads),
    memory_limit: `${ENGINE_LIMITS.memoryLimitMb}MB`,
  });
  const connection = await instance.connect();
  const run = async (value: string, more = ''): Promise<number> => {
    const statement = `SELECT ${value} AS value, count(*)${more} FROM inbound GROUP BY value ORDER BY 2 DESC LIMIT 5`;
    return (await measure(() => connection.runAndReadAll(statement))).ms;
  };
  try {
    const plain = "json_extract_string(CASE WHEN json_valid(payload) THEN payload END, '$.type')";
    yield toTimeFigure(BENCH, 'DuckDB alone: values of the key', await run(plain));
    yield toTimeFigure(BENCH, 'DuckDB alone: values of the key inside and outside', await run(plain, SIDES));
    await run('path_0');
    yield toTimeFigure(BENCH, 'DuckDB alone: values of a column', await run('path_0'));
    const joined = `SELECT team, count(*) FROM inbound LEFT JOIN owners ON owners.key = session_id GROUP BY team`;
    await connection.run(
      `CREATE TEMP TABLE owners AS SELECT '00000000-0000-4000-8000-' || lpad(row::VARCHAR, 12, '0') AS key,
         'team ' || row % 50 AS team FROM range(${OWN_ROWS}) AS rows(row)`,
    );
    const own = await measure(() => connection.runAndReadAll(joined));
    yield toTimeFigure(BENCH, `DuckDB alone: a table of ${OWN_ROWS} rows joined`, own.ms);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
