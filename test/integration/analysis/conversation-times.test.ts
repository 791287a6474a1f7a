import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TIMES_COLUMNS } from '../../../src-main/common/exports/export-texts.ts';
import {
  type Conversation,
  type SessionRequest,
  TIME_PARTS,
  type TimePart,
} from '../../../src-main/common/model/records/conversation.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import type { Engine } from '../../../src-main/core/analysis/engine/create-engine.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import { createConversationsHandlers } from '../../../src-main/core/records/records-handlers.ts';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import {
  createSessionAxis,
  listMessages,
  measureTimes,
} from '../../../src-renderer/screens/session/session.ts';
import { openLedger } from '../../support/fakes/open-ledger.ts';
import { makeRequest } from '../../unit/renderer/session/make-request.ts';
import { createFolder, fillSnapshot, openTestCache, openTestEngine } from '../cache/cache-fixture.ts';
import { simulateConversations, type SentRecord } from './simulated-conversations.ts';

const COUNT = Number(process.env['CONVERSATIONS'] ?? 2_500);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const FROM_MS = Date.UTC(2026, 10, 20);
const NO_FILTER = { conditions: [] };
const NEWEST = { column: 'start', descending: true } as const;

type Sent = Partial<SentRecord> & Pick<SentRecord, 'Id' | 'Date'>;

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

const toId = (id: string): string => (id.length === 36 ? id.toLowerCase() : id);
const write = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

/** Caches what a report has in each span, as a download of its own. */
async function keep(
  connectionId: string,
  direction: 'inbound' | 'outbound',
  records: readonly Sent[],
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
    const startedAtMs = toMs + 10 * 24 * HOUR_MS;
    await fillSnapshot(
      cache,
      own,
      { connectionId, report: `${direction}-detail`, period, startedAtMs },
      5000,
    );
  }
}

async function read(connectionId: string, { fromMs, toMs }: TimeSpan, filter = NO_FILTER) {
  const opened = await handlers['conversations/open']({ connectionId, fromMs, toMs, filter, order: NEWEST });
  const times = await handlers['conversations/read-times']({ viewId: opened.viewId, zone: 'UTC' });
  return { opened, times };
}

type Sums = Record<TimePart, number>;
const toSums = (parts: readonly number[]): Sums =>
  Object.fromEntries(TIME_PARTS.map((part, place) => [part, parts[place] ?? 0])) as Sums;

/** The requests of sessions as their screens have them. */
function toSessions(inbound: readonly Sent[], outbound: readonly Sent[]): Map<string, SessionRequest[]> {
  const sessions = new Map<string, SessionRequest[]>();
  for (const [direction, records] of [['inbound', inbound] as const, ['outbound', outbound] as const]) {
    for (const [seq, record] of records.entries()) {
      const id = toId(record.Id);
      const own = sessions.get(id) ?? [];
      sessions.set(id, own);
      own.push(
        makeRequest({
          direction,
          seq,
          dateMs: Date.parse(record.Date),
          responseTimeMs: record.ReponseTime ?? null,
          botLatencyMs: direction === 'inbound' ? (record.BotLatency ?? null) : null,
        }),
      );
    }
  }
  for (const own of sessions.values()) own.sort((a, b) => a.dateMs - b.dateMs);
  return sessions;
}

/** What the screen of each session shows, added up. */
function addUp(
  sessions: Iterable<readonly SessionRequest[] | undefined>,
  outboundGaps: readonly TimeSpan[] = [],
): Sums {
  const sums = toSums([]);
  for (const requests of sessions) {
    const { beforeMs, insideMs, serviceMs, unknownMs } = measureTimes(
      listMessages(requests ?? []),
      outboundGaps,
    );
    const { beginMs, endMs, busyMs } = createSessionAxis(requests ?? [], false);
    sums.before += beforeMs;
    sums.inside += insideMs;
    sums.service += serviceMs;
    sums.unknown += unknownMs;
    sums.outside += busyMs - beforeMs - insideMs - serviceMs - unknownMs;
    sums.waiting += endMs - beginMs - busyMs;
  }
  return sums;
}

function expectEqual(found: Sums, expected: Sums): void {
  for (const part of TIME_PARTS) {
    // Times have fractions, which are added in another order.
    expect([part, Math.abs(found[part] - expected[part]) <= 0.001 + expected[part] * 1e-9]).toEqual([
      part,
      true,
    ]);
  }
}

