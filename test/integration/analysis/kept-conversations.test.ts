import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, describe, expect, it } from 'vitest';
import type { Input } from '../../../src-main/common/contract/index.ts';
import type { Conversation } from '../../../src-main/common/model/records/conversation.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import type { RulesByConnection } from '../../../src-main/core/analysis/engine/engine-operations.ts';
import { findAdded } from '../../../src-main/core/analysis/engine/conversations/kept-conversations.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import { createConversationsHandlers } from '../../../src-main/core/records/records-handlers.ts';
import { openLedger } from '../../support/fakes/open-ledger.ts';
import { createRandom } from '../../support/samples/schema-values.ts';
import { createFolder, fillSnapshot, openTestCache, openTestEngine } from '../cache/cache-fixture.ts';
import { simulateConversations, type SentRecord } from './simulated-conversations.ts';

/** KEPT_ROUNDS asks for more than the continuous checks try. */
const ROUNDS = Number(process.env['KEPT_ROUNDS'] ?? 6);
const HOUR_MS = 3_600_000;
const FROM_MS = Date.UTC(2026, 10, 20);
const WHOLE = { fromMs: FROM_MS, toMs: FROM_MS + 72 * HOUR_MS };
const LIMITS = { memoryLimitMb: 256, threads: 2 };
const ALL: Input<'conversations/open'>['filter'] = { conditions: [] };
const write = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

async function openCache(): Promise<{ cache: Cache; file: string }> {
  const place = await createFolder();
  const cache = await openTestCache(place.file);
  open.push({ close: () => place.remove() }, cache);
  return { cache, file: place.file };
}

/** An engine over the cache: one that keeps conversations of any connection, or one that never does. */
function openEngine(cache: Cache, file: string, rules: () => RulesByConnection, isKeeping: boolean) {
  const keptLimits = isKeeping ? { records: 1, added: 1 } : { records: Infinity, added: Infinity };
  const engine = openTestEngine(
    file,
    [],
    { ...LIMITS, ...{ keptLimits } },
    {
      engineFile: join(dirname(file), isKeeping ? 'kept.duckdb' : 'plain.duckdb'),
      listRules: rules,
    },
  );
  open.push(engine);
  const handlers = createConversationsHandlers({
    ledger: openLedger(cache),
    engine,
    connections: { get: (id) => ({ id }) as never },
  });
  return { engine, handlers };
}

type Handlers = ReturnType<typeof openEngine>['handlers'];

async function list(
  handlers: Handlers,
  question: Partial<Input<'conversations/open'>> & TimeSpan,
): Promise<{ opened: object; rows: Conversation[] }> {
  const { viewId, ...opened } = await handlers['conversations/open']({
    connectionId: 'one',
    filter: ALL,
    order: { column: 'start', descending: true },
    ...question,
  });
  const rows: Conversation[] = [];
  for (let offset = 0; offset < opened.rowCount; offset += 500)
    rows.push(...(await handlers['conversations/read-rows']({ viewId, offset, limit: 500 })));
  return { opened, rows };
}

/** Caches some records as one download of a span. */
async function keep(
  cache: Cache,
  direction: 'inbound' | 'outbound',
  records: readonly SentRecord[],
  { fromMs, toMs }: TimeSpan,
  startedAtMs: number,
): Promise<number> {
  const own = records.filter(({ Date: date }) => Date.parse(date) >= fromMs && Date.parse(date) < toMs);
  const period = {
    startDate: write(fromMs),
    endDate: write(toMs - 1000),
    fromMs,
    toMs: toMs - 1000,
    zone: 'UTC',
  };
  return fillSnapshot(
    cache,
    own,
    { connectionId: 'one', report: `${direction}-detail`, period, startedAtMs },
    5000,
  );
}

