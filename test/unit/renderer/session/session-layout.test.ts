import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionRequest } from '../../../../src-main/common/model/records/session.ts';
import { createSessionAxis } from '../../../../src-renderer/screens/session/session-axis.ts';
import {
  clipSpans,
  joinSpans,
  measureTimes,
} from '../../../../src-renderer/screens/session/session-times.ts';
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
    const times = measureTimes([
      inbound(1000, 1000, 300),
      outbound(1200, 500),
      outbound(1900, 400),
      inbound(9000, null),
    ]);
    // 1,000 ms, of which 500 and 100 ms with an outbound request.
    expect(times).toEqual({ beforeMs: 300, insideMs: 400, serviceMs: 900, untimedCount: 1 });
    expect(measureTimes([outbound(0, -5)])).toEqual({
      beforeMs: 0,
      insideMs: 0,
      serviceMs: 0,
      untimedCount: 1,
    });
  });

  it('counts an outbound time of two side by side once within a message', () => {
    expect(measureTimes([inbound(0, 100), outbound(10, 50), outbound(20, 50)])).toMatchObject({
      insideMs: 40,
      serviceMs: 100,
    });
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
    expect(straight.folds).toEqual([]);
    expect(straight.toPlace(71_000)).toBeCloseTo(61 / 62, 5);
    expect(straight.ticks.map(({ sinceBeginMs }) => sinceBeginMs)).toEqual([0, 20_000, 40_000]);
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
