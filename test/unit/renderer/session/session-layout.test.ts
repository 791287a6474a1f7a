import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionRequest } from '../../../../src-main/common/model/records/conversation.ts';
import {
  clipSpans,
  createSessionAxis,
  drawStrip,
  findAt,
  findMessage,
  joinSpans,
  listLines,
  listMessages,
  listStripTicks,
  measureOutside,
  measureTimes,
  spanAll,
  toLatencySpan,
  toWorkSpan,
} from '../../../../src-renderer/screens/session/session.ts';
import { makeRequest } from './make-request.ts';

const inbound = (dateMs: number, responseTimeMs: number | null, botLatencyMs: number | null = null) =>
  makeRequest({ dateMs, responseTimeMs, botLatencyMs });
const outbound = (dateMs: number, responseTimeMs: number | null) =>
  makeRequest({ direction: 'outbound', dateMs, responseTimeMs });

const drawnRequests = fc.array(
  fc.record({
    direction: fc.constantFrom('inbound' as const, 'outbound' as const),
    dateMs: fc.integer({ min: 0, max: 100_000 }),
    responseTimeMs: fc.option(fc.integer({ min: 0, max: 5_000 })),
    botLatencyMs: fc.option(fc.integer({ min: 0, max: 500 })),
  }),
  { minLength: 1, maxLength: 30 },
);
const toRequests = (drawn: readonly Partial<SessionRequest>[]): SessionRequest[] =>
  drawn.map((one, seq) => makeRequest({ ...one, seq })).sort((a, b) => a.dateMs - b.dateMs);

describe('where the time went', () => {
  it('tells the connector from what it waited for, and never counts what is not known', () => {
    const requests = [inbound(1000, 1000, 300), outbound(1200, 500), inbound(9000, null), outbound(9100, -5)];
    // 1,000 ms, of which 500 ms with an outbound request.
    expect(measureTimes(listMessages(requests), [])).toEqual({
      beforeMs: 300,
      insideMs: 500,
      serviceMs: 500,
      unknownMs: 0,
    });
  });

  it('does not say whether the bot or a service took the time of which no outbound records are cached', () => {
    const requests = [inbound(1000, 1000), outbound(1100, 200), inbound(5000, 100)];
    const gaps = [
      { fromMs: 1200, toMs: 1600 },
      { fromMs: 4000, toMs: Infinity },
    ];
    // Of 1,200 to 1,600 the first 100 ms are known: a request ran.
    expect(measureTimes(listMessages(requests), gaps)).toMatchObject({
      insideMs: 500,
      serviceMs: 200,
      unknownMs: 400,
    });
  });

  it('counts requests side by side once, and none before or after the work on their message', () => {
    const requests = [
      outbound(0, 30),
      inbound(100, 100),
      outbound(110, 50),
      outbound(120, 50),
      outbound(190, 40),
    ];
    const messages = listMessages(requests);
    expect(measureTimes(messages, [])).toEqual({ beforeMs: 0, insideMs: 30, serviceMs: 70, unknownMs: 0 });
    expect(measureOutside(requests, messages)).toBe(60);
  });

  it('gives a request to the message in whose work it began, and says where that could be another', () => {
    const requests = [inbound(0, 1000), outbound(100, 600), inbound(500, 1000), outbound(600, 300)];
    const messages = listMessages(requests);
    const each = messages.map(
      (message) => message && [measureTimes([message], []).serviceMs, message.sharedCount],
    );
    // The first request ran on during the second message, and is none of its own.
    expect(each).toEqual([[800, 1], null, [300, 1], null]);
    expect(measureTimes(messages, [])).toEqual({ beforeMs: 0, insideMs: 700, serviceMs: 800, unknownMs: 0 });
    expect(measureOutside(requests, messages)).toBe(0);
  });

  it('splits the time of the messages, each moment once, into parts that add up to it', () => {
    fc.assert(
      fc.property(drawnRequests, (drawn) => {
        const requests = toRequests(drawn);
        const messages = listMessages(requests);
        const all = measureTimes(messages, [{ fromMs: 20_000, toMs: 50_000 }]);
        const spans = requests.flatMap((request) =>
          request.direction === 'inbound' ? [toLatencySpan(request), toWorkSpan(request)] : [],
        );
        const wholeMs = joinSpans(spans.filter((span) => span !== null)).reduce(
          (sum, { fromMs, toMs }) => sum + toMs - fromMs,
          0,
        );
        const parts = [all.beforeMs, all.insideMs, all.serviceMs, all.unknownMs];
        expect(Math.min(...parts)).toBeGreaterThanOrEqual(0);
        expect(parts.reduce((sum, ms) => sum + ms)).toBe(wholeMs);
        expect(measureOutside(requests, messages)).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('joins and clips spans as a walk over each millisecond would', () => {
    const spans = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 20 })).map(([fromMs, length]) => ({
        fromMs,
        toMs: fromMs + length,
      })),
    );
    fc.assert(
      fc.property(
        spans,
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 0, max: 30 }),
        (all, fromMs, length) => {
          const within = { fromMs, toMs: fromMs + length };
          const covered = clipSpans(joinSpans(all), within).reduce(
            (sum, span) => sum + span.toMs - span.fromMs,
            0,
          );
          const plainly = Array.from({ length }, (_, place) => fromMs + place).filter((atMs) =>
            all.some((span) => span.fromMs <= atMs && span.toMs > atMs),
          );
          expect(covered).toBe(plainly.length);
        },
      ),
    );
  });
});

