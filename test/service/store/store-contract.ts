import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import {
  MAX_PAGE_CHARACTERS,
  type DetailPage,
  type GroupTotals,
  type RecordPeriod,
  type RecordStore,
  type ImportedRecord,
  type RecordPosition,
  type StoredRecord,
  type TrafficBatch,
} from '../../../src-main/service/store/record-store.ts';
import { makeImported } from '../../support/service/make-imported.ts';
import { instantMs, traffic } from '../../support/service/random-traffic.ts';

/** Where the stores of one test are. */
export interface StoreHome {
  /** Opens the store, and creates it the first time. It is never open twice at once. */
  open(): Promise<RecordStore>;
  /** Opens the store in a state in which reads fail that could succeed another time. */
  openFailing(): Promise<RecordStore>;
  remove(): Promise<void>;
}

const DIRECTIONS = ['inbound', 'outbound'] as const;
const ALWAYS: RecordPeriod = { fromMs: 0, toMs: 10 ** 13 };
const NOW_MS = Date.UTC(2026, 10, 20, 12);
const SECOND_MS = 1_000;

/** More pages than this of one period prove nothing more. */
const MAX_PAGES = 40;

/** What every adapter of the store's port has to do, whatever database is behind it. */
export function describeStoreContract(
  name: string,
  createHome: () => Promise<StoreHome>,
  numRuns = 12,
): void {
  describe(`the store's contract: ${name}`, () => {
    let home: StoreHome;
    let store: RecordStore;
    beforeEach(async () => {
      home = await createHome();
      store = await home.open();
    });
    afterEach(async () => {
      await store.close();
      await home.remove();
    });

    /** Runs a property, each time on a store of its own. */
    const check = async <Values extends [unknown, ...unknown[]]>(
      given: { [Place in keyof Values]: fc.Arbitrary<Values[Place]> },
      predicate: (own: RecordStore, ...values: Values) => Promise<void>,
    ): Promise<void> => {
      const property = fc.asyncProperty(fc.tuple<Values>(...given), async (values) => {
        const ownHome = await createHome();
        const own = await ownHome.open();
        try {
          await predicate(own, ...values);
        } finally {
          await own.close();
          await ownHome.remove();
        }
      });
      await fc.assert(property, { numRuns, seed: 20261122, plugins: [fc.interruptAfterTimeLimit(20_000)] });
    };
    const batches = fc.array(traffic, { minLength: 1, maxLength: 3 });
    const period = fc
      .tuple(instantMs, instantMs)
      .map(([a, b]) => ({ fromMs: Math.min(a, b), toMs: Math.max(a, b) }));
    const periods = fc.array(period, { minLength: 5, maxLength: 5 });

    describe('detail pages', () => {
      it('decision 9, service: are the records of a period, oldest first, ties in order of arrival, at any page size', async () => {
        const limit = fc.integer({ min: 1, max: 60 });
        await check([batches, periods, limit], async (own, written, wanted, size) => {
          for (const batch of written) await own.writeBatch(batch);
          for (const direction of DIRECTIONS) {
            for (const each of [ALWAYS, ...wanted]) {
              const expected = sortRecords(written, direction).filter((record) => isIn(each, record));
              const length = Math.max(size, Math.ceil(expected.length / MAX_PAGES));
              const pages = await walk(own, direction, each, length);
              expect(pages.flatMap(({ records }) => records)).toMatchObject(expected);
              for (const [place, { total, records, hasMore }] of pages.entries()) {
                const isLast = place === pages.length - 1;
                expect([total, hasMore]).toEqual([expected.length, !isLast]);
                if (!isLast) expect(records).toHaveLength(length);
              }
            }
          }
        });
      });

      it('number arrivals from 1 for each direction, so that positions are never the same', async () => {
        await store.writeBatch({
          inbound: [toInbound(NOW_MS), toInbound(NOW_MS), toInbound(NOW_MS - 5)],
          outbound: [toOutbound(NOW_MS)],
        });
        const toArrivals = async (direction: Direction): Promise<number[]> =>
          (await readAll(store, direction)).map(({ arrival }) => arrival);
        expect(await toArrivals('inbound')).toEqual([3, 1, 2]);
        expect(await toArrivals('outbound')).toEqual([1]);
      });

      it('decision 5, service: hold a period’s first instant and not its end, so that adjacent ones neither lose nor repeat', async () => {
        const dates = [-1, 0, 1, 999, 1000, 1001, 1999, 2000].map((offset) => NOW_MS + offset);
        await store.writeBatch({ inbound: dates.map((dateMs) => toInbound(dateMs)), outbound: [] });
        const read = async (fromMs: number, toMs: number): Promise<number[]> =>
          (await readAll(store, 'inbound', { fromMs, toMs })).map(({ dateMs }) => dateMs - NOW_MS);
        expect(await read(NOW_MS, NOW_MS + SECOND_MS)).toEqual([0, 1, 999]);
        expect(await read(NOW_MS + SECOND_MS, NOW_MS + 2 * SECOND_MS)).toEqual([1000, 1001, 1999]);
        expect(await read(NOW_MS, NOW_MS)).toEqual([]);
      });

      it('decision 10, service: a walk repeats and skips no record that was there, whatever arrives meanwhile', async () => {
        const arriving = fc.array(traffic, { minLength: 4, maxLength: 4 });
        await check([traffic, arriving, fc.integer({ min: 5, max: 60 })], async (own, first, later, size) => {
          await own.writeBatch(first);
          for (const direction of DIRECTIONS) {
            const before = await readAll(own, direction);
            const left = [...later];
            const pages = await walk(own, direction, ALWAYS, size, async () => {
              const batch = left.shift();
              if (batch !== undefined) await own.writeBatch(batch);
            });
            const arrivals = pages.flatMap(({ records }) => records.map(({ arrival }) => arrival));
            expect(new Set(arrivals).size).toBe(arrivals.length);
            const old = new Set(before.map(({ arrival }) => arrival));
            expect(arrivals.filter((arrival) => old.has(arrival))).toEqual([...old]);
          }
        });
      });

      it('are shorter where imported texts are long, with the others on the next', async () => {
        const payload = 'x'.repeat(MAX_PAGE_CHARACTERS / 4);
        const records = [0, 1, 2, 3, 4].map((botLatencyMs) =>
          toImported({ botLatencyMs, texts: { payload } }),
        );
        const { importer } = await openImport(store);
        for (const record of records) await importer.addBatch([record]);
        const pages = await walk(store, 'inbound', ALWAYS, 100);
        expect(pages.map((page) => [page.records.length, page.total])).toEqual([
          [4, 5],
          [1, 5],
        ]);
        expect(pages.flatMap((page) => page.records.map(({ botLatencyMs }) => botLatencyMs))).toEqual([
          0, 1, 2, 3, 4,
        ]);
      });
    });

    describe('summaries', () => {
      it('are what adding up the period’s records gives, for both directions', async () => {
        await check([batches, periods], async (own, written, wanted) => {
          for (const batch of written) await own.writeBatch(batch);
          for (const direction of DIRECTIONS) {
            for (const each of [ALWAYS, ...wanted]) {
              const found = (await own.readSummary(direction, each)).toSorted(compareGroups);
              const expected = computeTotals(await readAll(own, direction, each), direction);
              expect(found).toMatchObject(expected.toSorted(compareGroups));
            }
          }
        });
      });

      it('give each group a number that stays its own, also across directions', async () => {
        await store.writeBatch({ inbound: [toInbound(NOW_MS)], outbound: [toOutbound(NOW_MS)] });
        const readIds = async (): Promise<number[]> =>
          (await Promise.all(DIRECTIONS.map((direction) => store.readSummary(direction, ALWAYS))))
            .flat()
            .map(({ groupId }) => groupId);
        const [inbound, outbound] = await readIds();
        expect(inbound).not.toBe(outbound);
        await store.writeBatch({ inbound: [{ ...toInbound(NOW_MS), channel: 0 }], outbound: [] });
        expect(await readIds()).toEqual(expect.arrayContaining([inbound, outbound]));
      });

      it('decision 12, service: name the session of the newest record by date, then arrival, imported or not', async () => {
        const write = (dateMs: number, session: number): Promise<void> =>
          store.writeBatch({ inbound: [{ ...toInbound(dateMs), session }], outbound: [] });
        const readNewest = async (): Promise<unknown> =>
          (await store.readSummary('inbound', ALWAYS)).map(({ newestSession }) => newestSession);
        await write(NOW_MS + 5000, 1);
        await write(NOW_MS + 5000, 2);
        await write(NOW_MS + 1000, 3);
        expect(await readNewest()).toEqual([2]);
        const { importer } = await openImport(store);
        await importer.addBatch([
          toImported({ dateMs: NOW_MS + 6000, service: 2, sessionId: 'an "imported" one' }),
        ]);
        expect(await readNewest()).toEqual(['an "imported" one']);
      });
    });

    describe('activity', () => {
      it('counts sessions, records and unavailable ones of its periods, and times the newest records', async () => {
        await check([traffic, period, fc.integer({ min: 1, max: 50 })], async (own, batch, each, timed) => {
          await own.writeBatch(batch);
          const healthFromMs = Math.floor((each.fromMs + each.toMs) / 2);
          const activity = await own.readActivity({
            sessionsFromMs: each.fromMs,
            healthFromMs,
            toMs: each.toMs,
            timedRecords: timed,
          });
          const all = sortRecords([batch], 'inbound');
          const healthy = all.filter((record) => isIn({ ...each, fromMs: healthFromMs }, record));
          const groups = Map.groupBy(
            all.filter((record) => isIn(each, record)),
            ({ channel, service }) => channel * 100 + service,
          );
          const newest = all.slice(-timed).map(({ responseTimeUs }) => responseTimeUs);
          expect(activity.sessions).toEqual(
            [...groups.values()]
              .map((records) => ({
                channel: records[0]!.channel,
                service: records[0]!.service,
                sessions: new Set(records.map(({ session }) => session)).size,
              }))
              .toSorted((a, b) => a.channel - b.channel || a.service - b.service),
          );
          expect([activity.records, activity.unavailable]).toEqual([
            healthy.length,
            healthy.filter(({ responseCode }) => responseCode === 503).length,
          ]);
          if (newest.length === 0) expect(activity.averageResponseTimeUs).toBeNull();
          else expect(activity.averageResponseTimeUs).toBeCloseTo(sum(newest) / newest.length, 3);
        });
      });
    });

    describe('writing', () => {
      it('of a batch that fails leaves nothing of it, and the store as good as before', async () => {
        await store.writeBatch({ inbound: [toInbound(NOW_MS)], outbound: [], properties: { step: '1' } });
        const before = await readEverything(store);
        const broken: TrafficBatch = {
          inbound: [{ ...toInbound(NOW_MS), channel: 9 }],
          outbound: [{ ...toOutbound(NOW_MS), origin: 'new' }, toOutbound(1.5)],
          properties: { step: '2' },
        };
        await expect(store.writeBatch(broken)).rejects.toThrow();
        expect(await readEverything(store)).toEqual(before);
        await store.writeBatch({ ...broken, outbound: broken.outbound.slice(0, 1) });
        expect(await readAll(store, 'inbound')).toMatchObject([{ channel: 1 }, { channel: 9, arrival: 2 }]);
        expect(await readAll(store, 'outbound')).toMatchObject([{ origin: 'new', arrival: 1 }]);
        expect(await store.readProperties()).toMatchObject({ step: '2' });
      });

      it('of many batches keeps those before one that can’t be made', async () => {
        await store.writeBatches(
          (function* () {
            for (let step = 1; step <= 3; step += 1) {
              yield { inbound: [toInbound(NOW_MS + step)], outbound: [], properties: { step: String(step) } };
            }
          })(),
        );
        const failing = function* (): Generator<TrafficBatch> {
          yield { inbound: [toInbound(NOW_MS)], outbound: [], properties: { step: '4' } };
          throw new Error('The power went');
        };
        await expect(store.writeBatches(failing())).rejects.toThrow('The power went');
        expect(await store.readProperties()).toMatchObject({ step: '4' });
        expect(await readAll(store, 'inbound')).toHaveLength(4);
      });

      it('and reading at once: every read sees each batch as a whole or not at all', async () => {
        const size = 10;
        const toBatch = (step: number): TrafficBatch => ({
          inbound: Array.from({ length: size }, (_, index) => toInbound(NOW_MS + step * 100 + index)),
          outbound: Array.from({ length: size }, (_, index) => toOutbound(NOW_MS + step * 100 + index)),
        });
        const writes = Array.from({ length: 20 }, (_, step) => step);
        const seen: number[] = [];
        const readOnce = async (direction: Direction): Promise<void> => {
          const [page, groups] = await Promise.all([
            store.readDetailPage(direction, { ...ALWAYS, after: null, limit: 1_000 }),
            store.readSummary(direction, ALWAYS),
          ]);
          expect(page.records).toHaveLength(page.total);
          const counted = sum(groups.map(({ records }) => records));
          seen.push(page.total, counted);
        };
        await Promise.all([
          (async () => {
            for (const step of writes) await store.writeBatch(toBatch(step));
          })(),
          ...writes.flatMap(() => DIRECTIONS.map(readOnce)),
        ]);
        expect(seen.filter((count) => count % size !== 0)).toEqual([]);
        await readOnce('outbound');
        expect(seen.slice(-2)).toEqual([20 * size, 20 * size]);
      });
    });

    describe('imports', () => {
      it('keep every field and text as it is', async () => {
        const text = '\u0000 "quoted" \'a\r\nb\u202e👩‍👧 e\u0301';
        const inbound = toImported({
          sessionId: text,
          texts: { client: text, error: text, payload: text },
          origin: text,
        });
        const outbound = toImported({
          direction: 'outbound',
          botLatencyMs: 0,
          texts: { actionId: text, payload: null, response: text },
          channel: -(2 ** 31),
          responseTimeUs: 2 ** 31 * 1000,
        });
        const { importer } = await openImport(store);
        expect(await importer.addBatch([inbound, outbound])).toEqual({ added: 2, known: 0 });
        for (const record of [inbound, outbound]) {
          const { dateMs, channel, service, origin, responseCode, responseTimeUs, botLatencyMs } = record;
          const numbers = { dateMs, channel, service, responseCode, responseTimeUs, botLatencyMs };
          const texts = {
            sessionId: record.sessionId,
            ...Object.fromEntries(Object.entries(record.texts).map(([name, own]) => [name, own ?? ''])),
          };
          const found = await readAll(store, record.direction);
          expect(found).toEqual([{ ...numbers, origin, texts, arrival: 1, session: 0, actionId: 0 }]);
        }
      });

      it('decision 37, service: end with the larger count of each record, whatever was there and however often cut short', async () => {
        const values = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 40 });
        const cuts = fc.array(fc.nat(40), { maxLength: 3 });
        const batchSize = fc.integer({ min: 1, max: 15 });
        await check([values, values, cuts, batchSize], async (own, first, second, lengths, size) => {
          const lists = [first, ...lengths.map((length) => second.slice(0, length)), second];
          for (const list of lists) {
            const { importer } = await openImport(own);
            for (let at = 0; at < list.length; at += size) {
              await importer.addBatch(list.slice(at, at + size).map(toNumbered));
            }
            await importer.close();
          }
          const counts = [0, 1, 2, 3, 4, 5].map((value) =>
            Math.max(...lists.map((list) => list.filter((each) => each === value).length)),
          );
          const found = (await Promise.all(DIRECTIONS.map((direction) => readAll(own, direction)))).flat();
          expect(
            [0, 1, 2, 3, 4, 5].map(
              (value) => found.filter((record) => isSame(record, toNumbered(value))).length,
            ),
          ).toEqual(counts);
        });
      });

      it('find sample records by their numbers, each of them once', async () => {
        const sample = toInbound(NOW_MS);
        await store.writeBatch({ inbound: [sample, sample], outbound: [] });
        const { importer } = await openImport(store);
        const record = toImported({ ...sample, contentHash: 12 });
        expect(await importer.addBatch([record])).toEqual({ added: 0, known: 1 });
        expect(await importer.addBatch([record, record])).toEqual({ added: 1, known: 1 });
      });

      it('recognise nothing that came after they were opened, their own records neither', async () => {
        const { importer } = await openImport(store);
        const other = await openImport(store);
        const record = toImported({});
        expect(await importer.addBatch([record])).toEqual({ added: 1, known: 0 });
        expect(await importer.addBatch([record])).toEqual({ added: 1, known: 0 });
        expect(await other.importer.addBatch([record])).toEqual({ added: 1, known: 0 });
        const { importer: later } = await openImport(store);
        expect(await later.addBatch([record, record, record, record])).toEqual({ added: 1, known: 3 });
      });

      it('compare only what may be the same, also among thousands of one date', async () => {
        const toRecords = (): ImportedRecord[] =>
          Array.from({ length: 5_000 }, (_, index) =>
            toImported({ botLatencyMs: index, contentHash: 1_000_000 + index }),
          );
        const first = await openImport(store);
        await first.importer.addBatch(toRecords());
        const again = await openImport(store);
        for (let at = 0; at < 5_000; at += 1_000) {
          const result = await again.importer.addBatch(toRecords().slice(at, at + 1_000));
          expect(result).toEqual({ added: 0, known: 1_000 });
        }
        expect(again.countComparisons()).toBeLessThan(10_000);
      });
    });

    it('properties are set together and leave others as they are', async () => {
      expect(await store.readProperties()).toEqual({});
      await store.writeProperties({ one: '1', two: '' });
      await store.writeProperties({ two: 'ü"\n', three: '3' });
      expect(await store.readProperties()).toEqual({ one: '1', two: 'ü"\n', three: '3' });
    });

    it('its size is the number of records of each direction, sample and imported, and some bytes', async () => {
      expect(await store.readSize()).toMatchObject({ inboundRecords: 0, outboundRecords: 0 });
      await store.writeBatch({ inbound: [toInbound(NOW_MS), toInbound(NOW_MS)], outbound: [] });
      const { importer } = await openImport(store);
      await importer.addBatch([toImported({}), toImported({ direction: 'outbound' })]);
      const { bytes, ...records } = await store.readSize();
      expect(records).toEqual({ inboundRecords: 3, outboundRecords: 1 });
      expect(bytes).toBeGreaterThan(0);
    });

    it('is the same after it was closed, which may be twice, and opened again', async () => {
      await store.writeBatch({
        inbound: [toInbound(NOW_MS)],
        outbound: [toOutbound(NOW_MS)],
        properties: { kept: 'yes' },
      });
      const { importer } = await openImport(store);
      await importer.addBatch([toImported({})]);
      const before = await readEverything(store);
      await store.close();
      await store.close();
      store = await home.open();
      expect(await readEverything(store)).toEqual(before);
      await store.writeBatch({ inbound: [toInbound(NOW_MS)], outbound: [] });
      const arrivals = (await readAll(store, 'inbound')).map(({ arrival }) => arrival);
      expect(arrivals.toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
      const { importer: later } = await openImport(store);
      expect(await later.addBatch([toImported({})])).toEqual({ added: 0, known: 1 });
    });

    it('tells errors that may pass from others', async () => {
      const inbound = Array.from({ length: 20_000 }, (_, index) => toInbound(NOW_MS + index));
      await store.writeBatch({ inbound, outbound: [] });
      expect(store.isTransientError(new TypeError('undefined is not a function'))).toBe(false);
      await store.close();
      store = await home.openFailing();
      const error: unknown = await readAll(store, 'inbound').catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Error);
      expect(store.isTransientError(error)).toBe(true);
    });
  });
}

