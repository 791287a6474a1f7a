import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Input } from '../../../src-main/common/contract/index.ts';
import { RFC_4180, type CsvDialect } from '../../../src-main/common/model/exports/export-options.ts';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import { HOSTILE_TEXTS } from '../../support/samples/hostile-texts.ts';
import { createDocument, fillSnapshot } from '../cache/cache-fixture.ts';
import { createRealRig, type RealRig } from './real-rig.ts';

type Change = Partial<Input<'exports/start'>>;

let rig: RealRig;
beforeEach(async () => {
  rig = await createRealRig('records.txt');
});
afterEach(() => rig.close());

/** Texts that the engine writes by itself: formulas of every kind, quotes, line ends, emoji, accents. */
const PLAIN_TEXTS = [
  '',
  'plain',
  '=1+1',
  '  =1+1',
  '\u00a0@x',
  '\t-1',
  '\r\n+1',
  '\uff1d1',
  '\u2212 5',
  '-5',
  'a,"b";c\td|e',
  '"',
  'line\nline\r\nline',
  '\\u0041 \\ /',
  '\u0001\u001f\u007f',
  'é 漢 🎉',
  ' ends with blanks ',
];
/** A zone whose clock is put back at 01:00 UTC of the day before the others. */
const AUTUMN = Date.UTC(2026, 9, 25, 0, 30);
const documents = PLAIN_TEXTS.flatMap((text, place) => [
  {
    ...createDocument(place, {
      Date: new Date(AUTUMN + place * 300_000 + (place % 3)).toISOString(),
      Client: text,
      Error: text,
      Payload: text.repeat(3),
      Origin: place % 2 === 0 ? text : '',
      ReponseTime: [0, 0.1, 12.345, 1e14, -3, 1 / 3, 250][place % 7] ?? 0,
    }),
    ...(place % 4 === 0 ? { Région: text, 'a "b"': [1, 1.5, null], 7: place } : {}),
    ...(place === 5 ? { Date: 'yesterday' } : {}),
    ...(place === 6 ? { Channel: null } : {}),
  },
]);

const isEngines = async (change: Change): Promise<boolean> => {
  const spy = vi.spyOn(rig.engine, 'writeRecords');
  await rig.write(change);
  return (await spy.mock.results.at(-1)?.value) !== null;
};

/** An object as its fields in their order. */
const toEntries = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : value;

async function expectSame(change: Change): Promise<void> {
  const task = await rig.write(change);
  expect(task).toMatchObject({ state: 'done' });
  const own = await readFile(rig.target, 'utf8');
  const byRow = await rig.writeByRow(change);
  expect(byRow).toMatchObject({ state: 'done', done: task.done });
  const rows = await readFile(rig.target, 'utf8');
  const parse = (text: string): unknown[] => {
    const lines = change.format === 'json' ? [text] : text.trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line, toEntries) as unknown);
  };
  // JSON leaves it open how a character of a text is written.
  if (change.format === 'csv') expect(own).toBe(rows);
  else expect(parse(own)).toEqual(parse(rows));
}

