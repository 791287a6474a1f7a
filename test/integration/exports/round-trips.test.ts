import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import readWorkbook from 'read-excel-file/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPromise } from 'yauzl';
import {
  isRowFormat,
  RECORD_FORMATS,
  RFC_4180,
  type CsvDialect,
} from '../../../src-main/common/model/exports/export-options.ts';
import type { RecordDetail } from '../../../src-main/common/model/records/record.ts';
import type { SqlCell, SqlColumn } from '../../../src-main/common/model/records/sql.ts';
import { guardCsvText } from '../../../src-main/core/exports/formats/export-writer.ts';
import { createXlsxWriter } from '../../../src-main/core/exports/formats/xlsx/create-xlsx-writer.ts';
import { createRecord } from '../../support/fakes/fake-export-parts.ts';
import { HOSTILE_TEXTS } from '../../support/samples/hostile-texts.ts';
import { createDocument, fillSnapshot } from '../cache/cache-fixture.ts';
import { createExportRig, RECORDS_INPUT } from './export-rig.ts';
import { createRealRig, type RealRig } from './real-rig.ts';

const LONG = 'ab"c,\n'.repeat(300_000);
const documents = [...HOSTILE_TEXTS, LONG].map((text, seq) => ({
  ...createDocument(seq, {
    Payload: text,
    Client: text.slice(0, 200),
    Error: text.slice(0, 200),
    Origin: seq % 2 === 0 ? '' : text.slice(0, 99),
    ReponseTime: seq / 8,
    BotLatency: seq + 1,
  }),
  ...(seq % 3 === 0 ? { Channel: null } : {}),
  ...(seq % 4 === 0 ? { ReponseTime: null } : {}),
  ...(seq % 5 === 0 ? { Region: text.slice(0, 50), Big: 2 ** 60 } : {}),
}));
const made: RecordDetail[] = HOSTILE_TEXTS.map((text, seq) => createRecord(seq, { payload: text }));
const clean = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed();
/** What XML can't hold is replaced as well. */
const cleanXml = (text: string): string => clean(text).replace(/[\p{Cc}\uffff]/gu, toXmlCharacter);
const toXmlCharacter = (found: string): string => ('\t\n\r\u007f'.includes(found) ? found : '\ufffd');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'round-trips-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

/** A cache that holds what is hostile, and what of it is there. Exports only read it. */
let rig: RealRig;
let cached: RecordDetail[];
beforeAll(async () => {
  rig = await createRealRig('hostile.file');
  await fillSnapshot(rig.cache, documents, {}, 6);
  cached = await rig.readCached(documents.length);
});
afterAll(() => rig.close());

describe('CSV reads back cell by cell', () => {
  const dialects: readonly (readonly [string, CsvDialect])[] = [
    ['RFC 4180', RFC_4180],
    ['semicolons and decimal commas', { ...RFC_4180, separator: ';', decimalSign: ',', byteOrderMark: true }],
    ['a decimal comma between commas', { ...RFC_4180, decimalSign: ',' }],
    ['tabs, quotes where needed', { ...RFC_4180, separator: '\t', quoting: 'needed' }],
    ['bars, all quoted, without guard', { ...RFC_4180, separator: '|', quoting: 'all', guard: false }],
  ];
  it.each(dialects)('%s', async (_name, csv) => {
    const task = await rig.write({ format: 'csv', layout: { csv } });
    const text = await readFile(rig.target, 'utf8');
    expect(text.startsWith('\ufeff')).toBe(csv.byteOrderMark);
    const rows: Record<string, string>[] = parse(text, {
      columns: true,
      bom: true,
      delimiter: csv.separator,
      record_delimiter: '\r\n',
      relax_quotes: false,
    });
    const guard = csv.guard ? guardCsvText : (cell: string): string => cell;
    const toText = (value: string): string => guard(clean(value));
    const toNumber = (value: number | null): string =>
      value === null ? '' : String(value).replace('.', csv.decimalSign);
    expect(rows).toEqual(
      cached.map((record) => ({
        Id: record.sessionId,
        Date: record.dateText,
        Channel: toNumber(record.channel),
        Service: toNumber(record.service),
        Client: toText(record.client),
        ReponseTime: toNumber(record.responseTimeMs),
        ReponseCode: toNumber(record.responseCode),
        Error: toText(record.error),
        BotLatency: toNumber(record.botLatencyMs),
        Payload: toText(record.payload),
        Origin: toText(record.origin),
        'Other fields': toText(toObjectText(record)),
      })),
    );
    expect(rows[5]?.['Other fields']).toContain('"Big":1152921504606847000');
    expect(task.replacedCharacters).toBeGreaterThan(3);
  });
});

