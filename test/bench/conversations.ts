import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Input } from '../../src-main/common/contract/index.ts';
import type { RecordFilter } from '../../src-main/common/model/records/record-filter.ts';
import { ENGINE_LIMITS } from '../../src-main/core/analysis/engine/create-engine.ts';
import { createConversationsHandlers } from '../../src-main/core/records/records-handlers.ts';
import {
  FROM_MS,
  openTestEngine,
  toNewSnapshot,
  toOutbound,
  type TestDocument,
} from '../integration/cache/cache-fixture.ts';
import { openLedger } from '../support/fakes/open-ledger.ts';
import { createDocuments, fillCache, scatter } from './fill-cache.ts';
import { measure, toTimeFigure, type BenchFigure, type BenchOptions } from './figure.ts';
import { openFilledCache } from './filled-cache.ts';

const BENCH = 'conversations';
const PEER = 'DuckDB alone';
const ROWS = 100;
const ROUNDS = 3;
const ALL = { conditions: [] };
/** Goals in milliseconds, of 10,000,000 records. */
const FIRST_GOAL_MS = 1000;
const NEXT_GOAL_MS = 1500;

/**
 * The conversations of `size` cached records, half of them of each direction: listed, filtered and sorted, and where their
 * time went; beside plain statements over the same tables.
 */
export async function* benchConversations({ size, folder }: BenchOptions): AsyncGenerator<BenchFigure> {
  const half = Math.floor(size / 2);
  const { period: told } = toNewSnapshot({}, size);
  const { cache, file, close } = await openFilledCache(half, folder, { period: told }, (from, count) =>
    createEveryOther(from, count, 0),
  );
  let engine = openTestEngine(file, [], ENGINE_LIMITS);
  try {
    if ((await cache.listSnapshots('one')).length < 2)
      await fillCache(cache, half, { period: told, report: 'outbound-detail' }, (from, count) =>
        createEveryOther(from, count, 1).map((document) => toOutbound(document, '700')),
      );
    const connections = { get: (id: string) => ({ id }) as never };
    let handlers = createConversationsHandlers({ ledger: openLedger(cache), engine, connections });
    await engine.catchUp();
    // As the application does after a long feed.
    await engine.restart();
    await engine.catchUp();
    const period = { fromMs: FROM_MS, toMs: FROM_MS + size * 1000 };
    let viewId = '';
    const open = async (question: Pick<Input<'conversations/open'>, 'filter' | 'order'>): Promise<number> => {
      const { ms } = await measure(async () => {
        ({ viewId } = await handlers['conversations/open']({ connectionId: 'one', ...period, ...question }));
        await handlers['conversations/read-rows']({ viewId, offset: 0, limit: ROWS });
      });
      return ms;
    };
    const newest = { filter: ALL, order: { column: 'start', descending: true } } as const;
    // As the application does once nothing was fed for a while.
    const kept = await measure(() => engine.keepConversations(null));
    const first = await open(newest);
    const again = await measureQuickest(() => open(newest));
    const filter: RecordFilter = { conditions: [{ field: 'responseCode', classes: ['5xx'] }] };
    const filtered = await measureQuickest(() =>
      open({ filter, order: { column: 'length', descending: true } }),
    );
    const byClient = await measureQuickest(() =>
      open({ filter: ALL, order: { column: 'client', descending: false } }),
    );
    await open(newest);
    const clients = await measure(() => handlers['conversations/count-clients']({ viewId }));
    await engine.close();
    const engineFile = join(dirname(file), 'analysis.duckdb');
    const peers = await askPeer(engineFile, async (_ask, quickest) => ({
      listed: await quickest(`${LISTED_SQL} GROUP BY session_id ORDER BY first_ms DESC LIMIT ${ROWS}`),
      filtered: await quickest(
        `${LISTED_SQL} GROUP BY session_id HAVING count(*) FILTER (response_code BETWEEN 500 AND 599) > 0
         ORDER BY max(date_ms) - min(date_ms) DESC LIMIT ${ROWS}`,
      ),
      byClient: await quickest(`${LISTED_SQL} GROUP BY session_id ORDER BY min(client) LIMIT ${ROWS}`),
      outcomes: await quickest(
        `SELECT last_outcome, failures > 0, count(*) FROM (
           SELECT arg_max(outcome, date_ms) AS last_outcome, count(*) FILTER (outcome = 'failed') AS failures
           FROM ${MEMBERS_SQL} GROUP BY session_id) GROUP BY ALL`,
      ),
    }));
    const compare = (figure: string, ms: number, goalMs: number | null, valueMs: number): BenchFigure =>
      toTimeFigure(BENCH, figure, ms, goalMs, { name: PEER, valueMs });
    yield toTimeFigure(BENCH, 'gathered ahead, in the background', kept.ms);
    yield compare(
      'first rows with all counts, first use',
      first,
      FIRST_GOAL_MS,
      peers.listed + peers.outcomes,
    );
    yield compare('the same, period known', again, FIRST_GOAL_MS, peers.listed + peers.outcomes);
    yield compare(
      'filtered by code, sorted by length',
      filtered,
      NEXT_GOAL_MS,
      peers.filtered + peers.outcomes,
    );
    yield compare('sorted by client', byClient, NEXT_GOAL_MS, peers.byClient + peers.outcomes);
    yield compare('clients by outcome', clients.ms, NEXT_GOAL_MS, peers.outcomes);
    engine = openTestEngine(file, [], ENGINE_LIMITS);
    handlers = createConversationsHandlers({ ledger: openLedger(cache), engine, connections });
    await engine.catchUp();
    await open(newest);
    const times = await measure(() => handlers['conversations/read-times']({ viewId, zone: 'UTC' }));
    await engine.close();
    // A plain statement over as many may need more memory than the engine is given.
    const peerMs = await askPeer(engineFile, (ask) => ask(PEER_SQL)).catch(() => null);
    yield peerMs === null
      ? toTimeFigure(BENCH, 'where their time went, no memory for DuckDB alone', times.ms)
      : compare('where their time went', times.ms, null, peerMs);
  } finally {
    await engine.close();
    await close();
  }
}