describe('what the engine writes is what is written row by row', () => {
  const dialects: readonly CsvDialect[] = [
    RFC_4180,
    { ...RFC_4180, separator: ';', decimalSign: ',', byteOrderMark: true },
    { ...RFC_4180, decimalSign: ',' },
    { ...RFC_4180, separator: '|', quoting: 'all', guard: false },
  ];
  it.each(dialects)('as CSV: %o', async (csv) => {
    await fillSnapshot(rig.cache, documents, {}, 5);
    for (const zone of ['UTC', 'Europe/Rome']) {
      for (const dates of ['received', 'readable', 'both'] as const) {
        const layout = { csv, dates };
        await expectSame({ format: 'csv', zone, layout, includeNames: true, includeMarks: true });
      }
    }
    expect(await isEngines({ format: 'csv', layout: { csv } })).toBe(true);
  });

  it('as NDJSON, unknown fields among the others', async () => {
    await fillSnapshot(rig.cache, documents, {}, 5);
    await expectSame({ format: 'ndjson', zone: 'Europe/Rome', includeNames: true });
    await expectSame({ format: 'ndjson', layout: { columns: ['Other fields'] } });
    await expectSame({
      format: 'ndjson',
      layout: { columns: ['Client', 'Channel'], fieldNames: 'corrected' },
    });
    expect(await isEngines({ format: 'ndjson' })).toBe(true);
  });

  it('as JSON, also without a record', async () => {
    await fillSnapshot(rig.cache, documents, {}, 5);
    await expectSame({ format: 'json', zone: 'Europe/Rome', includeNames: true });
    await expectSame({ format: 'json', layout: { columns: ['Client', 'Channel'] } });
    expect(await isEngines({ format: 'json' })).toBe(true);
    const nothing = { conditions: [{ field: 'payload' as const, text: 'not there' }] };
    await expectSame({ format: 'json', filter: nothing });
    const text = await readFile(rig.target, 'utf8');
    expect(JSON.parse(text)).toMatchObject({ recordCount: 0, state: 'filtered', records: [] });
  });

  it('in other orders, and filtered', async () => {
    await fillSnapshot(rig.cache, documents, {}, 5);
    await expectSame({
      format: 'csv',
      order: [{ column: 'responseTimeMs', descending: true }],
      filter: { conditions: [{ field: 'payload', text: 'l' }] },
    });
    await expectSame({ format: 'ndjson', order: [{ column: 'received', descending: true }] });
  });
});

it.each(HOSTILE_TEXTS.map((text) => [JSON.stringify(text), text] as const))(
  'a text that the engine can not write as it came is written row by row: %s',
  async (_name, text) => {
    const hostile = [createDocument(0, { Payload: text }), createDocument(1, { Client: text.slice(0, 200) })];
    await fillSnapshot(rig.cache, hostile);
    await expectSame({ format: 'csv' });
    await expectSame({ format: 'ndjson' });
    const isTold = /[\0\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd]/u.test(text.toWellFormed());
    expect(await isEngines({ format: 'ndjson' })).toBe(!isTold);
  },
);

it('unknown fields that are named as known columns, and numbers of unusual size, are written row by row', async () => {
  const odd = [{ ...createDocument(0), 'Other fields': 1 }, createDocument(1, { ReponseTime: 1e-7 })];
  await fillSnapshot(rig.cache, odd);
  await expectSame({ format: 'ndjson' });
  await expectSame({ format: 'csv' });
  expect(await isEngines({ format: 'ndjson' })).toBe(false);
  expect(await isEngines({ format: 'csv' })).toBe(false);
});

/** Documents whose payloads can hardly be compressed, of about twelve times as many characters as `length`. */
function createLongDocuments(count: number, length: number): unknown[] {
  const random = createRandom(3);
  const toPayload = (): string => Array.from({ length }, () => random().toString(36)).join();
  return Array.from({ length: count }, (_none, seq) => createDocument(seq, { Payload: toPayload() }));
}

it.each(['csv', 'ndjson', 'json', 'parquet'] as const)(
  'a large file as %s has the sum that is told of it, which was added up while it was written',
  async (format) => {
    await fillSnapshot(rig.cache, createLongDocuments(5000, 80));
    const task = await rig.write({ format });
    expect(task).toMatchObject({ state: 'done', error: null });
    const content = await readFile(rig.target);
    expect(content.length).toBeGreaterThan(2_000_000);
    expect(task).toMatchObject({ fileBytes: content.length, fileSha256: hash('sha256', content) });
    expect(await isEngines({ format })).toBe(true);
  },
);

it('texts that take more memory than the engine may have are written row by row', async () => {
  await fillSnapshot(rig.cache, createLongDocuments(2000, 800));
  expect(await isEngines({ format: 'ndjson' })).toBe(false);
  await expectSame({ format: 'ndjson' });
});
