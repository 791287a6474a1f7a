import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RFC_4180 } from '../../../src-main/common/model/exports/export-options.ts';
import { shareImportRig, type ImportRig } from './import-rig.ts';

const openRig = shareImportRig();

const RECORD = {
  Id: 'session',
  Date: '2026-11-20T10:00:00.000Z',
  Channel: 1,
  Service: 2,
  Client: 'Ana',
  ReponseTime: 12.5,
  ReponseCode: 200,
  Error: '',
  BotLatency: 3,
  Payload: 'hello',
  Origin: 'web',
};
const LINES = Array.from({ length: 50 }, (_none, seq) => JSON.stringify({ ...RECORD, Id: `session-${seq}` }));
const NDJSON = `${LINES.join('\n')}\n`;

async function write(rig: ImportRig, name: string, content: string | Buffer): Promise<string> {
  const path = join(rig.folder, name);
  await writeFile(path, content);
  return path;
}

/** Imports a file that can't be imported; returns the reason, after nothing of it was found anywhere. */
async function readRefusal(rig: ImportRig, path: string): Promise<string> {
  const before = await rig.call('snapshots/list', { connectionId: null });
  const connections = await rig.call('connections/list', null);
  const task = await rig.import(path);
  expect(task).toMatchObject({ state: 'failed', error: { code: 'imports.unreadable' } });
  expect(await rig.call('snapshots/list', { connectionId: null })).toEqual(before);
  expect(await rig.call('connections/list', null)).toEqual(connections);
  return String(task.error?.details['reason']);
}

describe('a file that can not be imported brings nothing, and its reason says what to do', () => {
  const cases: readonly (readonly [string, string | Buffer, RegExp])[] = [
    ['nothing.csv', '', /empty/],
    ['blank.ndjson', '\n \n', /empty/],
    ['picture.png', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), /no text/],
    ['table.parquet', Buffer.from('PAR1\0\0\0\0'), /Parquet file that is damaged/],
    ['utf-16.csv', Buffer.from('\ufeffId,Date\r\n', 'utf16le'), /UTF-16/],
    ['words.txt', 'Dear all,\nplease find attached', /not recognised/],
    ['other.ndjson', '{"a":1}\n{"a":2}\n', /none of the fields/],
    ['cut.ndjson', NDJSON.slice(0, -20), /Line 50 is no JSON/],
    ['list.ndjson', `${NDJSON}[1,2]\n`, /Line 51 is no record/],
    ['cut.json', `{"records":[${LINES.join(',').slice(0, -9)}`, /middle of its JSON/],
    ['after.json', `{"records":[${LINES.join(',')}]}{}`, /after the end/],
    ['none.json', '{"report":"inbound-detail","records":[]}', /no records/],
    [
      'fewer.json',
      `{"report":"inbound-detail","recordCount":51,"records":[${LINES.join(',')}]}`,
      /holds 50.*says.*51/,
    ],
    ['sql.json', `{"statement":"select 1","records":[${LINES.join(',')}]}`, /computed/],
    ['cells.csv', 'Id,Date,BotLatency\r\n1,2,3\r\n1,2\r\n', /line 3.*cells/i],
    ['quote.csv', 'Id,Date,BotLatency\r\n"1,2,3\r\n', /quotation mark/],
    ['end.csv', 'Id,Date,BotLatency\r\n1,2,3\r\n1,2,33', /cut off/],
    ['twice.csv', 'Id,Date,Date,BotLatency\r\n1,2,3,4\r\n', /"Date" is there twice/],
    [
      'latin1.csv',
      Buffer.from('Id,Date,BotLatency,Client\r\n1,2,3,Jos\u00e9\r\n', 'latin1'),
      /Row 2 is not UTF-8/,
    ],
    ['wide.csv', `Id,Date,BotLatency,${'x,'.repeat(200_000)}\r\n`, /200004 columns/],
    ['which.csv', 'Id,Date\r\n1,2026-11-20 10:00:00\r\n', /inbound or outbound/],
    ['zip.channelscope', Buffer.from('PK\u0003\u0004 and nothing more'), /.+/],
  ];
  it.each(cases)('%s', async (name, content, reason) => {
    const rig = openRig();
    expect(await readRefusal(rig, await write(rig, name, content))).toMatch(reason);
  });

  it('one that is no longer the file of its manifest', async () => {
    const rig = openRig();
    const { snapshotIds } = await rig.importWell(await write(rig, 'good.ndjson', NDJSON));
    const csv = join(rig.folder, 'records.csv');
    await rig.export(snapshotIds[0]!, csv, { format: 'csv', layout: { csv: RFC_4180, manifest: true } });
    const text = await readFile(csv, 'utf8');
    await writeFile(csv, text.replace('session-7', 'session-8'));
    expect(await readRefusal(rig, csv)).toMatch(/manifest/);
    await truncate(csv, Math.floor(text.length / 2));
    expect(await readRefusal(rig, csv)).toMatch(/manifest/);
  });
});