/**
 * One of two records that follow each other, so that a session has as many of either direction: a message through the
 * channel of its session, or a request of one of five services, every 50th failed.
 */
function createEveryOther(from: number, count: number, place: 0 | 1): TestDocument[] {
  const documents = createDocuments(from * 2, count * 2).filter((_document, index) => index % 2 === place);
  return documents.map((document, at): TestDocument => {
    const index = (from + at) * 2 + place;
    const isFailed = scatter(index) % 50 === 0;
    return {
      ...document,
      Channel: Math.floor(index / 6) % 3,
      Service: place === 0 ? 10 : 20 + (scatter(index + 7) % 5),
      ReponseCode: isFailed ? 504 : 200,
      Error: isFailed ? `Timed out after ${scatter(index) % 9000} ms` : '',
    };
  });
}

async function measureQuickest(work: () => Promise<number>): Promise<number> {
  let quickest = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) quickest = Math.min(quickest, await work());
  return quickest;
}

type Ask = (sql: string) => Promise<number>;

/** Asks plain SQL, in a process without the application; the engine has let go of its file. */
async function askPeer<Value>(
  file: string,
  work: (ask: Ask, quickest: Ask) => Promise<Value>,
): Promise<Value> {
  const instance = await DuckDBInstance.create(file, {
    access_mode: 'READ_ONLY',
    threads: String(ENGINE_LIMITS.threads),
    memory_limit: `${ENGINE_LIMITS.memoryLimitMb}MB`,
    temp_directory: join(dirname(file), 'peer-spill'),
  });
  const connection = await instance.connect();
  const ask: Ask = async (sql) => (await measure(() => connection.runAndReadAll(sql))).ms;
  try {
    return await work(ask, (sql) => measureQuickest(() => ask(sql)));
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const MEMBERS_SQL = `(
  SELECT session_id, date_ms, channel, service, client, response_code, response_time_ms, outcome FROM inbound
  UNION ALL SELECT session_id, date_ms, channel, service, client, response_code, response_time_ms, outcome FROM outbound)`;
const LISTED_SQL = `SELECT session_id, min(date_ms) AS first_ms, max(date_ms), count(*), count(*) FILTER (outcome = 'failed'),
  min(channel), min(service), max(response_time_ms) FROM ${MEMBERS_SQL}`;
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