const NUMBERS = { channel: 1, service: 2, origin: 'web', responseCode: 200, responseTimeUs: 1500 };

function toInbound(dateMs: number): TrafficBatch['inbound'][number] {
  return { ...NUMBERS, dateMs, session: 7, botLatencyMs: 10 };
}

function toOutbound(dateMs: number): TrafficBatch['outbound'][number] {
  return { ...NUMBERS, dateMs, session: 7, actionId: -1 };
}

function toImported(change: Parameters<typeof makeImported>[0]): ImportedRecord {
  return makeImported({
    ...NUMBERS,
    dateMs: NOW_MS,
    botLatencyMs: 10,
    service: 3,
    ...change,
    texts: { payload: 'hello', response: null, ...change.texts },
  });
}

/** One of six records: three contents, two payloads; the last two are outbound. */
function toNumbered(value: number): ImportedRecord {
  const content = value % 3;
  return toImported({
    direction: content === 2 ? 'outbound' : 'inbound',
    service: content,
    contentHash: 100 + content,
    texts: { payload: `payload ${value % 2}` },
    botLatencyMs: 0,
  });
}

function isSame(stored: StoredRecord, imported: ImportedRecord): boolean {
  const isSampleOrText = stored.texts === null || stored.texts.payload === (imported.texts.payload ?? '');
  return (
    isSampleOrText &&
    stored.dateMs === imported.dateMs &&
    stored.service === imported.service &&
    stored.botLatencyMs === imported.botLatencyMs
  );
}