/** Makes simulated sessions as odd as real ones: messages that overlap, missing times, one direction only. */
function disturb(records: readonly SentRecord[], seed: number): Sent[] {
  const random = createRandom(seed);
  return records.flatMap((record): Sent[] => {
    const odd: Sent = { ...record };
    const drawn = random();
    if (drawn < 0.05) delete odd.ReponseTime;
    else if (drawn < 0.1) odd.ReponseTime = -1;
    else if (drawn < 0.2) odd.ReponseTime = Math.round(random() * 90_000_000) / 1000;
    else if (drawn < 0.22) odd.ReponseTime = 0;
    if (random() < 0.1) delete odd.BotLatency;
    if (random() < 0.1) odd.BotLatency = Math.floor(random() * 200_000);
    if (random() < 0.05) odd.Date = new Date(Math.floor(Date.parse(record.Date) / 1000) * 1000).toISOString();
    if (random() < 0.03) odd.Service = 1 + Math.floor(random() * 9);
    return random() < 0.08 ? [] : [odd];
  });
}

describe('where the time of conversations went', () => {
  const whole = { fromMs: FROM_MS, toMs: FROM_MS + 24 * HOUR_MS };
  const around = { fromMs: FROM_MS - 2 * HOUR_MS, toMs: FROM_MS + 30 * HOUR_MS };
  const simulated = simulateConversations(COUNT, 7, whole);
  const inbound = disturb(simulated.inbound, 3);
  const outbound = disturb(simulated.outbound, 4);
  const records = [...inbound, ...outbound];
  const sessions = toSessions(inbound, outbound);
  beforeAll(async () => {
    await keep('whole', 'inbound', inbound, [around]);
    await keep('whole', 'outbound', outbound, [around]);
  }, 600_000);

  it('is what the screens of its sessions say, added up', async () => {
    const { opened, times } = await read('whole', around);
    expect(opened.totalCount).toBe(sessions.size);
    expect(times.conversations + times.cut.conversations).toBe(sessions.size);
    expect(times.cut.conversations).toBe(0);
    const expected = addUp(sessions.values());
    expectEqual(toSums(times.parts), expected);
    expect(Math.min(expected.before, expected.inside, expected.service, expected.outside)).toBeGreaterThan(
      100_000,
    );
    expect([times.messages, times.requests]).toEqual([inbound.length, outbound.length]);
    for (const list of [times.channels, times.services, times.steps]) {
      const sum = list.reduce(
        (all, { parts }) => all.map((ms, place) => ms + (parts[place] ?? 0)),
        TIME_PARTS.map(() => 0),
      );
      expectEqual(toSums(sum), expected);
      expect(list.reduce((all, { messages }) => all + messages, 0)).toBe(inbound.length);
    }
  }, 600_000);

  it('of a period and of its halves is the same', async () => {
    const middleMs = FROM_MS + 9 * HOUR_MS + 17 * MINUTE_MS;
    const { times } = await read('whole', around);
    const first = await read('whole', { fromMs: around.fromMs, toMs: middleMs });
    const second = await read('whole', { fromMs: middleMs, toMs: around.toMs });
    const sum = times.parts.map(
      (_ms, place) => (first.times.parts[place] ?? 0) + (second.times.parts[place] ?? 0),
    );
    expectEqual(toSums(sum), toSums(times.parts));
    expect(first.times.messages + second.times.messages).toBe(times.messages);
  }, 120_000);

  it('follows the filter of the list, and is written to files row by row', async () => {
    const filter = { conditions: [{ field: 'channel' as const, values: [2] }] };
    const { times } = await read('whole', around, filter as never);
    const own = new Set(records.filter(({ Channel }) => Channel === 2).map(({ Id }) => toId(Id)));
    expectEqual(toSums(times.parts), addUp([...own].map((id) => sessions.get(id))));
    expect(times.channels.map(({ value }) => value)).toEqual([2]);
    const packed = await engine.packSqlRows({ resultId: times.resultId, offset: 0, limit: 100_000 });
    const rows = JSON.parse(Buffer.from(packed).toString()) as (string | number | null)[][];
    expect(rows.length).toBe(times.rowCount);
    expect(rows.every((row) => row.length === TIMES_COLUMNS.length)).toBe(true);
    const sum = TIME_PARTS.map((_part, place) =>
      rows.reduce((all, row) => all + Number(row[5 + place] ?? 0), 0),
    );
    expectEqual(toSums(sum), toSums(times.parts));
  }, 120_000);

  it('of conversations with a part that is not cached is named, and no other figure has it', async () => {
    const hole = { fromMs: FROM_MS + 6 * HOUR_MS, toMs: FROM_MS + 7 * HOUR_MS };
    const holed = [
      { fromMs: around.fromMs, toMs: hole.fromMs },
      { fromMs: hole.toMs, toMs: around.toMs },
    ];
    await keep('holed', 'inbound', inbound, [around]);
    await keep('holed', 'outbound', outbound, holed);
    const { opened, times } = await read('holed', around);
    const kept = toSessions(
      inbound,
      outbound.filter(({ Date: date }) => Date.parse(date) < hole.fromMs || Date.parse(date) >= hole.toMs),
    );
    const rows: Conversation[] = [];
    for (let offset = 0; offset < opened.rowCount; offset += 500)
      rows.push(
        ...(await handlers['conversations/read-rows']({ viewId: opened.viewId, offset, limit: 500 })),
      );
    const pauseMs = 30 * MINUTE_MS;
    const isCut = ({ firstMs, endMs }: Conversation): boolean =>
      firstMs < hole.toMs + pauseMs && endMs > hole.fromMs - pauseMs;
    const cut = rows.filter(isCut).map(({ sessionId }) => kept.get(toId(sessionId)));
    expect(cut.length).toBeGreaterThan(10);
    expect(times.cut.conversations).toBe(cut.length);
    expect(times.conversations).toBe(rows.length - cut.length);
    const known = rows.filter((row) => !isCut(row)).map(({ sessionId }) => kept.get(toId(sessionId)));
    expectEqual(toSums(times.parts), addUp(known));
    const spent = addUp(cut, [hole]);
    expect(times.cut.ms).toBeCloseTo(
      TIME_PARTS.reduce((sum, part) => (part === 'waiting' ? sum : sum + spent[part]), 0),
      1,
    );
  }, 240_000);

  it('reads sessions as their screens do', async () => {
    for (const [sessionId, own] of [...sessions].slice(0, 40)) {
      const { requests } = await engine.readSession({ connectionId: 'whole', sessionId, limit: 10_000 });
      const one = addUp([requests]);
      expectEqual(one, addUp([own]));
    }
  }, 60_000);

  it('is all uncounted where one direction was never fetched, and says so', async () => {
    await keep('alone', 'inbound', inbound, [around]);
    const { times } = await read('alone', around);
    expect(times.conversations).toBe(0);
    expect(times.cut.conversations).toBeGreaterThan(0);
    expect(Math.max(...times.parts)).toBe(0);
    expect(times.rises).toEqual([]);
  }, 60_000);
});

