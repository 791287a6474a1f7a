import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { ENGINE_LIMITS } from '../../src-main/core/analysis/engine/create-engine.ts';
import { createConversationsHandlers } from '../../src-main/core/records/records-handlers.ts';
import {
  createFolder,
  FROM_MS,
  openTestCache,
  openTestEngine,
  toOutbound,
  type TestDocument,
} from '../integration/cache/cache-fixture.ts';
import { openLedger } from '../support/fakes/open-ledger.ts';
import { createDocuments, fillCache } from './fill-cache.ts';
import { measure, toTimeFigure, type BenchFigure, type BenchOptions } from './figure.ts';

const BENCH = 'times';
const ALL = { conditions: [] };

/**
 * Where the time of the conversations of `size` cached records of each direction went, beside a plain statement over the
 * same tables that sorts each conversation by itself.
 */
export async function* benchTimes({ size }: BenchOptions): AsyncGenerator<BenchFigure> {
  const place = await createFolder();
  const cache = await openTestCache(place.file);
  try {
    await fillCache(cache, size);
    await fillCache(cache, size, { report: 'outbound-detail' }, (from, count) =>
      createDocuments(from, count).map((document: TestDocument) =>
        toOutbound({ ...document, Date: new Date(Date.parse(document.Date) + 5).toISOString() }, '700'),
      ),
    );
    const engine = openTestEngine(place.file, [], ENGINE_LIMITS);
    const handlers = createConversationsHandlers({
      ledger: openLedger(cache),
      engine,
      connections: { get: (id) => ({ id }) as never },
    });
    try {
      await engine.catchUp();
      const period = { fromMs: FROM_MS, toMs: FROM_MS + size * 1000 };
      const order = { column: 'start', descending: true } as const;
      const opened = await measure(() =>
        handlers['conversations/open']({ connectionId: 'one', ...period, filter: ALL, order }),
      );
      yield toTimeFigure(BENCH, 'conversations of the period', opened.ms);
      const { viewId } = opened.value;
      const first = await measure(() => handlers['conversations/read-times']({ viewId, zone: 'UTC' }));
      await engine.close();
      const peerMs = await measurePeer(join(dirname(place.file), 'analysis.duckdb'));
      yield toTimeFigure(BENCH, 'where their time went', first.ms, null, {
        name: 'DuckDB alone',
        valueMs: peerMs,
      });
    } finally {
      await engine.close();
    }
  } finally {
    await cache.close();
    await place.remove();
  }
}

/** The same parts by hour, channel and service, each conversation sorted by itself. */
async function measurePeer(file: string): Promise<number> {
  const instance = await DuckDBInstance.create(file, {
    access_mode: 'READ_ONLY',
    threads: String(ENGINE_LIMITS.threads),
    memory_limit: `${ENGINE_LIMITS.memoryLimitMb}MB`,
  });
  const connection = await instance.connect();
  try {
    const { ms } = await measure(() => connection.runAndReadAll(PEER_SQL));
    return ms;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const PEER_SQL = `WITH members AS (
  SELECT session_id, date_ms::DOUBLE AS at_ms, true AS is_inbound, channel, service,
    response_time_ms AS took_ms, bot_latency_ms AS late_ms FROM inbound
  UNION ALL SELECT session_id, date_ms, false, channel, service, response_time_ms, NULL FROM outbound
), worked AS (
  SELECT *, max(CASE WHEN is_inbound THEN at_ms + took_ms END)
    OVER (PARTITION BY session_id ORDER BY at_ms RANGE UNBOUNDED PRECEDING) AS work_end FROM members
), events AS (
  SELECT session_id, at_ms, channel, service, CASE WHEN is_inbound THEN at_ms + took_ms END AS work,
    NULL AS late, CASE WHEN NOT is_inbound AND work_end > at_ms THEN least(at_ms + took_ms, work_end) END AS served,
    CASE WHEN NOT is_inbound THEN at_ms + took_ms END AS ran FROM worked
  UNION ALL SELECT session_id, at_ms + took_ms, channel, service, NULL, NULL, NULL, NULL FROM members WHERE took_ms > 0
  UNION ALL SELECT session_id, at_ms - late_ms, channel, service, NULL, at_ms, NULL, NULL FROM members WHERE late_ms > 0
), states AS (
  SELECT at_ms, channel, service, lead(at_ms) OVER w AS until_ms, max(work) OVER w AS work, max(served) OVER w AS served,
    max(late) OVER w AS late, max(ran) OVER w AS ran
  FROM events WINDOW w AS (PARTITION BY session_id ORDER BY at_ms)
)
SELECT at_ms // 3600000 AS hour, channel, service,
  CASE WHEN served > at_ms THEN 2 WHEN work > at_ms THEN 1 WHEN late > at_ms THEN 0 WHEN ran > at_ms THEN 4 ELSE 5 END AS part,
  sum(until_ms - at_ms) FROM states WHERE until_ms > at_ms GROUP BY ALL`;