describe('conversations that are kept', () => {
  it(
    'are those that are gathered from the records, whatever comes, goes or is decided otherwise',
    { tags: 'long', timeout: 60_000 + ROUNDS * 30_000 },
    async () => {
      const random = createRandom(17);
      const below = (limit: number): number => Math.floor(random() * limit);
      const { cache, file } = await openCache();
      let rules: RulesByConnection = { outcomes: {}, families: {}, tables: {} };
      const kept = openEngine(cache, file, () => rules, true);
      const plain = openEngine(cache, file, () => rules, false);
      const both = [kept, plain];
      const simulated = simulateConversations(700, 23, WHOLE);
      const drawSpan = (hours: number): TimeSpan => {
        const fromMs = FROM_MS + below(72 - hours) * HOUR_MS;
        return { fromMs, toMs: fromMs + (1 + below(hours)) * HOUR_MS };
      };
      const drawDirection = () => (below(2) === 0 ? ('inbound' as const) : ('outbound' as const));
      let startedAtMs = WHOLE.toMs + 10 * 24 * HOUR_MS;
      const ids: number[] = [];
      const add = async (
        direction: 'inbound' | 'outbound',
        span: TimeSpan,
        records: readonly SentRecord[],
      ) => {
        startedAtMs += HOUR_MS;
        ids.push(await keep(cache, direction, records, span, startedAtMs));
      };
      const day = { fromMs: WHOLE.fromMs, toMs: WHOLE.toMs - 24 * HOUR_MS };
      await add('inbound', day, simulated.inbound);
      await add('outbound', day, simulated.outbound);
      for (let round = 0; round < ROUNDS; round += 1) {
        const step = below(5);
        if (step === 0) {
          // What overlaps other downloads has fewer records, or more, at some moments.
          const direction = drawDirection();
          const records = simulated[direction].filter(() => below(10) > 0);
          await add(direction, drawSpan(20), records);
        } else if (step === 1) {
          const direction = drawDirection();
          await add(
            direction,
            { fromMs: day.toMs, toMs: day.toMs + (1 + below(20)) * HOUR_MS },
            simulated[direction],
          );
        } else if (step === 2 && ids.length > 3) {
          const [id = 0] = ids.splice(2 + below(ids.length - 2), 1);
          await cache.removeSnapshots({ snapshotIds: [id], nowMs: startedAtMs });
        } else if (step === 3) {
          const service = 1 + below(3);
          const own = [
            { outcome: 'expected' as const, services: [service] },
            { outcome: 'ok' as const, codes: [[0, 499] as const] },
            { outcome: 'failed' as const },
          ];
          rules = { ...rules, outcomes: { one: { inbound: own, outbound: own } as never } };
          for (const { engine } of both) await engine.noteRules();
        }
        for (const { engine } of both) await engine.catchUp();
        if (below(3) > 0) await kept.engine.keepConversations(null);
        if (below(4) === 0) await kept.engine.restart();
        const orders = ['start', 'length', 'client', 'service', 'failures', 'slowest'] as const;
        for (const span of [WHOLE, drawSpan(30), drawSpan(4)]) {
          const question = {
            ...span,
            filter:
              below(2) === 0 ? ALL : { conditions: [{ field: 'service' as const, values: [1 + below(3)] }] },
            order: { column: orders[below(orders.length)]!, descending: below(2) === 0 },
          };
          expect([round, step, await list(kept.handlers, question)]).toEqual([
            round,
            step,
            await list(plain.handlers, question),
          ]);
        }
      }
    },
  );

  it('are read after a restart, and the lists of an earlier moment go on', async () => {
    const { cache, file } = await openCache();
    const rules: RulesByConnection = { outcomes: {}, families: {}, tables: {} };
    const simulated = simulateConversations(60, 5, WHOLE);
    const half = { fromMs: WHOLE.fromMs, toMs: WHOLE.fromMs + 36 * HOUR_MS };
    const rest = { fromMs: half.toMs, toMs: WHOLE.toMs };
    for (const direction of ['inbound', 'outbound'] as const)
      await keep(cache, direction, simulated[direction], half, WHOLE.toMs);
    const { engine, handlers } = openEngine(cache, file, () => rules, true);
    await engine.catchUp();
    await engine.keepConversations(null);
    const before = await handlers['conversations/open']({
      connectionId: 'one',
      ...WHOLE,
      filter: ALL,
      order: { column: 'start', descending: true },
    });
    const read = () => handlers['conversations/read-rows']({ viewId: before.viewId, offset: 0, limit: 100 });
    const first = await read();
    for (const direction of ['inbound', 'outbound'] as const)
      await keep(cache, direction, simulated[direction], rest, WHOLE.toMs + HOUR_MS);
    await engine.catchUp();
    await engine.keepConversations(null);
    expect(await read()).toEqual(first);
    await engine.close();
    // What is kept is what is shown: no record says so.
    const kept = join(dirname(file), 'kept.duckdb');
    const instance = await DuckDBInstance.create(kept);
    const connection = await instance.connect();
    const tables = await connection.runAndReadAll(
      "SELECT table_name FROM duckdb_tables() WHERE table_name LIKE 'conversations\\_%' ESCAPE '\\'",
    );
    const names = tables.getRows().map(([name]) => String(name));
    for (const name of names) await connection.run(`UPDATE ${name} SET failures = 77`);
    connection.closeSync();
    instance.closeSync();
    expect((await readFile(kept)).length).toBeGreaterThan(0);
    const next = openEngine(cache, file, () => rules, true);
    const { rows } = await list(next.handlers, WHOLE);
    expect(rows.length).toBe(60);
    expect(new Set(rows.map(({ failures }) => failures))).toEqual(new Set([77]));
    // Another rule makes others of them.
    const own = [{ outcome: 'ok' as const }];
    Object.assign(rules, { outcomes: { one: { inbound: own, outbound: own } } });
    await next.engine.noteRules();
    const decided = await list(next.handlers, WHOLE);
    expect(new Set(decided.rows.map(({ failures }) => failures))).toEqual(new Set([0]));
  }, 120_000);
});

