import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Input } from '../../../src-main/common/contract/index.ts';
import { CONVERSATION_COLUMNS } from '../../../src-main/common/exports/export-texts.ts';
import type { Conversation } from '../../../src-main/common/model/records/conversation.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import type { Engine } from '../../../src-main/core/analysis/engine/create-engine.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import { createConversationsHandlers } from '../../../src-main/core/records/records-handlers.ts';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import { openLedger } from '../../support/fakes/open-ledger.ts';
import { createFolder, fillSnapshot, openTestCache, openTestEngine } from '../cache/cache-fixture.ts';
import {
  countOutcomes,
  simulateConversations,
  walkConversations,
  type SentRecord,
  type Simulated,
} from './simulated-conversations.ts';

const COUNT = Number(process.env['CONVERSATIONS'] ?? 600);
/** Of a million of them, on a machine that others use. */
const PATIENCE_MS = 600_000 + COUNT * 3;
const GAPS = Number(process.env['CONVERSATION_GAPS'] ?? 4);
const GAP_COUNT = 150;
const HOUR_MS = 3_600_000;
const FROM_MS = Date.UTC(2026, 10, 20);
const ALL: Input<'conversations/open'>['filter'] = { conditions: [] };

let cache: Cache;
let engine: Engine;
let handlers: ReturnType<typeof createConversationsHandlers>;
let close: () => Promise<void>;
beforeAll(async () => {
  const place = await createFolder();
  cache = await openTestCache(place.file);
  engine = openTestEngine(place.file, [], { memoryLimitMb: 256, threads: 2 });
  handlers = createConversationsHandlers({
    ledger: openLedger(cache),
    engine,
    connections: { get: (id) => ({ id }) as never },
  });
  close = async () => {
    await engine.close();
    await cache.close();
    await place.remove();
  };
});
afterAll(() => close());

const write = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

/** Caches what a report has in each span, as a download of its own. */
async function keep(
  connectionId: string,
  direction: 'inbound' | 'outbound',
  records: readonly SentRecord[],
  spans: readonly TimeSpan[],
): Promise<void> {
  for (const { fromMs, toMs } of spans) {
    const own = records.filter(({ Date: date }) => Date.parse(date) >= fromMs && Date.parse(date) < toMs);
    const period = {
      startDate: write(fromMs),
      endDate: write(toMs - 1000),
      fromMs,
      toMs: toMs - 1000,
      zone: 'UTC',
    };
    const startedAtMs = toMs + 10 * 86_400_000;
    await fillSnapshot(
      cache,
      own,
      { connectionId, report: `${direction}-detail`, period, startedAtMs },
      5000,
    );
  }
}

async function keepBoth(
  connectionId: string,
  simulated: Simulated,
  read: readonly [readonly TimeSpan[], readonly TimeSpan[]],
): Promise<void> {
  await keep(connectionId, 'inbound', simulated.inbound, read[0]);
  await keep(connectionId, 'outbound', simulated.outbound, read[1]);
}

const NEWEST = { column: 'start', descending: true } as const;

async function open(
  connectionId: string,
  { fromMs, toMs }: TimeSpan,
  question: Partial<Input<'conversations/open'>> = {},
) {
  return handlers['conversations/open']({
    connectionId,
    fromMs,
    toMs,
    filter: ALL,
    order: NEWEST,
    ...question,
  });
}

async function readAll({ viewId, rowCount }: { viewId: string; rowCount: number }): Promise<Conversation[]> {
  const rows: Conversation[] = [];
  for (let offset = 0; offset < rowCount; offset += 500)
    rows.push(...(await handlers['conversations/read-rows']({ viewId, offset, limit: 500 })));
  return rows;
}

const toId = (id: string): string => (id.length === 36 ? id.toLowerCase() : id);

function toWalked({
  outcome,
  inbound,
  outbound,
  failures,
  firstMs,
  lastMs,
  channels,
  services,
}: Conversation) {
  return { outcome, inbound, outbound, failures, firstMs, lastMs, channels, services };
}