async function openImport(store: RecordStore) {
  let comparisons = 0;
  const importer = await store.openImport((stored, imported) => {
    comparisons += 1;
    return isSame(stored, imported);
  });
  return { importer, countComparisons: () => comparisons };
}

async function walk(
  store: RecordStore,
  direction: Direction,
  period: RecordPeriod,
  limit: number,
  onPage: () => Promise<void> = () => Promise.resolve(),
): Promise<DetailPage[]> {
  const pages: DetailPage[] = [];
  let after: RecordPosition | null = null;
  for (;;) {
    const page: DetailPage = await store.readDetailPage(direction, { ...period, after, limit });
    pages.push(page);
    if (!page.hasMore) return pages;
    after = page.records.at(-1)!;
    await onPage();
  }
}

async function readAll(
  store: RecordStore,
  direction: Direction,
  period: RecordPeriod = ALWAYS,
): Promise<StoredRecord[]> {
  return (await walk(store, direction, period, 100_000)).flatMap(({ records }) => records);
}

async function readEverything(store: RecordStore): Promise<unknown[]> {
  const { inboundRecords, outboundRecords } = await store.readSize();
  return [
    ...(await Promise.all(DIRECTIONS.map((direction) => readAll(store, direction)))),
    ...(await Promise.all(DIRECTIONS.map((direction) => readGroups(store, direction)))),
    await store.readProperties(),
    [inboundRecords, outboundRecords],
  ];
}