/** What is no field of the specification, as one object; nothing where there is none. */
function toObjectText({ extra }: RecordDetail): string {
  const members = Object.entries(extra).map(([name, json]) => `${JSON.stringify(name)}:${json}`);
  return members.length === 0 ? '' : `{${members.join(',')}}`;
}

describe.each(['ndjson', 'json'] as const)('as %s', (format) => {
  it('every value reads back, halves of pairs, NUL and unknown fields too', async () => {
    expect(await rig.write({ format })).toMatchObject({ state: 'done', error: null });
    const text = await readFile(rig.target, 'utf8');
    const lines = text.split('\n');
    const rows =
      format === 'json'
        ? (JSON.parse(text) as { records: unknown[] }).records
        : lines.slice(0, -1).map((line) => JSON.parse(line) as unknown);
    if (format === 'ndjson') expect(lines.at(-1)).toBe('');
    expect(rows).toEqual(
      cached.map((record, seq) => ({
        Id: record.sessionId,
        Date: record.dateText,
        Channel: record.channel,
        Service: record.service,
        Client: record.client,
        ReponseTime: record.responseTimeMs,
        ReponseCode: record.responseCode,
        Error: record.error,
        BotLatency: record.botLatencyMs,
        Payload: record.payload,
        Origin: record.origin,
        ...(seq % 5 === 0 ? { Region: record.payload.slice(0, 50), Big: 2 ** 60 } : {}),
      })),
    );
  });
});

it('a portable file holds every value of the cache, read by other programs', async () => {
  expect(await rig.share()).toMatchObject({ state: 'done', done: documents.length });
  const zip = await openPromise(rig.target, { lazyEntries: true, autoClose: false });
  const rows: Record<string, unknown>[] = [];
  for await (const entry of zip.eachEntry()) {
    if (!entry.fileName.includes('/pages/')) continue;
    const pieces: Buffer[] = [];
    for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece as Buffer);
    const page = JSON.parse(Buffer.concat(pieces).toString()) as { documents: Record<string, unknown>[] };
    rows.push(...page.documents);
  }
  zip.close();
  expect(rows).toEqual(documents);
  // Short fields of the cache are UTF-8.
  expect(
    rows.map(({ Payload, Client, ReponseTime, Channel }) => [
      Payload,
      String(Client).toWellFormed(),
      ReponseTime,
      Channel,
    ]),
  ).toEqual(
    cached.map(({ payload, client, responseTimeMs, channel }) => [payload, client, responseTimeMs, channel]),
  );
});

