import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { DateOrder } from '../../../src-main/common/reporting/reading/read-date.ts';
import { shareImportRig } from './import-rig.ts';

const openRig = shareImportRig();

const NAMES = [
  'Id',
  'Date',
  'Channel',
  'Service',
  'Client',
  'ReponseTime',
  'ReponseCode',
  'Error',
  'BotLatency',
];

function toRow(date: string, seq = 0): string[] {
  return [`session-${seq}`, date, '1', '7', 'Ana', '10.5', '200', '', '5'];
}

function toCsv(dates: readonly string[], separator = ','): string {
  return [NAMES, ...dates.map(toRow)].map((cells) => `${cells.join(separator)}\r\n`).join('');
}

/** Imports a text, and returns its task with the dates of the records that it brought, oldest first. */
async function importText(text: string | Buffer, more: { readonly dateOrder?: DateOrder } = {}) {
  const rig = openRig();
  const path = join(rig.folder, `${Math.random()}.csv`);
  await writeFile(path, text);
  const task = await rig.import(path, more);
  const [snapshotId] = task.importOutcome?.snapshotIds ?? [];
  if (snapshotId === undefined) return { task, dates: [], records: [] };
  const out = `${path}.ndjson`;
  await rig.export(snapshotId, out, {});
  const lines = (await readFile(out, 'utf8')).trim().split('\n');
  const records = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  return { task, records, dates: records.map((record) => String(record['Date'])) };
}

it.each([
  ['20.11.2026 10:00:01', '2026-11-20T10:00:01.000'],
  ['20.11.26 10:00', '2026-11-20T10:00:00.000'],
  ['11/20/2026 10:00', '2026-11-20T10:00:00.000'],
  ['11/20/2026 12:05:09 AM', '2026-11-20T00:05:09.000'],
  ['20/11/2026 9:05 p.m.', '2026-11-20T21:05:00.000'],
  ['2026/11/20 10:00:01.25', '2026-11-20T10:00:01.250'],
  ['2026. 11. 20. 10:00', '2026-11-20T10:00:00.000'],
])('a date as a spreadsheet writes it is read, and how is said: %s', async (written, iso) => {
  const { task, dates } = await importText(toCsv([written]));
  expect(dates).toEqual([iso]);
  expect(task.importOutcome?.remarks).toMatchObject([
    { code: 'import-dates-converted', count: 1 },
    { code: 'import-zone-assumed', detail: 'UTC' },
  ]);
  expect(task.importOutcome?.remarks[0]?.detail).toMatch(`${written} → ${iso.slice(0, 10)}`);
});

it('one day above 12 tells the order of all; without one a person says it, and no record comes in before', async () => {
  const { dates } = await importText(toCsv(['03/04/2026 10:00', '03/14/2026 10:00']));
  expect(dates).toEqual(['2026-03-04T10:00:00.000', '2026-03-14T10:00:00.000']);

  const unclear = toCsv(['03/04/2026 10:00', '05/06/2026 10:00']);
  const before = await openRig().call('snapshots/list', { connectionId: null });
  const { task } = await importText(unclear);
  expect(task.error).toMatchObject({
    code: 'imports.dates-ambiguous',
    details: {
      sample: '03/04/2026 10:00',
      'day-month': '2026-04-03T10:00:00.000',
      'month-day': '2026-03-04T10:00:00.000',
    },
  });
  expect(await openRig().call('snapshots/list', { connectionId: null })).toEqual(before);
  expect((await importText(unclear, { dateOrder: 'day-month' })).dates).toEqual([
    '2026-04-03T10:00:00.000',
    '2026-06-05T10:00:00.000',
  ]);
});

it('a date with the zone in which it is keeps it, and needs no other', async () => {
  const { task, dates } = await importText(
    toCsv(['20.11.2026 10:00:00 +01:00', '20.11.2026 10:00 UTC', '2026-11-20 10:00:00 -0500']),
  );
  expect(dates).toEqual([
    '2026-11-20T10:00:00.000+01:00',
    '2026-11-20T10:00:00.000Z',
    '2026-11-20 10:00:00 -0500',
  ]);
  expect(task.importOutcome?.remarks.map(({ code }) => code)).toEqual(['import-dates-converted']);
});

it('a year of two digits that may stand first is asked for', async () => {
  const text = toCsv(['26-11-20 10:00']);
  expect((await importText(text)).task.error).toMatchObject({
    code: 'imports.dates-ambiguous',
    details: { 'day-month': '2020-11-26T10:00:00.000', 'year-month': '2026-11-20T10:00:00.000' },
  });
  expect((await importText(text, { dateOrder: 'year-month' })).dates).toEqual(['2026-11-20T10:00:00.000']);
});

const NUMBERED = '2026-11-20 10:00:00';
/** A file of records that took so long, and what it says of them. */
async function importTimes(times: readonly string[], separator = ';') {
  const rows = times.map((time) => toRow(NUMBERED).map((cell) => (cell === '10.5' ? time : cell)));
  const { task, records } = await importText(
    [NAMES, ...rows].map((cells) => `"${cells.join(`"${separator}"`)}"\r\n`).join(''),
  );
  return { task, times: records.map((record) => record['ReponseTime']) };
}