async function readGroups(store: RecordStore, direction: Direction): Promise<GroupTotals[]> {
  return (await store.readSummary(direction, ALWAYS)).toSorted((a, b) => a.groupId - b.groupId);
}

/** What was written, oldest first, ties in order of arrival. */
function sortRecords<D extends Direction>(written: readonly TrafficBatch[], direction: D) {
  return written
    .flatMap((batch): readonly TrafficBatch[D][number][] => batch[direction])
    .toSorted((a, b) => a.dateMs - b.dateMs);
}

function isIn({ fromMs, toMs }: RecordPeriod, { dateMs }: { readonly dateMs: number }): boolean {
  return dateMs >= fromMs && dateMs < toMs;
}

/** The groups of records that are given oldest first, added up one by one. */
function computeTotals(
  records: readonly StoredRecord[],
  direction: Direction,
): Omit<GroupTotals, 'groupId'>[] {
  const toOrigin = ({ origin }: StoredRecord): string => (direction === 'inbound' ? origin : '');
  const groups = Map.groupBy(records, (record) =>
    JSON.stringify([record.channel, record.service, toOrigin(record), record.responseCode]),
  );
  return [...groups.values()].map((group) => {
    const newest = group.at(-1)!;
    return {
      channel: newest.channel,
      service: newest.service,
      origin: toOrigin(newest),
      responseCode: newest.responseCode,
      records: group.length,
      responseTimeUs: sum(group.map(({ responseTimeUs }) => responseTimeUs)),
      botLatencyMs: sum(group.map(({ botLatencyMs }) => botLatencyMs)),
      newestSession: newest.session,
    };
  });
}

function compareGroups(a: Omit<GroupTotals, 'groupId'>, b: Omit<GroupTotals, 'groupId'>): number {
  const toOrder = (code: number | null): number => code ?? Number.MIN_SAFE_INTEGER;
  const numbers =
    a.channel - b.channel || a.service - b.service || toOrder(a.responseCode) - toOrder(b.responseCode);
  return numbers || (a.origin < b.origin ? -1 : Number(a.origin > b.origin));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