describe('conversations that were simulated', { timeout: PATIENCE_MS }, () => {
  const whole = { fromMs: FROM_MS, toMs: FROM_MS + 24 * HOUR_MS };
  const simulated = simulateConversations(COUNT, 7, whole);
  beforeAll(async () => {
    await keepBoth('whole', simulated, [[whole], [whole]]);
    await engine.catchUp();
    // Of many records they are kept, as the application does once nothing was fed for a while.
    await engine.keepConversations(null);
  }, PATIENCE_MS);

  it('each has the outcome that it was made with, and counts equal a plain walk over all records', async () => {
    const opened = await open('whole', whole);
    expect(opened.outcomes).toEqual(countOutcomes(simulated.truth.values()));
    expect(opened.totalCount).toBe(COUNT);
    expect(opened.knownUntilMs).toBe(whole.toMs);
    const walked = walkConversations(simulated, whole, [[whole], [whole]]);
    const rows = await readAll(opened);
    expect(new Set(rows.map(({ sessionId }) => toId(sessionId))).size).toBe(COUNT);
    for (const row of rows) {
      const id = toId(row.sessionId);
      expect([id, toWalked(row)]).toEqual([id, walked.get(id)]);
      expect([id, row.outcome]).toEqual([id, simulated.truth.get(id)]);
    }
  });

  it('a period shows every conversation that goes on in it, whole, and not cut at its edges', async () => {
    const longest = [...walkConversations(simulated, whole, [[whole], [whole]]).values()]
      .filter(({ firstMs }) => firstMs > whole.fromMs + HOUR_MS && firstMs < whole.toMs - 3 * HOUR_MS)
      .reduce((best, one) => (one.lastMs - one.firstMs > best.lastMs - best.firstMs ? one : best));
    const middleMs = Math.ceil((longest.firstMs + longest.lastMs) / 2000) * 1000;
    const part = { fromMs: middleMs, toMs: middleMs + 2 * HOUR_MS };
    const rows = await readAll(await open('whole', part));
    const walked = walkConversations(simulated, part, [[whole], [whole]]);
    expect(rows.map(({ sessionId }) => toId(sessionId)).toSorted()).toEqual([...walked.keys()].toSorted());
    for (const row of rows) {
      const id = toId(row.sessionId);
      expect([id, toWalked(row)]).toEqual([id, walked.get(id)]);
      expect([id, row.outcome]).toEqual([id, simulated.truth.get(id)]);
    }
    const starts = rows.map(({ firstMs }) => firstMs);
    expect(starts).toEqual(starts.toSorted((a, b) => b - a));
    expect(starts.some((atMs) => atMs < part.fromMs)).toBe(true);
  });

  it('outcomes, facets, clients and a filter on records leave what a walk finds', async () => {
    const walked = walkConversations(simulated, whole, [[whole], [whole]]);
    const records = [...simulated.inbound, ...simulated.outbound];
    const has = (test: (record: SentRecord) => boolean): Set<string> =>
      new Set(records.filter(test).map(({ Id }) => toId(Id)));
    const opened = await open('whole', whole, {
      filter: { conditions: [{ field: 'service', values: [9] }] },
      outcomes: ['lost', 'waiting'],
      order: { column: 'failures', descending: false },
    });
    const ofService = has(({ Service }) => Service === 9);
    const chosen = [...walked].filter(
      ([id, { outcome }]) => ofService.has(id) && (outcome === 'lost' || outcome === 'waiting'),
    );
    const rows = await readAll(opened);
    expect(chosen.length).toBeGreaterThan(3);
    expect(rows.map(({ sessionId }) => toId(sessionId)).toSorted()).toEqual(
      chosen.map(([id]) => id).toSorted(),
    );
    expect(opened.outcomes).toEqual(
      countOutcomes([...walked].flatMap(([id, { outcome }]) => (ofService.has(id) ? [outcome] : []))),
    );
    const count = (name: 'channels' | 'services'): Record<string, number> => {
      const counts: Record<string, number> = {};
      for (const [, one] of chosen) for (const value of one[name]) counts[value] = (counts[value] ?? 0) + 1;
      return counts;
    };
    const toCounts = (listed: readonly { readonly value: number | null; readonly count: number }[]) =>
      Object.fromEntries(listed.map(({ value, count: own }) => [String(value), own]));
    expect(toCounts(opened.facets.channels)).toEqual(count('channels'));
    expect(toCounts(opened.facets.services)).toEqual(count('services'));
    const clients = await handlers['conversations/count-clients']({ viewId: opened.viewId });
    const ofLost = new Set(
      records
        .filter(({ Id }) => ofService.has(toId(Id)) && walked.get(toId(Id))?.outcome === 'lost')
        .map(({ Client }) => Client),
    );
    expect(clients.find(({ outcome }) => outcome === 'lost')?.count).toBe(ofLost.size);
    const failures = rows.map((row) => row.failures);
    expect(failures).toEqual(failures.toSorted((a, b) => a - b));
  });

  it('a filter on the records of one direction leaves those of the other one out', async () => {
    const filter = { conditions: [{ field: 'outcome' as const, values: ['failed'] }] };
    const walk = (records: readonly SentRecord[]): string[] =>
      [
        ...new Set(
          records
            .filter(({ Error, ReponseCode }) => Error !== '' || ReponseCode >= 400)
            .map(({ Id }) => toId(Id)),
        ),
      ].toSorted();
    for (const direction of ['inbound', 'outbound'] as const) {
      const rows = await readAll(await open('whole', whole, { filter, direction }));
      expect(rows.map(({ sessionId }) => toId(sessionId)).toSorted()).toEqual(walk(simulated[direction]));
    }
  });

  it('a row says the first error, the slowest part and whether the last message had no answer', async () => {
    const opened = await open('whole', whole, { outcomes: ['lost'] });
    const rows = await readAll(opened);
    const bySession = new Map<string, (SentRecord & { isInbound: boolean })[]>();
    for (const [isInbound, records] of [
      [true, simulated.inbound],
      [false, simulated.outbound],
    ] as const)
      for (const record of records)
        bySession.set(toId(record.Id), [...(bySession.get(toId(record.Id)) ?? []), { ...record, isInbound }]);
    for (const row of rows) {
      const own = (bySession.get(toId(row.sessionId)) ?? []).toSorted(
        (a, b) => Date.parse(a.Date) - Date.parse(b.Date) || Number(a.isInbound) - Number(b.isInbound),
      );
      const failed = own.find(({ Error, ReponseCode }) => Error !== '' || ReponseCode >= 400);
      expect(row.firstError).toMatchObject({ text: failed?.Error ?? '', code: failed?.ReponseCode });
      expect(row.client).toBe(own[0]?.Client);
      expect(row.ticks).toEqual(
        own.slice(0, 60).map(({ Date: date, isInbound, Error, ReponseCode }) => ({
          atMs: Date.parse(date),
          isInbound,
          isFailed: Error !== '' || ReponseCode >= 400,
        })),
      );
      const times: { part: Conversation['slowestPart']; ms: number }[] = own.flatMap((one) => [
        ...(one.isInbound
          ? [{ part: 'before' as const, ms: one.BotLatency ?? 0 }]
          : [
              {
                part: one.ActionId === '-1' ? ('sending' as const) : ('service' as const),
                ms: one.ReponseTime,
              },
            ]),
      ]);
      const sum = (isInbound: boolean): number =>
        own.filter((one) => one.isInbound === isInbound).reduce((all, one) => all + one.ReponseTime, 0);
      if (sum(true) > 2 * sum(false))
        times.push({
          part: 'connector',
          ms: Math.max(...own.filter((one) => one.isInbound).map(({ ReponseTime }) => ReponseTime)),
        });
      expect(row.slowestMs).toBeCloseTo(Math.max(...times.map(({ ms }) => ms)), 3);
    }
    const isAnsweredAfter = rows.filter(({ isUnanswered }) => !isUnanswered);
    expect(isAnsweredAfter.length).toBeGreaterThan(0);
  });

  it('clients behind lost conversations are listed once each, and written to a file', async () => {
    const walked = walkConversations(simulated, whole, [[whole], [whole]]);
    const opened = await open('whole', whole, { outcomes: ['lost'] });
    const counts = new Map<string, number>();
    const clientOf = new Map(
      [...simulated.inbound, ...simulated.outbound].map(({ Id, Client }) => [toId(Id), Client]),
    );
    for (const [id, { outcome }] of walked)
      if (outcome === 'lost')
        counts.set(clientOf.get(id) ?? '', (counts.get(clientOf.get(id) ?? '') ?? 0) + 1);
    const read = async () => {
      const list = await handlers['conversations/list-clients']({ viewId: opened.viewId });
      const packed = await engine.packSqlRows({ resultId: list.resultId, offset: 0, limit: 100_000 });
      const rows = JSON.parse(Buffer.from(packed).toString()) as (string | number)[][];
      expect(rows.length).toBe(list.rowCount);
      return { ...list, rows };
    };
    const named = await read();
    expect(new Map(named.rows.map(([client, , lost]) => [client, lost]))).toEqual(counts);
    const dates = named.rows.map(([, , , , , , last]) => String(last));
    expect(dates).toEqual(dates.toSorted().toReversed());
    const columns = CONVERSATION_COLUMNS.map(({ name, type }) => ({ name, type }));
    const file = await engine.writeResult({
      resultId: opened.viewId,
      places: columns.map((_column, place) => place),
      columns,
      about: '{}',
    });
    expect(file.rowCount).toBe(opened.rowCount);
  });

  it('lists that are opened at the same moment have their own conversations each', async () => {
    const questions: Partial<Input<'conversations/open'>>[] = [
      {},
      { outcomes: ['lost'] },
      { outcomes: ['fine'] },
    ];
    const opened = await Promise.all(questions.map((question) => open('whole', whole, question)));
    const alone = [];
    for (const question of questions) alone.push(await open('whole', whole, question));
    expect(await Promise.all(opened.map(readAll))).toEqual(await Promise.all(alone.map(readAll)));
  });

  it('a list that was closed is said to be closed', async () => {
    const { viewId } = await open('whole', whole);
    await handlers['conversations/close']({ viewId });
    await expect(handlers['conversations/read-rows']({ viewId, offset: 0, limit: 10 })).rejects.toMatchObject(
      {
        code: 'cache.view-closed',
      },
    );
  });
});