describe('the axis', () => {
  it('keeps the order of time and stays within its ends, folded or not', () => {
    fc.assert(
      fc.property(drawnRequests, fc.boolean(), (drawn, fold) => {
        const requests = toRequests(drawn);
        const axis = createSessionAxis(requests, fold);
        const places = requests.map(({ dateMs }) => axis.toPlace(dateMs));
        expect(places).toEqual([...places].sort((a, b) => a - b));
        const ends = requests.map(({ dateMs, responseTimeMs }) =>
          axis.toPlace(dateMs + (responseTimeMs ?? 0)),
        );
        expect(Math.min(...places)).toBeGreaterThanOrEqual(0);
        expect(Math.max(...ends)).toBeLessThanOrEqual(1);
        const folded = axis.folds.reduce((sum, { width }) => sum + width, 0);
        expect(folded).toBeLessThanOrEqual(0.5);
      }),
    );
  });

  it('folds a long wait and names where requests go on', () => {
    const requests = [inbound(10_000, 1000), inbound(71_000, 1000)];
    const folded = createSessionAxis(requests, true);
    expect(folded.folds.map(({ lengthMs }) => lengthMs)).toEqual([60_000]);
    expect(folded.toPlace(71_000)).toBeCloseTo(0.53, 1);
    expect(folded.ticks.map(({ sinceBeginMs }) => sinceBeginMs)).toEqual([0, 61_000]);
    const straight = createSessionAxis(requests, false);
    // What is long is named in either case.
    const wait = { fromMs: 11_000, toMs: 71_000 };
    expect([folded.waits, straight.waits]).toEqual([[wait], [wait]]);
    expect(straight.folds).toEqual([]);
    expect(straight.toPlace(71_000)).toBeCloseTo(61 / 62, 5);
    expect(straight.ticks.map(({ sinceBeginMs }) => sinceBeginMs)).toEqual([0, 15_000, 30_000, 45_000]);
  });

  it('begins with the bot latency of the first message', () => {
    expect(createSessionAxis([inbound(10_000, 1000, 400)], true).beginMs).toBe(9_600);
  });

  it('lays out ten thousand requests in no time', () => {
    const requests = Array.from({ length: 10_000 }, (_, seq) => inbound(seq * 1000, 200, 20));
    const axis = createSessionAxis(requests, true);
    expect(axis.ticks.length).toBeLessThan(12);
    expect(axis.toPlace(5_000_000)).toBeCloseTo(0.5, 2);
  });
});

