import { readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { ENGINE_LIMITS } from '../../src-main/core/analysis/engine/create-engine.ts';
import type { Cache } from '../../src-main/core/cache/cache.ts';
import type { FieldCondition } from '../../src-main/common/model/records/record-filter.ts';
import type { RecordOrder } from '../../src-main/common/model/records/record.ts';
import { createRecordsHandlers } from '../../src-main/core/records/records-handlers.ts';
import { FROM_MS, openTestEngine } from '../integration/cache/cache-fixture.ts';
import {
  measure,
  toMemoryFigure,
  toQuantile,
  toTimeFigure,
  type BenchFigure,
  type BenchOptions,
} from './figure.ts';
import { createId } from './fill-cache.ts';
import { openFilledCache } from './filled-cache.ts';

const BENCH = 'explore';
const ROWS = 100;
const WINDOWS = 300;
const PEER = 'SQL on SQLite';
const NEWEST: RecordOrder = [{ column: 'received', descending: true }];
const ORDERS: readonly (readonly [RecordOrder[number]['column'], string])[] = [
  ['dateMs', 'date_ms'],
  ['client', 'client'],
  ['responseTimeMs', 'response_time_ms'],
  ['error', 'error'],
];
/** Goals in milliseconds by size; none for other sizes. */
const GOALS: Readonly<Record<number, Readonly<Record<string, number>>>> = {
  1_000_000: {
    median: 3,
    p99: 15,
    filtered: 60,
    sorted: 120,
    search: 100,
    counted: 250,
    histogram: 40,
    facets: 60,
    families: 150,
  },
  10_000_000: {
    median: 3,
    p99: 20,
    filtered: 200,
    sorted: 400,
    search: 250,
    counted: 2500,
    histogram: 150,
    facets: 250,
    families: 1500,
  },
};

/** Questions about `size` cached records, each beside plain SQL on the table that SQLite keeps, in the same run. */
export async function* benchExplore({ size, folder }: BenchOptions): AsyncGenerator<BenchFigure> {
  const { cache, file, close } = await openFilledCache(size, folder);
  try {
    // A cache that was kept has an engine's file beside it.
    await rm(join(dirname(file), 'analysis.duckdb'), { force: true });
    yield* askQuestions(cache, file, size);
  } finally {
    await close();
  }
}

async function* askQuestions(cache: Cache, file: string, size: number): AsyncGenerator<BenchFigure> {
  const goals = GOALS[size] ?? {};
  const engine = openTestEngine(file, [], ENGINE_LIMITS);
  try {
    const scope = { snapshotId: 1 };
    const everything = { conditions: [] };
    const records = createRecordsHandlers({ cache, engine, connections: { listSaved: () => [] } });
    yield toTimeFigure(BENCH, 'feeding anew', (await measure(() => engine.summarise(scope))).ms);
    yield toMemoryFigure(BENCH, 'engine, most memory while fed', readChild());
    // As the application does after a long feed.
    await engine.restart();
    yield toSize('cache.sqlite', file, size);
    yield toSize('analysis.duckdb', join(dirname(file), 'analysis.duckdb'), size);
    const bare = new Database(file, { readonly: true });
    const ask = (sql: string): number => {
      const startedMs = performance.now();
      bare.prepare(sql).all();
      return performance.now() - startedMs;
    };
    const compare = (figure: string, ms: number, goal: string, sql: string): BenchFigure =>
      toTimeFigure(BENCH, figure, ms, goals[goal] ?? null, { name: PEER, valueMs: ask(sql) });
    const open = (conditions: FieldCondition[], order: RecordOrder) =>
      measure(async () => {
        const { viewId } = await records['records/open-view']({
          scope,
          filter: { conditions },
          order,
        });
        await records['records/read-rows']({ viewId, offset: 0, limit: ROWS });
        return viewId;
      });
    /** As the window does: a view is closed when another takes its place. */
    const openOnce = async (...question: Parameters<typeof open>): Promise<number> => {
      const { value, ms } = await open(...question);
      await records['records/close-view']({ viewId: value });
      return ms;
    };

    const { value: viewId } = await open([], NEWEST);
    const windows: number[] = [];
    const jump = (index: number): number => Math.floor((((index * 7919) % 1009) / 1009) * (size - ROWS));
    for (let index = 0; index < WINDOWS; index += 1) {
      const place = { viewId, offset: jump(index), limit: ROWS };
      windows.push((await measure(async () => records['records/read-rows'](place))).ms);
    }
    const anywhere = `SELECT * FROM inbound_records ORDER BY record_id DESC LIMIT 100 OFFSET ${jump(500)}`;
    yield compare('window of 100 rows, median', toQuantile(windows, 0.5), 'median', anywhere);
    yield compare('window of 100 rows, p99', toQuantile(windows, 0.99), 'p99', anywhere);

    await records['records/close-view']({ viewId });
    const failedMs = await openOnce([{ field: 'responseCode', classes: ['5xx'] }], NEWEST);
    yield compare(
      ...(['filtered view, first rows', failedMs, 'filtered'] as const),
      'SELECT * FROM inbound_records WHERE response_code >= 500 ORDER BY record_id DESC LIMIT 100',
    );
    for (const [column, name] of ORDERS) {
      const ms = await openOnce([], [{ column, descending: true }]);
      const sql = `SELECT * FROM inbound_records ORDER BY ${name} DESC LIMIT 100`;
      yield compare(`order by ${column}, first rows`, ms, 'sorted', sql);
    }
    const found = await measure(async () => {
      const first = await open([{ field: 'payload', text: 'hello 77' }], NEWEST);
      await records['records/count-view']({ viewId: first.value });
      return first;
    });
    const search = "SELECT count(*) FROM inbound_records WHERE payload_preview LIKE '%hello 77%'";
    yield compare(
      'search in payloads, first rows',
      found.value.ms,
      'search',
      `${search.replace('count(*)', '*')} ORDER BY record_id DESC LIMIT 100`,
    );
    yield compare('search in payloads, count', found.ms, 'counted', search);
    const span = { fromMs: FROM_MS, toMs: FROM_MS + size * 1000, zone: 'UTC', maxBuckets: 120 };
    const readHistogram = async () =>
      records['records/read-histogram']({
        scope,
        filter: everything,
        ...span,
        split: 'class',
        withMedian: false,
      });
    // What a search has read of the texts takes the place of everything else in the engine's memory.
    const afterSearch = await measure(readHistogram);
    yield toTimeFigure(BENCH, 'histogram, right after a search', afterSearch.ms);
    yield compare(
      ...(['histogram, median of 5', await measureMedian(readHistogram), 'histogram'] as const),
      `SELECT date_ms / ${size * 10} AS b, response_code / 100 AS c, count(*) FROM inbound_records GROUP BY b, c`,
    );
    const facetsMs = await measureMedian(() => engine.countFacets({ scope, filter: everything }));
    yield compare(
      ...(['all facets, median of 5', facetsMs, 'facets'] as const),
      'SELECT channel, count(*) FROM inbound_records GROUP BY channel',
    );
    const familiesMs = await measureMedian(() =>
      engine.findErrorFamilies({ scope, filter: everything, period: span }),
    );
    yield compare(
      ...(['error families, median of 5', familiesMs, 'families'] as const),
      'SELECT error, count(*) FROM inbound_records GROUP BY error',
    );
    const session = { connectionId: 'one', sessionId: createId(7 * 7919), limit: 200 };
    const sessionMs = (await measure(() => engine.readSession(session))).ms;
    yield compare(
      ...(['session', sessionMs, ''] as const),
      `SELECT * FROM inbound_records WHERE session_id = '${session.sessionId}'`,
    );
    bare.close();
    yield toMemoryFigure(BENCH, 'engine, most memory', readChild());
    yield toMemoryFigure(BENCH, 'this process, most memory', process.pid);
  } finally {
    await engine.close();
  }
}

async function measureMedian(ask: () => Promise<unknown>): Promise<number> {
  const spans: number[] = [];
  for (let round = 0; round < 5; round += 1) spans.push((await measure(ask)).ms);
  return toQuantile(spans, 0.5);
}

function toSize(name: string, file: string, size: number): BenchFigure {
  const value = Math.round(statSync(file).size / size);
  const rest = { peer: null, peerValue: null, ratio: null, goal: null, met: null };
  return { bench: BENCH, figure: name, value, unit: 'bytes/record', ...rest };
}

/** The process that this one started. */
function readChild(): number {
  return Number(readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').split(' ')[0]);
}