describe('gaps', () => {
  const whole = { fromMs: FROM_MS, toMs: FROM_MS + 12 * HOUR_MS };
  const simulated = simulateConversations(GAP_COUNT, 11, whole);
  const random = createRandom(3);

  it.each(Array.from({ length: GAPS }, (_none, place) => place))(
    'gap %i turns outcomes into unknown, never anything into lost',
    async (place) => {
      const fromMs = FROM_MS + 1000 * Math.floor((random() * (whole.toMs - whole.fromMs)) / 1000);
      const lengthMs = 1000 * Math.ceil(random() * random() * 3 * 3600);
      const toMs = Math.min(whole.toMs, fromMs + lengthMs);
      const holed = [
        { fromMs: whole.fromMs, toMs: fromMs },
        { fromMs: toMs, toMs: whole.toMs },
      ].filter((span) => span.toMs > span.fromMs);
      const read: [TimeSpan[], TimeSpan[]] = random() < 0.5 ? [holed, [whole]] : [[whole], holed];
      const connectionId = `gap ${place}`;
      await keepBoth(connectionId, simulated, read);
      const rows = await readAll(await open(connectionId, whole));
      const cached = {
        inbound: simulated.inbound.filter(({ Date: date }) => isIn(read[0], Date.parse(date))),
        outbound: simulated.outbound.filter(({ Date: date }) => isIn(read[1], Date.parse(date))),
      };
      const walked = walkConversations(cached, whole, read);
      const truth = walkConversations(simulated, whole, [[whole], [whole]]);
      expect(rows.length).toBe(walked.size);
      for (const row of rows) {
        const id = toId(row.sessionId);
        expect([id, toWalked(row)]).toEqual([id, walked.get(id)]);
        const before = truth.get(id)?.outcome;
        // Where the end is what is missing, the newest known moment is another one: conversations wait there.
        const isCut = toMs === whole.toMs;
        if (row.outcome !== before)
          expect(isCut ? ['unknown', 'waiting'] : ['unknown']).toContain(row.outcome);
      }
    },
    120_000,
  );

  it('nothing is known of a conversation while one direction was never fetched', async () => {
    await keep('inbound only', 'inbound', simulated.inbound, [whole]);
    const opened = await open('inbound only', whole);
    expect(opened.knownUntilMs).toBeNull();
    expect(opened.outcomes.filter(({ count }) => count > 0).map(({ outcome }) => outcome)).toEqual([
      'unknown',
    ]);
  }, 60_000);
});

function isIn(spans: readonly TimeSpan[], atMs: number): boolean {
  return spans.some(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs);
}