describe('the lines of the waterfall', () => {
  const requests = [inbound(1000, 500), outbound(1100, 200), outbound(9000, 100), inbound(60_000, 300)];

  it('name each wait before what ended it, and what is not cached below its message', () => {
    const { waits } = createSessionAxis(requests, true);
    const lines = listLines(requests, waits, [{ fromMs: 60_100, toMs: Infinity }]);
    expect(lines.map((line) => (line.kind === 'request' ? line.place : line))).toEqual([
      0,
      1,
      { kind: 'wait', span: { fromMs: 1500, toMs: 9000 }, next: 'outbound' },
      2,
      { kind: 'wait', span: { fromMs: 9100, toMs: 60_000 }, next: 'inbound' },
      3,
      { kind: 'gap', span: { fromMs: 60_100, toMs: 60_300 } },
    ]);
  });

  it('say what went wrong in a request whole, below it', () => {
    const failed = { ...outbound(1100, 200), error: ' Service 7 did not answer\nwithin 30 s ' };
    const lines = listLines([inbound(1000, 500), failed], [], []);
    expect(lines.map(({ kind }) => kind)).toEqual(['request', 'request', 'error']);
    expect(lines[2]).toMatchObject({ place: 1, text: expect.stringContaining('within 30 s') as unknown });
  });

  it('keep every request once and in order, whatever the waits are', () => {
    fc.assert(
      fc.property(drawnRequests, (drawn) => {
        const own = toRequests(drawn);
        const { waits } = createSessionAxis(own, true);
        const lines = listLines(own, waits, []);
        const shown = lines.flatMap((line) => (line.kind === 'request' ? [line.request] : []));
        expect(shown).toEqual(own);
        expect(lines.filter(({ kind }) => kind === 'wait').length).toBe(waits.length);
      }),
    );
  });

  it('know the message that a request belongs to', () => {
    expect([0, 1, 2, 3].map((place) => findMessage(requests, place))).toEqual([
      ...Array.from({ length: 3 }, () => ({ first: 0, end: 3 })),
      { first: 3, end: 4 },
    ]);
    expect(findMessage(requests, -1)).toBeNull();
  });
});

describe('the strip', () => {
  const requests = [inbound(1000, 1000, 500), outbound(1500, null), inbound(10_500, 0)];

  it('draws the whole session on a straight axis, one path for a colour, and nothing too short to be seen', () => {
    const whole = spanAll(requests)!;
    expect(whole).toEqual({ fromMs: 500, toMs: 10_500 });
    const lanes = { inbound: { y: 0, height: 8 }, outbound: { y: 20, height: 4 } };
    expect(drawStrip(requests, whole, 1000, lanes)).toEqual([
      { direction: 'inbound', colour: 'latency', path: 'M0.0 0h50.0v8h-50.0z' },
      { direction: 'inbound', colour: '2xx', path: 'M50.0 0h100.0v8h-100.0zM998.0 0h2.0v8h-2.0z' },
      { direction: 'outbound', colour: '2xx', path: 'M100.0 20h2.0v4h-2.0z' },
    ]);
    expect(listStripTicks(whole).map(({ sinceBeginMs }) => sinceBeginMs)).toEqual([0, 5000]);
    const minutes = listStripTicks({ fromMs: 0, toMs: 247_000 });
    expect(minutes.map(({ sinceBeginMs }) => sinceBeginMs / 60_000)).toEqual([0, 1, 2, 3]);
  });

  it('finds what ran at a time', () => {
    expect([0, 600, 1499, 1500, 10_499, 99_999].map((atMs) => findAt(requests, atMs))).toEqual([
      0, 0, 0, 1, 1, 2,
    ]);
    expect(spanAll([])).toBeNull();
  });
});
