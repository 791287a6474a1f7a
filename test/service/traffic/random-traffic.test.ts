import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ReportKind } from '../../../src-main/common/reporting/reports.ts';
import type { TrafficBatch } from '../../../src-main/service/store/record-store.ts';
import {
  computeSummary,
  toComparable,
  type Detail,
  type Summary,
} from '../../support/service/compute-summary.ts';
import { describeOnEngines } from '../../support/service/engines.ts';
import {
  ends,
  startBareService,
  traffic,
  WHOLE,
  type BareService,
} from '../../support/service/random-traffic.ts';
import { callReport, toPeriod, walkReport } from '../../support/service/service-calls.ts';

const KINDS = ['inbound-detail', 'outbound-detail', 'inbound-summary'] as const;
/** `TRAFFIC_RUNS=12` and more ask for a longer proof. */
const RUNS = Number(process.env['TRAFFIC_RUNS'] ?? 6);
/** Its own contract is tried with other traffic already. */
const POSTGRES_RUNS = Math.ceil(RUNS / 2);

describeOnEngines('random traffic, periods and page sizes', ({ openStore }) => {
  /** Starts a service of its own for each run, as each has traffic of its own. */
  const check = async <T extends readonly unknown[]>(
    given: { readonly [K in keyof T]: fc.Arbitrary<T[K]> },
    predicate: (service: BareService, batch: TrafficBatch, ...values: T) => Promise<void>,
  ): Promise<void> => {
    const property = fc.asyncProperty(traffic, fc.tuple<[...T]>(...given), async (batch, values) => {
      const service = await startBareService(openStore);
      try {
        await service.write(batch);
        await predicate(service, batch, ...values);
      } finally {
        await service.stop();
      }
    });
    const numRuns = openStore === undefined ? RUNS : POSTGRES_RUNS;
    await fc.assert(property, { numRuns, seed: 20261121, plugins: [fc.interruptAfterTimeLimit(25_000)] });
  };

  it('details are the records of the period, oldest first, ties in order of arrival', async () => {
    await check([fc.array(ends, { minLength: 8, maxLength: 8 })], async (service, batch, periods) => {
      for (const [fromMs, toMs] of periods) {
        const inPeriod = <T extends { readonly dateMs: number }>(records: readonly T[]): T[] =>
          records
            .filter(({ dateMs }) => dateMs >= fromMs && dateMs < toMs + 1_000)
            .toSorted((a, b) => a.dateMs - b.dateMs);
        const inbound = await callReport(service, 'inbound-detail', {
          ...toPeriod(fromMs, toMs),
          size: 10_000,
        });
        const outbound = await callReport(service, 'outbound-detail', {
          ...toPeriod(fromMs, toMs),
          size: 10_000,
        });
        expect(inbound.documents).toMatchObject(
          inPeriod(batch.inbound).map((each) => ({
            Date: new Date(each.dateMs).toISOString(),
            Channel: each.channel,
            Service: each.service,
            ReponseCode: each.responseCode,
            ReponseTime: each.responseTimeUs / 1000,
            BotLatency: each.botLatencyMs,
            Origin: each.origin,
          })),
        );
        expect(outbound.documents).toMatchObject(
          inPeriod(batch.outbound).map((each) => ({
            Date: new Date(each.dateMs).toISOString(),
            ReponseTime: each.responseTimeUs / 1000,
            ActionId: String(each.actionId),
          })),
        );
        expect(inbound.totalDocument).toBe(inbound.documents.length);
        expect(outbound.totalDocument).toBe(outbound.documents.length);
      }
    });
  });

  it('summaries equal what is computed from the details of the same period, to the last record', async () => {
    await check([fc.array(ends, { minLength: 8, maxLength: 8 })], async (service, _, periods) => {
      for (const [fromMs, toMs] of periods) {
        const read = async (kind: ReportKind): Promise<unknown[]> =>
          (await callReport(service, kind, { ...toPeriod(fromMs, toMs), size: 10_000 })).documents;
        const inbound = (await read('inbound-detail')) as Detail[];
        const outbound = (await read('outbound-detail')) as Detail[];
        expect(toComparable((await read('inbound-summary')) as Summary[])).toEqual(
          toComparable([...computeSummary(inbound), ...computeSummary(outbound)]),
        );
      }
    });
  });

  it('adjacent periods add up, group by group', async () => {
    await check(
      [fc.array(fc.tuple(ends, ends), { minLength: 4, maxLength: 4 })],
      async (service, _, cuts) => {
        for (const [[a, b], [c, d]] of cuts) {
          const [fromMs = 0, cutMs = 0, toMs = 0] = [a, b, c, d].toSorted((x, y) => x - y).slice(1);
          if (cutMs === toMs) continue;
          const add = async (sums: Map<string, number[]>, from: number, to: number): Promise<void> => {
            const page = await callReport(service, 'inbound-summary', {
              ...toPeriod(from, to),
              size: 10_000,
            });
            for (const each of page.documents as Summary[]) {
              const origin = 'Origin' in each ? each.Origin : '';
              const key = [each.Channel, each.Service, origin, each.ReponseCode].join('|');
              const [records = 0, timeUs = 0] = sums.get(key) ?? [];
              const addedUs = Math.round(each.AvegareReponseTime * 1000 * Number(each.Count));
              sums.set(key, [records + Number(each.Count), timeUs + addedUs]);
            }
          };
          const parts = new Map<string, number[]>();
          const whole = new Map<string, number[]>();
          await add(parts, fromMs, cutMs);
          await add(parts, cutMs + 1_000, toMs);
          await add(whole, fromMs, toMs);
          expect([...parts].sort()).toEqual([...whole].sort());
        }
      },
    );
  });

  it('a walk by lastDocument gives the same records in the same order at every page size', async () => {
    await check(
      [ends, fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 3 })],
      async (service, _, period, sizes) => {
        for (const kind of KINDS) {
          const dates = toPeriod(...period);
          const { documents } = await callReport(service, kind, { ...dates, size: 10_000 });
          for (const size of [7, ...sizes]) {
            const sizesSeen: number[] = [];
            const walked = await walkReport(service, kind, dates, size, (page) => {
              expect(page.totalDocument).toBe(documents.length);
              sizesSeen.push(page.documents.length);
            });
            expect(walked).toEqual(documents);
            // Only the last page is short.
            expect(sizesSeen.slice(0, -1).every((each) => each === size)).toBe(true);
          }
        }
      },
    );
  });

  it('decision 10, service: a walk repeats and skips no record that was there, whatever arrives meanwhile', async () => {
    const sizes = fc.integer({ min: 5, max: 60 });
    const arriving = fc.array(traffic, { minLength: 4, maxLength: 4 });
    await check([sizes, arriving], async (service, _, size, batches) => {
      for (const kind of KINDS) {
        const readKeys = async (): Promise<string[]> =>
          (await callReport(service, kind, { ...WHOLE, size: 10_000 })).documents.map(toKey);
        const before = await readKeys();
        let page = 0;
        const walked = await walkReport(service, kind, WHOLE, size, async () => {
          const batch = batches[page];
          page += 1;
          if (batch !== undefined) await service.write(batch);
        });
        const keys = walked.map(toKey);
        expectInOrder(before, keys);
        expectAmong(keys, await readKeys());
      }
    });
  });
});

/** A detail record by all it holds, a summary record by its group: its figures may change. */
function toKey(document: unknown): string {
  const { Count, Channel, Service, ReponseCode, Origin } = document as Summary & { Origin?: string };
  const isGroup = (Count as string | undefined) !== undefined;
  return JSON.stringify(isGroup ? [Channel, Service, ReponseCode, Origin] : document);
}

/** Every expected text is there in this order; others may be in between. */
function expectInOrder(expected: readonly string[], actual: readonly string[]): void {
  let at = 0;
  for (const text of actual) if (text === expected[at]) at += 1;
  expect(at).toBe(expected.length);
}

/** No text is there more often than in the end. */
function expectAmong(actual: readonly string[], end: readonly string[]): void {
  const counts = Map.groupBy(end, (text) => text);
  for (const [text, times] of Map.groupBy(actual, (each) => each)) {
    expect(times.length).toBeLessThanOrEqual(counts.get(text)?.length ?? 0);
  }
}