describe('what came since conversations were kept', () => {
  const kept = { snapshotId: 1, recordCount: 10, spans: [{ fromMs: 0, toMs: 100 }], firstMs: 5, lastMs: 95 };
  const part = { snapshotId: 1, recordCount: 10, spans: null, withUndated: true };
  const span = { fromMs: 0, toMs: 1000 };

  it('is nothing of the same records, however their moments are said', () => {
    expect(findAdded([kept], [part], span)).toEqual([]);
    const halves = [
      { ...part, spans: [{ fromMs: 0, toMs: 50 }] },
      { ...part, spans: [{ fromMs: 50, toMs: 100 }] },
    ];
    expect(findAdded([kept], halves, span)).toEqual([]);
    expect(
      findAdded([kept], [{ ...part, spans: [{ fromMs: 20, toMs: 60 }] }], { fromMs: 20, toMs: 60 }),
    ).toEqual([]);
  });

  it('is what was added at the end of a download, and other downloads', () => {
    const longer = { ...part, recordCount: 12, spans: [{ fromMs: 0, toMs: 200 }] };
    const other = { ...part, snapshotId: 2 };
    expect(findAdded([kept], [longer, other], span)).toEqual([
      { ...longer, fromSeq: 10 },
      { ...other, fromSeq: 0 },
    ]);
  });

  it('is not known where records count no more, or others do', () => {
    expect(findAdded([kept], [], span)).toBeNull();
    expect(findAdded([kept], [{ ...part, spans: [{ fromMs: 0, toMs: 50 }] }], span)).toBeNull();
    expect(findAdded([kept], [{ ...part, recordCount: 9 }], span)).toBeNull();
    const divided = { ...kept, spans: [{ fromMs: 0, toMs: 50 }] };
    expect(findAdded([divided], [part], span)).toBeNull();
    // What is outside of the span doesn't matter.
    expect(
      findAdded([divided], [{ ...part, spans: [{ fromMs: 0, toMs: 40 }] }], { fromMs: 0, toMs: 40 }),
    ).toEqual([]);
  });
});