describe('what is imported', () => {
  it('is marked with the file, and counts as complete only where the file says so', async () => {
    const rig = openRig();
    const plain = await write(rig, 'plain.ndjson', NDJSON);
    const { snapshotIds, connectionName } = await rig.importWell(plain);
    const snapshot = await rig.call('snapshots/get', { snapshotId: snapshotIds[0]! });
    expect(snapshot).toMatchObject({
      state: 'incomplete',
      recordCount: 50,
      imported: { fileName: 'plain.ndjson', format: 'ndjson', exportedAtMs: null },
      remarks: [{ code: 'import-unstated' }],
    });
    expect(connectionName).toBe('Imported');
    const about = {
      report: 'inbound-detail',
      tenant: 42,
      startDate: '2026-11-20 00:00:00',
      endDate: '2026-11-20 23:59:59',
      zone: 'UTC',
      state: 'complete',
      recordCount: 50,
      exportedAt: '2026-11-22T08:00:00.000Z',
    };
    const stated = await write(
      rig,
      'stated.json',
      `${JSON.stringify(about).slice(0, -1)},"records":[${LINES.join(',')}]}`,
    );
    const second = await rig.importWell(stated);
    expect(await rig.call('snapshots/get', { snapshotId: second.snapshotIds[0]! })).toMatchObject({
      state: 'complete',
      tenant: 42,
      stillOpen: false,
      period: { startDate: about.startDate, endDate: about.endDate },
      remarks: [],
    });
  });

  it('can be asked, verified and read again, and never asks a service', async () => {
    const rig = openRig();
    const { snapshotIds, connectionId } = await rig.importWell(await write(rig, 'a.ndjson', NDJSON));
    const snapshotId = snapshotIds[0]!;
    const { taskId } = await rig.call('snapshots/verify', { snapshotIds: [snapshotId] });
    await rig.call('tasks/wait', { taskId });
    expect(await rig.call('snapshots/get', { snapshotId })).toMatchObject({
      verification: { damagedPages: 0 },
    });
    const period = { ...(await rig.call('snapshots/get', { snapshotId })).period };
    await expect(
      rig.call('downloads/start', { connectionId, report: 'inbound-detail', period }),
    ).rejects.toThrow(/connections\.imported/);
    await expect(rig.call('downloads/retry', { snapshotId })).rejects.toThrow(/not-resumable/);
  });

  it.each(['ndjson', 'json', 'csv'] as const)(
    'brings nothing from %s where it is cancelled',
    async (format) => {
      const rig = openRig();
      const before = await rig.call('snapshots/list', { connectionId: null });
      const connections = await rig.call('connections/list', null);
      const count = 100_000;
      const toContent = {
        ndjson: () => `${LINES[0]!}\n`.repeat(count),
        json: () => `[${`${LINES[0]!},`.repeat(count)}${LINES[0]!}]`,
        csv: () =>
          `${Object.keys(RECORD).join(',')}\r\n${`${Object.values(RECORD).join(',')}\r\n`.repeat(count)}`,
      };
      const path = await write(rig, `long.${format}`, toContent[format]());
      const task = await rig.import(path, {}, (taskId) => rig.call('tasks/cancel', { taskId }));
      expect(task).toMatchObject({ state: 'cancelled' });
      expect(await rig.call('snapshots/list', { connectionId: null })).toEqual(before);
      expect(await rig.call('connections/list', null)).toEqual(connections);
    },
  );

  it('goes to the connection that was chosen, and back to the same place where none is', async () => {
    const rig = openRig();
    const path = await write(rig, 'a.ndjson', NDJSON);
    const first = await rig.importWell(path);
    const connections = await rig.call('connections/list', null);
    const second = await rig.importWell(path);
    expect(second.connectionId).toBe(first.connectionId);
    const third = await rig.importWell(path, { connectionId: first.connectionId });
    expect(third.connectionId).toBe(first.connectionId);
    expect(await rig.call('connections/list', null)).toEqual(connections);
  });
});
