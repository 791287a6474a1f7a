import Database from 'better-sqlite3';
import type { RecordOrder } from '../../src-main/common/model/records/record.ts';
import type { RecordFilter } from '../../src-main/common/model/records/record-filter.ts';
import { createRecordsHandlers } from '../../src-main/core/records/records-handlers.ts';
import type { Cache } from '../../src-main/core/cache/cache.ts';
import { createFolder, FROM_MS, openTestCache, openTestEngine } from '../integration/cache/cache-fixture.ts';
import { createId, fillCache } from './fill-cache.ts';
import { insertBare } from './insert-bare.ts';
import { measure, toQuantile, toTimeFigure, type BenchFigure } from './figure.ts';

const BENCH = 'records';
const SCOPE = { snapshotId: 1 };
const WINDOWS = 300;
const WINDOW_ROWS = 100;
const ROWS_SQL =
  'SELECT r.* FROM inbound_records r WHERE r.record_id >= 4294967296 AND r.record_id < 8589934592';

interface ViewCase {
  readonly name: string;
  readonly filter: RecordFilter;
  readonly order: RecordOrder;
  readonly sql: string;
}
const CASES: readonly ViewCase[] = [
  {
    name: 'unfiltered',
    filter: { conditions: [] },
    order: [{ column: 'received', descending: true }],
    sql: 'ORDER BY r.record_id DESC',
  },
  {
    name: 'filtered',
    filter: { conditions: [{ field: 'responseCode', classes: ['4xx', '5xx'] }] },
    order: [{ column: 'received', descending: true }],
    sql: 'AND r.response_code >= 400 ORDER BY r.record_id DESC',
  },
  {
    name: 'sorted',
    filter: { conditions: [] },
    order: [{ column: 'responseTimeMs', descending: true }],
    sql: 'ORDER BY r.response_time_ms DESC, r.record_id DESC',
  },
  {
    name: 'searched',
    filter: { conditions: [{ field: 'anywhere', text: 'hello 77' }] },
    order: [{ column: 'received', descending: true }],
    sql: "AND r.payload_preview LIKE '%hello 77%' ORDER BY r.record_id DESC",
  },
];

/** Figures of the cache for `size` records, each beside bare better-sqlite3 over the same file in the same run. */
export async function benchRecords(options: { size: number }): Promise<BenchFigure[]> {
  const place = await createFolder();
  const cache = await openTestCache(place.file);
  try {
    const figures = [await benchStoring(cache, place.file, options.size)];
    const engine = openTestEngine(place.file);
    const fed = await measure(() => engine.summarise(SCOPE));
    figures.push(toTimeFigure(BENCH, 'feeding the engine anew', fed.ms));
    const records = createRecordsHandlers({ cache, engine, connections: { listSaved: () => [] } });
    const bare = new Database(place.file, { readonly: true });
    for (const view of CASES) figures.push(...(await benchView(records, bare, view, options.size)));
    bare.close();
    for (const [name, work] of [
      ['facets', () => engine.countFacets({ scope: SCOPE, filter: { conditions: [] } })],
      ['computed summary', () => engine.summarise(SCOPE)],
      ['session', () => engine.readSession({ connectionId: 'one', sessionId: createId(7), limit: 200 })],
    ] as const) {
      figures.push(toTimeFigure(BENCH, name, (await measure<unknown>(work)).ms));
    }
    await engine.close();
    return figures;
  } finally {
    await cache.close();
    await place.remove();
  }
}

async function benchStoring(cache: Cache, file: string, size: number): Promise<BenchFigure> {
  const storedMs = await fillCache(cache, size);
  const bareMs = insertBare(file);
  const rate = (ms: number): number => Math.round((size / ms) * 1000);
  return {
    bench: BENCH,
    figure: 'storing, parsing included',
    value: rate(storedMs),
    unit: 'records/s',
    peer: 'better-sqlite3 insert alone',
    peerValue: rate(bareMs),
    ratio: bareMs / storedMs,
    goal: null,
    met: null,
  };
}

async function benchView(
  records: ReturnType<typeof createRecordsHandlers>,
  bare: Database.Database,
  view: ViewCase,
  size: number,
): Promise<BenchFigure[]> {
  const { filter, order } = view;
  const statement = bare.prepare(`${ROWS_SQL} ${view.sql} LIMIT ? OFFSET ?`);
  const opened = await measure(async () => {
    const { viewId, rowCount } = await records['records/open-view']({ scope: SCOPE, filter, order });
    await records['records/read-rows']({ viewId, offset: 0, limit: WINDOW_ROWS });
    return { viewId, rowCount };
  });
  const { viewId, rowCount } = opened.value;
  const first = await measure(() => statement.all(WINDOW_ROWS, 0));
  const ours: number[] = [];
  const peers: number[] = [];
  for (let index = 0; index < WINDOWS; index += 1) {
    const start = Math.floor((((index * 7919) % 1009) / 1009) * Math.max(1, rowCount - WINDOW_ROWS));
    const read = () => records['records/read-rows']({ viewId, offset: start, limit: WINDOW_ROWS });
    ours.push((await measure(async () => read())).ms);
    // The peer is slow: a tenth of the windows says as much.
    if (index % 10 === 0) peers.push((await measure(() => statement.all(WINDOW_ROWS, start))).ms);
  }
  const histogram = await measure(async () =>
    records['records/read-histogram']({
      scope: SCOPE,
      filter,
      fromMs: FROM_MS,
      toMs: FROM_MS + size * 1000,
      zone: 'UTC',
      maxBuckets: 120,
      split: 'class',
      withMedian: false,
    }),
  );
  await records['records/close-view']({ viewId });
  const peer = 'better-sqlite3 LIMIT/OFFSET';
  const window = (share: number, label: string): BenchFigure =>
    toTimeFigure(BENCH, `${view.name}: window, ${label} of ${WINDOWS}`, toQuantile(ours, share), 100, {
      name: peer,
      valueMs: toQuantile(peers, share),
    });
  const openGoal = view.name === 'unfiltered' ? 300 : null;
  return [
    toTimeFigure(BENCH, `${view.name}: open and first rows`, opened.ms, openGoal, {
      name: peer,
      valueMs: first.ms,
    }),
    window(0.5, 'median'),
    window(0.99, 'p99'),
    toTimeFigure(BENCH, `${view.name}: histogram`, histogram.ms),
  ];
}