describe('Excel', () => {
  it('reads back texts as texts, numbers as numbers and dates as dates, and says what was cut', async () => {
    const task = await rig.write({ format: 'xlsx', zone: 'Asia/Tokyo' });
    const [sheet, about] = await readWorkbook(rig.target, { trim: false });
    const [head, ...rows] = sheet!.data;
    const at = (name: string): number => head!.indexOf(name);
    expect(sheet?.sheet).toBe('Records');
    expect(rows).toHaveLength(cached.length);
    const read = (row: (typeof rows)[number], name: string): string => String(row[at(name)] ?? '');
    for (const [seq, record] of cached.entries()) {
      const row = rows[seq]!;
      if (record.payload === LONG) {
        expect(read(row, 'Payload')).toHaveLength(32_767);
        expect(read(row, 'Payload').endsWith(`… [cut: ${LONG.length} characters]`)).toBe(true);
      } else expect(read(row, 'Payload')).toBe(cleanXml(record.payload));
      for (const [name, text] of [
        ['Id', record.sessionId],
        ['Client', record.client],
        ['Error', record.error],
        ['Origin', record.origin],
        ['Other fields', toObjectText(record)],
      ] as const) {
        expect(read(row, name), name).toBe(cleanXml(text));
      }
      for (const [name, number] of [
        ['Channel', record.channel],
        ['Service', record.service],
        ['ReponseTime', record.responseTimeMs],
        ['ReponseCode', record.responseCode],
        ['BotLatency', record.botLatencyMs],
      ] as const) {
        expect(row[at(name)], name).toBe(number);
      }
      // Nine hours ahead of UTC; a day's fraction is not to the thousandth.
      const shownMs = (row[at('Date (Asia/Tokyo)')] as unknown as Date).getTime();
      expect(Math.abs(shownMs - (record.dateMs ?? 0) - 9 * 3_600_000)).toBeLessThanOrEqual(1);
      expect(row[at('Date')]).toBe(record.dateText);
    }
    expect(task.cutTexts).toBe(1);
    const facts = new Map(about!.data.map(([name, value]) => [String(name), value]));
    expect(facts.get('tenant')).toBe(1);
    expect([...facts.keys()].some((name) => name.startsWith('texts cut'))).toBe(true);
  });

  it('goes on upon another sheet where one is full', async () => {
    const column = { name: 'N', type: 'number' as const, read: (row: number) => row };
    const about = { report: 'x', tenant: 1, startDate: '', endDate: '', zone: 'UTC', state: 'complete' };
    const writer = createXlsxWriter(
      [column],
      { ...about, recordCount: 7, exportedAt: new Date(0).toISOString() },
      { sheetRows: 3 },
    );
    const pieces = [
      await writer.begin(),
      await writer.write([1, 2, 3, 4]),
      await writer.write([5, 6, 7]),
      await writer.end(),
    ];
    const sheets = await readWorkbook(Buffer.concat(pieces));
    expect(sheets.map(({ sheet }) => sheet)).toEqual(['Records', 'Records 2', 'Records 3', 'About']);
    expect(sheets.slice(0, 3).map(({ data }) => data.flat())).toEqual([
      ['N', 1, 2, 3],
      ['N', 4, 5, 6],
      ['N', 7],
    ]);
  });
});

describe('a file', () => {
  it.each(RECORD_FORMATS.filter(isRowFormat))(
    'has the columns that were chosen, under corrected names, as %s',
    async (format) => {
      const { write } = createExportRig({ folder, records: made.slice(0, 3) });
      const layout = {
        columns: ['ReponseTime', 'Date'],
        fieldNames: 'corrected' as const,
        dates: 'readable' as const,
      };
      const { file } = await write({ ...RECORDS_INPUT, format, layout, zone: 'UTC' });
      const names = ['Date (UTC)', 'ResponseTime'];
      if (format === 'xlsx') expect((await readWorkbook(file))[0]?.data[0]).toEqual(names);
      else {
        const text = await readFile(file, 'utf8');
        if (format === 'csv') expect(text.split('\r\n')[0]).toBe('"Date (UTC)","ResponseTime"');
        if (format === 'ndjson')
          expect(Object.keys(JSON.parse(text.split('\n')[0]!) as object)).toEqual(names);
        if (format === 'json')
          expect(Object.keys((JSON.parse(text) as { records: object[] }).records[0]!)).toEqual(names);
      }
    },
  );

  it('that was asked to have no column is refused', async () => {
    const { write } = createExportRig({ folder, records: made });
    const asked = write({ ...RECORDS_INPUT, layout: { columns: ['Nothing'] } });
    await expect(asked).rejects.toMatchObject({ code: 'app.invalid-input' });
  });

  it('has a manifest beside it that tells its sum, its columns and where it comes from', async () => {
    const { write } = createExportRig({ folder, records: made });
    const { file, task } = await write({ ...RECORDS_INPUT, format: 'ndjson', layout: { manifest: true } });
    const manifest = JSON.parse(await readFile(`${file}.manifest.json`, 'utf8')) as Record<string, unknown>;
    expect(manifest).toMatchObject({
      format: 'channelscope-export-manifest',
      sha256: task.fileSha256,
      bytes: task.fileBytes,
      report: 'inbound-detail',
      recordCount: made.length,
      state: 'complete',
      gaps: [],
      connection: { name: 'Work', address: 'https://reports.example' },
      applicationVersion: '1.2.3',
      certificates: [{ snapshotId: 1 }],
    });
    expect(task.manifestName).toBe('chosen.file.manifest.json');
  });
});