describe('who became slow first', () => {
  const whole = { fromMs: FROM_MS, toMs: FROM_MS + 12 * HOUR_MS };
  const around = { fromMs: FROM_MS - HOUR_MS, toMs: FROM_MS + 14 * HOUR_MS };
  const simulated = simulateConversations(4000, 23, whole);
  const slowMs = FROM_MS + 6 * HOUR_MS;

  async function plant(
    connectionId: string,
    slow: (record: SentRecord, isInbound: boolean, atMs: number) => Partial<SentRecord> | null,
  ) {
    const change = (isInbound: boolean) => (record: SentRecord) => ({
      ...record,
      ...slow(record, isInbound, Date.parse(record.Date)),
    });
    await keep(connectionId, 'inbound', simulated.inbound.map(change(true)), [around]);
    await keep(connectionId, 'outbound', simulated.outbound.map(change(false)), [around]);
    return (await read(connectionId, whole)).times.rises;
  }

  it('names the service, and when, with the channels that use it after it', async () => {
    const rises = await plant('service', (record, isInbound, atMs) => {
      if (atMs < slowMs || record.Service !== 2) return null;
      return { ReponseTime: isInbound ? 16_000 : 15_000 };
    });
    const served = rises.filter(({ part }) => part === 'service');
    expect(rises[0]).toEqual(served[0]);
    expect(served[0]).toMatchObject({ field: 'service', value: 2, toMs: null });
    expect(Math.abs((served[0]?.fromMs ?? 0) - slowMs)).toBeLessThanOrEqual(30 * MINUTE_MS);
  }, 120_000);

  it('names the channel whose messages came late first, before the one that followed an hour and a half later', async () => {
    const rises = await plant('channel', ({ Channel, BotLatency = 0 }, isInbound, atMs) => {
      if (!isInbound) return null;
      if (Channel === 3 && atMs >= slowMs) return { BotLatency: BotLatency + 9000 };
      return Channel === 1 && atMs >= slowMs + 90 * MINUTE_MS ? { BotLatency: BotLatency + 20_000 } : null;
    });
    const own = rises.filter(({ field }) => field === 'channel');
    expect(own.map(({ value, part }) => [value, part])).toEqual([
      [3, 'before'],
      [1, 'before'],
    ]);
    expect(rises[0]).toMatchObject({ field: 'channel', value: 3, part: 'before' });
    const [first] = own;
    expect(first?.usualMs).toBeGreaterThan(1000);
    expect((first?.risenMs ?? 0) - (first?.usualMs ?? 0)).toBeGreaterThan(8000);
  }, 120_000);

  it('says nothing where nothing rose', async () => {
    expect(await plant('calm', () => null)).toEqual([]);
  }, 120_000);
});