it.each([
  [
    ['10,5', '1.234,5'],
    [10.5, 1234.5],
  ],
  [
    ['10,5', '1.234', '1.234.567'],
    [10.5, 1234, 1_234_567],
  ],
  [
    ['10.5', '1,234.5', '1,234'],
    [10.5, 1234.5, 1234],
  ],
  [
    ['10.5', "1'234.5"],
    [10.5, 1234.5],
  ],
  [
    ['10,5', '1 234,5', '1\u00a0234'],
    [10.5, 1234.5, 1234],
  ],
  [
    ['10.123', '1.234'],
    [10.123, 1.234],
  ],
  [
    ['10,123', '1,234'],
    [10.123, 1.234],
  ],
])('numbers as a spreadsheet shows them are read for what they are: %j', async (written, times) => {
  expect((await importTimes(written)).times).toEqual(times);
});

it('numbers that can be read in two ways are refused, and one that is none is said', async () => {
  const refusals = [
    [['1.234', '5,678'], ';', /written in two ways, such as "1.234" and "5,678"/],
    [['10.5', '10,5'], ';', /written in two ways/],
    [['1,234', '2,345'], ',', /"1,234", can be read with the comma/],
  ] as const;
  for (const [times, separator, reason] of refusals) {
    const { task } = await importTimes(times, separator);
    expect(String(task.error?.details['reason'])).toMatch(reason);
  }
  const { task } = await importTimes(['3.4.5', '10.5']);
  expect(task.importOutcome?.remarks).toContainEqual({ code: 'number-not-understood', count: 1 });
});

it('dates in two orders, dates that are none as said, and files without one readable date are refused', async () => {
  const refusals = [
    [toCsv(['14/03/2026 10:00', '03/14/2026 10:00']), /more than one order/],
    [toCsv(['soon', 'later']), /None of its 2 dates can be read, such as "soon"/],
    [toCsv(['30.02.2026 10:00']), /None of its 1 dates/],
    [toCsv(['46346.41667']), /day numbers of a spreadsheet.*yyyy-mm-dd/],
    [toCsv(['00:00.1']), /times without their days/],
  ] as const;
  for (const [text, reason] of refusals) {
    const { task } = await importText(text);
    expect(String(task.error?.details['reason'])).toMatch(reason);
  }
  const { task } = await importText(toCsv(['14.03.2026 10:00']), { dateOrder: 'month-day' });
  expect(String(task.error?.details['reason'])).toMatch(/read as you said/);
});

it('a few dates that can not be read are counted and shown, and their records kept', async () => {
  const { task } = await importText(toCsv(['2026-11-20T10:00:00.000Z', 'soon', 'later']));
  expect(task.importOutcome).toMatchObject({
    recordCount: 3,
    remarks: [{ code: 'import-dates-unread', count: 2, detail: 'soon' }],
  });
});

it.each([
  ['a line that names the separator', `sep=;\r\n${toCsv(['2026-11-20 10:00:00'], ';')}`],
  ['columns without a name at the end', toCsv(['2026-11-20 10:00:00'], ';').replaceAll('\r\n', ';;;\r\n')],
  ['empty rows', `${toCsv(['2026-11-20 10:00:00'])}\r\n,,,,,,,,\r\n\r\n`],
  ['line ends of old Macs', toCsv(['2026-11-20 10:00:00']).replaceAll('\r\n', '\r')],
  ['spaces before quoted cells', toCsv(['"2026-11-20 10:00:00"']).replaceAll(',', ', ')],
  ['UTF-16 and its mark', Buffer.from(`\ufeff${toCsv(['2026-11-20 10:00:00'], '\t')}`, 'utf16le')],
  ['UTF-16 without its mark', Buffer.from(toCsv(['2026-11-20 10:00:00'], '\t'), 'utf16le').swap16()],
  ['a line of blanks at its end', `${toCsv(['2026-11-20 10:00:00'])}   \r\n`],
  ['the header again', toCsv(['2026-11-20 10:00:00']) + toCsv([])],
  ['a NUL in a cell', toCsv(['2026-11-20 10:00:00']).replace('Ana', 'A\0na')],
  ['a quotation mark in the middle of a cell', toCsv(['2026-11-20 10:00:00']).replace('Ana', 'A"n"a')],
  ['names in small letters', toCsv(['2026-11-20 10:00:00']).replace(/^.*/, (names) => names.toLowerCase())],
])('a CSV file with %s is read', async (_what, text) => {
  const { task, dates } = await importText(text);
  expect(task.error).toBeNull();
  expect(dates.map((date) => date.slice(0, 19))).toEqual(['2026-11-20 10:00:00']);
});

it('a first record with NaN, or with a list of objects of its own, is one of a file of lines', async () => {
  const record = { Id: 'a', Date: '2026-11-20T10:00:00Z', ReponseTime: 0, BotLatency: 1 };
  const line = JSON.stringify(record);
  const { records } = await importText(`${line.replace('"ReponseTime":0', '"ReponseTime":NaN')}\n${line}\n`);
  expect(records).toMatchObject([{ Id: 'a', ReponseTime: 0 }]);
  const nested = await importText(`${JSON.stringify({ ...record, Parts: [{ a: 1 }] })}\n`);
  expect(nested.records).toMatchObject([{ Id: 'a', Parts: [{ a: 1 }] }]);
});

it('a value under a column without a name, and text behind a quoted cell, are refused in words', async () => {
  const stray = toCsv(['2026-11-20 10:00:00'], ';')
    .replaceAll(/\r\n/g, ';\r\n')
    .replace(/;\r\n$/, ';x\r\n');
  const refusals = [
    [stray, /Line 2 has 10 cells, and the header names 9 columns/],
    [toCsv(['2026-11-20 10:00:00']).replace('Ana', '"An"a'), /Line 2 has a quotation mark/],
  ] as const;
  for (const [text, reason] of refusals) {
    const { task } = await importText(text);
    expect(task.error?.code).toBe('imports.unreadable');
    expect(String(task.error?.details['reason'])).toMatch(reason);
  }
});