describe('a result of SQL', () => {
  const columns: SqlColumn[] = [
    { name: 'text', type: 'VARCHAR', kind: 'text' },
    { name: 'text', type: 'DECIMAL(38,3)', kind: 'number' },
    { name: 'truth', type: 'BOOLEAN', kind: 'boolean' },
  ];
  const result: SqlCell[][] = [
    ['=1+1', '123456789012345678.125', true],
    [null, -5.5, false],
    ['007', null, null],
  ];
  const input = {
    resultId: 'r',
    connectionId: 'c',
    columns,
    rowCount: 3,
    hasMore: false,
    statement: 'SELECT 1',
    fromMs: Date.UTC(2026, 10, 19),
    toMs: Date.UTC(2026, 10, 20),
    zone: 'UTC',
  };

  it('is written by the same writers', async () => {
    const { writeResult } = createExportRig({ folder, result });
    const csv = await writeResult({ ...input, format: 'csv' });
    expect(await readFile(csv.file, 'utf8')).toBe(
      '"text","text (2)","truth"\r\n"\'=1+1",123456789012345678.125,"true"\r\n,-5.5,"false"\r\n"007",,\r\n',
    );
    expect(csv.suggested).toBe('sql_1001_2026-11-19.csv');
    const json = await writeResult({ ...input, format: 'json' });
    expect(JSON.parse(await readFile(json.file, 'utf8'))).toMatchObject({
      report: 'sql',
      statement: 'SELECT 1',
      state: 'complete',
      recordCount: 3,
      records: [
        { text: '=1+1', 'text (2)': '123456789012345678.125', truth: true },
        { text: null, 'text (2)': -5.5, truth: false },
        { text: '007', 'text (2)': null, truth: null },
      ],
    });
    const xlsx = await writeResult({ ...input, format: 'xlsx' });
    expect((await readWorkbook(xlsx.file))[0]?.data.slice(1)).toEqual([
      ['=1+1', '123456789012345678.125', true],
      [null, -5.5, false],
      ['007', null, null],
    ]);
  });
});

describe('a preview', () => {
  it('is the beginning of the file, with its columns and about its size', async () => {
    const many = Array.from({ length: 2000 }, (_none, seq) => createRecord(seq, { payload: `p ${seq}` }));
    const { exporter, write, openViews } = createExportRig({ folder, records: many });
    for (const format of RECORD_FORMATS.filter(isRowFormat)) {
      const preview = await exporter.preview({ ...RECORDS_INPUT, format });
      const { file, task } = await write({ ...RECORDS_INPUT, format });
      expect(preview.columns.slice(0, 2)).toEqual(['Id', 'Date']);
      expect(preview.cells).toHaveLength(6);
      expect(preview.rowCount).toBe(2000);
      const share = (preview.estimatedBytes ?? 0) / (task.fileBytes ?? 1);
      expect(share).toBeGreaterThan(format === 'xlsx' ? 0.4 : 0.9);
      expect(share).toBeLessThan(format === 'xlsx' ? 2.5 : 1.1);
      if (format === 'csv' || format === 'ndjson')
        expect((await readFile(file, 'utf8')).startsWith(preview.text ?? '-')).toBe(true);
      if (format === 'xlsx') expect(preview.text).toBeNull();
    }
    expect(openViews()).toBe(0);
  });
});
