import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Input } from '../../../src-main/common/contract/index.ts';
import {
  isEngineFormat,
  RECORD_FORMATS,
  RFC_4180,
  type CsvDialect,
} from '../../../src-main/common/model/exports/export-options.ts';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import { HOSTILE_TEXTS } from '../../support/samples/hostile-texts.ts';
import { createDocument, fillSnapshot } from '../cache/cache-fixture.ts';
import { createRealRig, type RealRig } from './real-rig.ts';

type Change = Partial<Input<'exports/start'>>;

let rig: RealRig;
beforeAll(async () => {
  rig = await createRealRig('records.txt');
});
afterAll(() => rig.close());

/** What a test exports. */
let scope: { readonly snapshotId: number };
async function fill(
  ...[documents, pageSize]: [documents: readonly unknown[], pageSize?: number]
): Promise<void> {
  scope = { snapshotId: await fillSnapshot(rig.cache, documents, {}, pageSize) };
}

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

/** An object as its fields in their order. */
const toEntries = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : value;

/** Writes both ways; returns whether the engine wrote the first by itself. */
async function expectSame(change: Change): Promise<boolean> {
  const spy = vi.spyOn(rig.engine, 'writeRecords');
  const task = await rig.write({ scope, ...change });
  const isEngines = (await spy.mock.results.at(-1)?.value) !== null;
  expect(task).toMatchObject({ state: 'done' });
  const own = await readFile(rig.target, 'utf8');
  const byRow = await rig.writeByRow({ scope, ...change });
  expect(byRow).toMatchObject({ state: 'done', done: task.done });
  const rows = await readFile(rig.target, 'utf8');
  const parse = (text: string): unknown[] => {
    const lines = change.format === 'json' ? [text] : text.trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line, toEntries) as unknown);
  };
  // JSON leaves it open how a character of a text is written.
  if (change.format === 'csv') expect(own).toBe(rows);
  else if (own !== rows) expect(parse(own)).toEqual(parse(rows));
  return isEngines;
}

describe('what the engine writes is what is written row by row', () => {
  beforeAll(() => fill(documents, 5));

  const dialects: readonly CsvDialect[] = [
    RFC_4180,
    { ...RFC_4180, separator: ';', decimalSign: ',', byteOrderMark: true },
    { ...RFC_4180, decimalSign: ',' },
    { ...RFC_4180, separator: '|', quoting: 'all', guard: false },
  ];
  it.each(dialects)('as CSV: %o', async (csv) => {
    for (const [zone, dates] of [
      ['UTC', 'received'],
      ['UTC', 'readable'],
      ['Europe/Rome', 'both'],
    ] as const) {
      const layout = { csv, dates };
      const more = { includeNames: true, includeMarks: true };
      expect(await expectSame({ format: 'csv', zone, layout, ...more })).toBe(true);
    }
  });

  it('as NDJSON, unknown fields among the others', async () => {
    expect(await expectSame({ format: 'ndjson', zone: 'Europe/Rome', includeNames: true })).toBe(true);
    await expectSame({ format: 'ndjson', layout: { columns: ['Other fields'] } });
    await expectSame({
      format: 'ndjson',
      layout: { columns: ['Client', 'Channel'], fieldNames: 'corrected' },
    });
  });

  it('as JSON, also without a record', async () => {
    expect(await expectSame({ format: 'json', zone: 'Europe/Rome', includeNames: true })).toBe(true);
    await expectSame({ format: 'json', layout: { columns: ['Client', 'Channel'] } });
    const nothing = { conditions: [{ field: 'payload' as const, text: 'not there' }] };
    await expectSame({ format: 'json', filter: nothing });
    const text = await readFile(rig.target, 'utf8');
    expect(JSON.parse(text)).toMatchObject({ recordCount: 0, state: 'filtered', records: [] });
  });

  it('in other orders, and filtered', async () => {
    await expectSame({
      format: 'csv',
      order: [{ column: 'responseTimeMs', descending: true }],
      filter: { conditions: [{ field: 'payload', text: 'l' }] },
    });
    await expectSame({ format: 'ndjson', order: [{ column: 'received', descending: true }] });
  });
});

/** A character that the engine would change, or of which an export tells. */
const isTold = (text: string): boolean =>
  /[\0\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd]/u.test(text.toWellFormed());
const toHostile = (texts: readonly string[]): unknown[] =>
  texts.flatMap((text, place) => [
    createDocument(2 * place, { Payload: text }),
    createDocument(2 * place + 1, { Client: text.slice(0, 200) }),
  ]);

it('texts of which nothing has to be told are written by the engine as they came', async () => {
  const texts = HOSTILE_TEXTS.filter((text) => !isTold(text));
  expect(texts.length).toBeGreaterThan(10);
  await fill(toHostile(texts));
  expect(await expectSame({ format: 'csv' })).toBe(true);
  expect(await expectSame({ format: 'ndjson' })).toBe(true);
});

it.each(HOSTILE_TEXTS.filter(isTold).map((text) => [JSON.stringify(text), text] as const))(
  'a text that the engine can not write as it came is written row by row: %s',
  async (_name, text) => {
    await fill(toHostile([text]));
    await expectSame({ format: 'csv' });
    expect(await expectSame({ format: 'ndjson' })).toBe(false);
  },
);

it('unknown fields that are named as known columns, and numbers of unusual size, are written row by row', async () => {
  const odd = [{ ...createDocument(0), 'Other fields': 1 }, createDocument(1, { ReponseTime: 1e-7 })];
  await fill(odd);
  expect(await expectSame({ format: 'ndjson' })).toBe(false);
  expect(await expectSame({ format: 'csv' })).toBe(false);
});

/** Documents whose payloads can hardly be compressed, of about twelve times as many characters as `length`. */
function createLongDocuments(count: number, length: number): unknown[] {
  const random = createRandom(3);
  const toPayload = (): string => Array.from({ length }, () => random().toString(36)).join();
  return Array.from({ length: count }, (_none, seq) => createDocument(seq, { Payload: toPayload() }));
}

describe('a large file', () => {
  beforeAll(() => fill(createLongDocuments(5000, 80)));

  it.each(RECORD_FORMATS.filter(isEngineFormat))(
    'as %s has the sum that is told of it, which was added up while it was written',
    async (format) => {
      const spy = vi.spyOn(rig.engine, 'writeRecords');
      const task = await rig.write({ scope, format });
      expect(task).toMatchObject({ state: 'done', error: null });
      const content = await readFile(rig.target);
      expect(content.length).toBeGreaterThan(2_000_000);
      expect(task).toMatchObject({ fileBytes: content.length, fileSha256: hash('sha256', content) });
      expect(await spy.mock.results.at(-1)?.value).not.toBeNull();
    },
  );
});

it('texts that take more memory than the engine may have are written row by row', async () => {
  await fill(createLongDocuments(2000, 800));
  expect(await expectSame({ format: 'ndjson' })).toBe(false);
});
