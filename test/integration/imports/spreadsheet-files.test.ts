import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
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
async function importText(text: string, more: { readonly dateOrder?: 'day-month' | 'month-day' } = {}) {
  const rig = openRig();
  const path = join(rig.folder, `${Math.random()}.csv`);
  await writeFile(path, text);
  const task = await rig.import(path, more);
  const [snapshotId] = task.importOutcome?.snapshotIds ?? [];
  if (snapshotId === undefined) return { task, dates: [] };
  const out = `${path}.ndjson`;
  await rig.export(snapshotId, out, {});
  const lines = (await readFile(out, 'utf8')).trim().split('\n');
  const dates = lines.map((line) => (JSON.parse(line) as { readonly Date: string }).Date);
  return { task, dates };
}

it.each([
  ['20.11.2026 10:00:01', '2026-11-20T10:00:01.000'],
  ['20.11.26 10:00', '2026-11-20T10:00:00.000'],
  ['11/20/2026 10:00', '2026-11-20T10:00:00.000'],
  ['11/20/2026 12:05:09 AM', '2026-11-20T00:05:09.000'],
  ['20/11/2026 9:05 p.m.', '2026-11-20T21:05:00.000'],
  ['2026/11/20 10:00:01.25', '2026-11-20T10:00:01.250'],
])('a date as a spreadsheet writes it is read, and how is said: %s', async (written, iso) => {
  const { task, dates } = await importText(toCsv([written]));
  expect(dates).toEqual([iso]);
  expect(task.importOutcome?.remarks).toMatchObject([{ code: 'import-dates-converted', count: 1 }]);
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
      dayFirst: '2026-04-03T10:00:00.000',
      monthFirst: '2026-03-04T10:00:00.000',
    },
  });
  expect(await openRig().call('snapshots/list', { connectionId: null })).toEqual(before);
  expect((await importText(unclear, { dateOrder: 'day-month' })).dates).toEqual([
    '2026-04-03T10:00:00.000',
    '2026-06-05T10:00:00.000',
  ]);
});

it('dates in two orders, dates that are none as said, and files without one readable date are refused', async () => {
  const refusals = [
    [toCsv(['14/03/2026 10:00', '03/14/2026 10:00']), /more than one order/],
    [toCsv(['soon', 'later']), /None of its 2 dates can be read, such as "soon"/],
    [toCsv(['30.02.2026 10:00']), /None of its 1 dates/],
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
  ['names in small letters', toCsv(['2026-11-20 10:00:00']).replace(/^.*/, (names) => names.toLowerCase())],
])('a CSV file with %s is read', async (_what, text) => {
  const { task, dates } = await importText(text);
  expect(task.error).toBeNull();
  expect(dates.map((date) => date.slice(0, 19))).toEqual(['2026-11-20 10:00:00']);
});

it('a value under a column without a name, and a quotation mark in the middle of a cell, are refused in words', async () => {
  const stray = toCsv(['2026-11-20 10:00:00'], ';')
    .replaceAll(/\r\n/g, ';\r\n')
    .replace(/;\r\n$/, ';x\r\n');
  const refusals = [
    [stray, /Row 2 has a value under a column without a name/],
    [toCsv(['2026-11-20 10:00:00']).replace('Ana', 'A"n"a'), /quotation mark stands inside a cell/],
  ] as const;
  for (const [text, reason] of refusals) {
    const { task } = await importText(text);
    expect(task.error?.code).toBe('imports.unreadable');
    expect(String(task.error?.details['reason'])).toMatch(reason);
  }
});
