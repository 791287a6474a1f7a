import fc from 'fast-check';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type {
  InboundDetailDocument,
  InboundSummaryDocument,
} from '../../../src-main/common/reporting/wire-documents.ts';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { startTestService } from '../../support/service/running-service.ts';
import { callReport, toPeriod, walkReport } from '../../support/service/service-calls.ts';
import {
  ALL_TIME,
  CSV_HEADER,
  DETAILS,
  exportRecords,
  FORMATS,
  importText,
  readEverything,
  toInbound,
  toNdjson,
} from './import-support.ts';

const CORRECTIONS = [
  ['ReponseTime', 'ResponseTime'],
  ['ReponseCode', 'ResponseCode'],
  ['"Reponse"', '"Response"'],
] as const;

describe('an import of records', () => {
  const services: RunningService[] = [];
  const start = async (...given: Parameters<typeof startTestService>): Promise<RunningService> => {
    const service = await startTestService(...given);
    services.push(service);
    return service;
  };
  afterEach(async () => {
    for (const service of services.splice(0)) await service.stop();
  });

  describe('of the application’s own exports', () => {
    let source: RunningService;
    let target: RunningService;
    beforeEach(async () => {
      source = await start({ records: 400, seed: 7 });
      target = await start({ records: 0 });
    });

    it.each(FORMATS)(
      '%s: serves what the source serves, and adds nothing the second time',
      async (format) => {
        const files = await Promise.all(DETAILS.map((report) => exportRecords(source, report, format)));
        for (const file of files) {
          expect(await importText(target, file)).toMatchObject({
            failure: null,
            cancelled: false,
            report: { known: 0, rejected: 0, problems: [] },
          });
        }
        expect(await target.readSize()).toMatchObject({ inboundRecords: 400 });
        const served = await readEverything(target);
        expect(served).toEqual(await readEverything(source));
        for (const file of files) {
          const { report } = await importText(target, file);
          expect([report.added, report.known]).toEqual([0, report.lines]);
        }
        expect(await readEverything(target)).toEqual(served);
      },
    );

    it.each(FORMATS)('%s: finds every record of the source in the source itself', async (format) => {
      for (const report of DETAILS) {
        for (const includePayload of [true, false]) {
          const file = await exportRecords(source, report, format, { includePayload });
          const { report: done, failure } = await importText(source, file);
          expect([failure, done.added, done.rejected]).toEqual([null, 0, 0]);
          expect(done.known).toBe(done.lines);
        }
      }
    });

    it.each(FORMATS)(
      '%s: takes dates as received, whatever clock the export shows them in',
      async (format) => {
        for (const report of DETAILS) {
          const file = await exportRecords(source, report, format, { zone: 'Pacific/Auckland' });
          expect(file).toContain('"Date (Pacific/Auckland)"');
          const { report: done } = await importText(source, file);
          expect([done.added, done.rejected]).toEqual([0, 0]);
        }
      },
    );

    it.each(FORMATS)('%s: understands corrected spelling', async (format) => {
      for (const report of DETAILS) {
        let file = await exportRecords(source, report, format);
        for (const [wrong, right] of CORRECTIONS) file = file.replaceAll(wrong, right);
        if (format === 'csv') file = file.replace(',"Reponse",', ',"Response",');
        expect((await importText(target, file)).report).toMatchObject({ known: 0, rejected: 0 });
      }
      expect(await readEverything(target)).toEqual(await readEverything(source));
    });

    it('recognises a record whatever format it comes in', async () => {
      for (const report of DETAILS) await importText(target, await exportRecords(source, report, 'csv'));
      for (const report of DETAILS) {
        for (const format of FORMATS) {
          const { report: done } = await importText(target, await exportRecords(source, report, format));
          expect(done.added).toBe(0);
        }
      }
    });
  });

  it('keeps texts through CSV: formulas, quotes, line ends, blanks and signs of any language', async () => {
    const target = await start({ records: 0 });
    const texts = [
      '=1+1',
      '-5',
      '+x',
      '@a',
      '\t=b',
      "'quoted",
      'say "hi", twice',
      'a\r\nb\nc',
      ' x ',
      '١٢٣ 👩‍👩‍👧 \u202e',
      'e\u0301',
    ];
    const records = texts.map((text, index) =>
      toInbound({ Client: text, Error: text, Payload: text, BotLatency: index }),
    );
    expect((await importText(target, toNdjson(records))).report).toMatchObject({ added: records.length });
    const { documents } = await callReport(target, 'inbound-detail', { ...ALL_TIME });
    expect(documents).toEqual(records);
    const csv = await exportRecords(target, 'inbound-detail', 'csv');
    expect((await importText(target, csv)).report).toMatchObject({ added: 0, known: records.length });
    const other = await start({ records: 0 });
    expect((await importText(other, csv)).report).toMatchObject({ added: records.length });
    const copied = (await callReport(other, 'inbound-detail', { ...ALL_TIME })).documents;
    expect(copied).toEqual(records);
  });

  it('knows thousands of equal records again within moments', async () => {
    const target = await start({ records: 0 });
    const alike = toNdjson(Array.from({ length: 8_000 }, () => toInbound({ Id: 'alike' })));
    expect((await importText(target, alike)).report).toMatchObject({ added: 8_000, known: 0 });
    expect((await importText(target, alike)).report).toMatchObject({ added: 0, known: 8_000 });
  }, 20_000);

  it('decision 37, service: serves each of equal records, and adds the n-th only where the store holds fewer', async () => {
    const target = await start({ records: 0 });
    const [a, b] = [toInbound(), toInbound({ Payload: 'other' })];
    const add = async (...records: unknown[]): Promise<number> =>
      (await importText(target, toNdjson(records))).report.added;
    expect(await add(a, a)).toBe(2);
    expect(await add(a, b, a, a)).toBe(2);
    expect(await add(a, b, a, a)).toBe(0);
    expect(await add(b, b)).toBe(1);
    expect(await add(a)).toBe(0);
    const { totalDocument, documents } = await callReport(target, 'inbound-detail', ALL_TIME);
    expect([totalDocument, documents.length]).toEqual([5, 5]);
  });

  it('ends with the larger count of each record, whatever was there and however often it is cut short', async () => {
    const numbers = fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        numbers,
        numbers,
        fc.array(fc.nat(12), { maxLength: 3 }),
        async (first, second, cuts) => {
          const target = await startTestService({ records: 0 });
          try {
            const toLines = (values: number[]): string =>
              toNdjson(values.map((value) => toInbound({ Service: value % 3, Payload: `p${value % 2}` })));
            const count = (values: number[]): Record<string, number> => {
              const counts: Record<string, number> = {};
              for (const value of values) counts[value % 6] = (counts[value % 6] ?? 0) + 1;
              return counts;
            };
            if (first.length > 0) await importText(target, toLines(first));
            // A file that was imported in part before.
            for (const cut of cuts) {
              if (second.slice(0, cut).length > 0) await importText(target, toLines(second.slice(0, cut)));
            }
            if (second.length > 0) await importText(target, toLines(second));
            const served = await walkReport<InboundDetailDocument>(target, 'inbound-detail', ALL_TIME, 5);
            const [one, two, result] = [count(first), count(second), count([])];
            for (const key of Object.keys({ ...one, ...two }))
              result[key] = Math.max(one[key] ?? 0, two[key] ?? 0);
            const found: Record<string, number> = {};
            for (const { Service, Payload } of served) {
              const key = [0, 1, 2, 3, 4, 5].find(
                (each) => each % 3 === Service && `p${each % 2}` === Payload,
              )!;
              found[key] = (found[key] ?? 0) + 1;
            }
            expect(found).toEqual(result);
          } finally {
            await target.stop();
          }
        },
      ),
      { numRuns: 12 },
    );
  }, 60_000);

  it('decision 10, service: a walk keeps its records while an import adds some before and after them', async () => {
    const target = await start({ records: 3000 });
    const nowMs = Date.now();
    const period = toPeriod(nowMs - 9 * 86_400_000, nowMs);
    const before = await walkReport<InboundDetailDocument>(target, 'inbound-detail', period, 10_000);
    const records = Array.from({ length: 4000 }, (_, index) =>
      toInbound({
        Date: new Date(nowMs - 1000 - index * 150_000).toISOString(),
        Payload: `imported ${index}`,
      }),
    );
    const importing = importText(target, toNdjson(records));
    const walked: InboundDetailDocument[] = [];
    let lastDocument = '';
    do {
      const page = await callReport(target, 'inbound-detail', { ...period, size: 100, lastDocument });
      walked.push(...(page.documents as InboundDetailDocument[]));
      ({ lastDocument } = page);
      await delay(5);
    } while (lastDocument !== '');
    expect((await importing).report.added).toBe(4000);
    const isImported = ({ Payload }: InboundDetailDocument): boolean => Payload.startsWith('imported');
    expect(walked.filter((each) => !isImported(each))).toEqual(before);
    const imported = walked.filter(isImported).map(({ Payload }) => Payload);
    expect(new Set(imported).size).toBe(imported.length);
    const after = await callReport(target, 'inbound-detail', { ...ALL_TIME, size: 1 });
    expect(after.totalDocument).toBe(before.length + 4000);
    const groups = await walkReport<{ Count: string; Origin?: string }>(
      target,
      'inbound-summary',
      ALL_TIME,
      1000,
    );
    const counted = groups
      .filter(({ Origin }) => Origin !== undefined)
      .reduce((sum, { Count }) => sum + Number(Count), 0);
    expect(counted).toBe(after.totalDocument);
  });

  it('names the imported session where its request is the newest of a group', async () => {
    const target = await start({ records: 0 });
    await importText(target, toNdjson([toInbound({ Id: 'not "a" GUID' })]));
    const { documents } = await callReport(target, 'inbound-summary', ALL_TIME);
    expect(documents).toMatchObject([{ Id: 'not "a" GUID', Count: '1', AvegareReponseTime: 12.5 }]);
  });

  it('counts and sums records at the limits of every number and date', async () => {
    const target = await start({ records: 0 });
    const most = 2 ** 31 - 1;
    const numbers = [-(2 ** 31), -1, 0, 131_071, 131_072, most];
    const dates = ['1970-01-01T00:00:00.000Z', '2199-12-31T23:59:59.999Z'];
    const records = dates.flatMap((date) =>
      numbers.map((number) =>
        toInbound({
          Date: date,
          Channel: number,
          Service: number,
          ReponseCode: number,
          ReponseTime: most,
          BotLatency: most,
        }),
      ),
    );
    expect((await importText(target, toNdjson([...records, ...records]))).report.added).toBe(24);
    const served = await walkReport<InboundDetailDocument>(target, 'inbound-detail', ALL_TIME, 7);
    expect(served).toHaveLength(24);
    expect(served).toEqual(expect.arrayContaining(records));
    const page = await callReport(target, 'inbound-detail', { ...ALL_TIME, size: 1 });
    expect(page.totalDocument).toBe(24);
    const groups = await walkReport<object>(target, 'inbound-summary', ALL_TIME, 100);
    expect(groups).toHaveLength(numbers.length);
    for (const group of groups) {
      expect(group).toMatchObject({ Count: '4', AvegareReponseTime: most, AvegareBotLatency: most });
    }
    const { report } = await importText(target, toNdjson(records));
    expect([report.added, report.known]).toEqual([0, 12]);
  });

  it('keeps a record without a response code, however a file says so, and serves null for it (decision 22)', async () => {
    const target = await start({ records: 0 });
    const without = toInbound({ Client: 'without' });
    delete without['ReponseCode'];
    const lines = toNdjson([
      toInbound({ Client: 'null', ReponseCode: null }),
      toInbound({ Client: 'empty', ReponseCode: '' }),
      without,
      toInbound({ Client: 'zero', ReponseCode: 0 }),
      toInbound({ Client: 'none of it', ReponseCode: 'none' }),
    ]);
    const csv = `${CSV_HEADER}\nid,2026-11-19T10:15:30.123Z,3,7,of a CSV,12.5,,,40,hello,web\n`;
    for (const [added, known] of [
      [4, 0],
      [0, 4],
    ]) {
      expect((await importText(target, lines)).report).toMatchObject({ added, known, rejected: 1 });
    }
    expect((await importText(target, csv)).report).toMatchObject({ added: 1, rejected: 0 });
    const served = await walkReport<InboundDetailDocument>(target, 'inbound-detail', ALL_TIME, 2);
    expect(served.map(({ Client, ReponseCode }) => [Client, ReponseCode])).toEqual([
      ['null', null],
      ['empty', null],
      ['without', null],
      ['zero', 0],
      ['of a CSV', null],
    ]);
    const groups = await walkReport<InboundSummaryDocument>(target, 'inbound-summary', ALL_TIME, 1);
    expect(groups.map(({ ReponseCode, Count }) => [ReponseCode, Count])).toEqual([
      [null, '4'],
      [0, '1'],
    ]);
  });

  it('reads dates without a zone in the service’s own', async () => {
    const target = await start({ records: 0, timeZone: 'Europe/Madrid' });
    await importText(target, toNdjson([toInbound({ Date: '2026-07-01 12:00:00.250' })]));
    const { documents } = await callReport(target, 'inbound-detail', ALL_TIME);
    expect(documents).toMatchObject([{ Date: '2026-07-01T10:00:00.250Z' }]);
  });

  it('lets sample traffic go on, though the records of a file are of the future', async () => {
    const target = await start({ records: 0, live: true });
    await importText(
      target,
      toNdjson([toInbound({ Date: new Date(Date.now() + 86_400_000).toISOString() })]),
    );
    await expect
      .poll(async () => (await target.readSize()).inboundRecords, { timeout: 10_000 })
      .toBeGreaterThan(2);
  });

  it('serves long payloads in pages that are shorter than asked, and all of them', async () => {
    const target = await start({ records: 0 });
    const records = Array.from({ length: 40 }, (_, index) =>
      toInbound({ BotLatency: index, Payload: String(index).padEnd(990_000, 'x') }),
    );
    expect((await importText(target, toNdjson(records))).report.added).toBe(40);
    let pages = 0;
    const walked = await walkReport(target, 'inbound-detail', ALL_TIME, 10_000, () => (pages += 1));
    expect(walked).toEqual(records);
    expect(pages).toBe(2);
  });
});
