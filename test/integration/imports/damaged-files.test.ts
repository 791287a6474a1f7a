import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
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

/** Lists in lists, so many deep. */
function nest(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}

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
    [
      'utf-16.csv',
      Buffer.from('\ufeffId,Date,BotLatency\r\n', 'utf16le').subarray(0, -1),
      /said to be UTF-16/,
    ],
    ['packed.ndjson.gz', gzipSync(NDJSON), /compressed\. Unpack it/],
    ['packed.csv', Buffer.from('BZh91AY&SY and so on'), /compressed\. Unpack it/],
    ['workbook.csv', Buffer.from('d0cf11e0a1b11ae10000000000000000', 'hex'), /no text.*CSV UTF-8/],
    ['readme.md', '| Id | Date | BotLatency |\n|---|---|---|\n| 1 | 2026-11-20 | 3 |\n', /not recognised/],
    ['dateless.csv', 'Id,Date,BotLatency\r\n1,,3\r\n2,,3\r\n', /None of its records has a date/],
    ['day-numbers.ndjson', '{"Id":"a","Date":46346.41667,"BotLatency":1}\n', /day numbers.*yyyy-mm-dd/],
    ['one-pretty.json', JSON.stringify(RECORD, null, 2), /no list of records.*on a line of its own/],
    ['joined.json', `${LINES[0]}${LINES[1]}`, /Line 1 is no JSON.*isn't one record alone/],
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
    ['end.csv', 'Id,Date,BotLatency\r\n1,2,3\r\n1,2,33', /no line end.*add a line end/],
    ['twice.csv', 'Id,Date,Date,BotLatency\r\n1,2,3,4\r\n', /"Date" is there twice/],
    [
      'latin1.csv',
      Buffer.from('Id,Date,BotLatency,Client\r\n1,2,3,Jos\u00e9\r\n', 'latin1'),
      /Line 2 is not UTF-8/,
    ],
    ['wide.csv', `Id,Date,BotLatency,${'x,'.repeat(200_000)}\r\n`, /200003 columns/],
    ['deep.ndjson', `${NDJSON}{"Id":"deep","Shape":${nest(100_000)}}\n`, /Line 51 nests .*Take it out/],
    [
      'deep.json',
      `{"records":[${LINES.join(',')},{"Id":"deep","Shape":${nest(100_000)}}]}`,
      /Record 51 nests/,
    ],
    [
      'full.ndjson',
      `${NDJSON}{"Id":"full","Shape":[${'1,'.repeat(1_000_000)}1]}\n`,
      /Line 51 holds more than/,
    ],
    [
      'fields.ndjson',
      `${NDJSON}{${Array.from({ length: 20_000 }, (_none, place) => `"f${place}":1`).join(',')}}\n`,
      /Line 51 has 20000 fields.*at most 10000/,
    ],
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

describe('a manifest beside a file', () => {
  const own = {
    format: 'channelscope-export-manifest',
    version: 1,
    columns: Object.keys(RECORD),
    content: {},
    connection: { name: 'Production', address: 'https://reports.example.com' },
    report: 'inbound-detail',
    tenant: 7,
    zone: 'UTC',
    startDate: '2026-11-20 00:00:00',
    endDate: '2026-11-20 23:59:59',
    state: 'complete',
  };
  const beside = async (rig: ImportRig, name: string, change: object): Promise<string> => {
    const path = await write(rig, name, NDJSON);
    const sha256 = createHash('sha256').update(NDJSON).digest('hex');
    await write(rig, `${name}.manifest.json`, JSON.stringify({ ...own, sha256, ...change }));
    return path;
  };

  it.each([
    ['an address too long', { connection: { name: 'a', address: `https://${'x'.repeat(2048)}` } }],
    ['a connection without a name', { connection: { name: '', address: 'https://a.example.com' } }],
    ['a tenant beyond 2^53', { tenant: 1e300 }],
    ['a zone that is none', { zone: 'Nowhere/At-all' }],
    ['a day that is none', { startDate: '2026-02-30 00:00:00' }],
    ['an end before its beginning', { endDate: '2026-11-19 00:00:00' }],
    ['a period of eight thousand years', { endDate: '9999-12-31 23:59:59' }],
  ])('with %s is refused, and says what to do', async (_what, change) => {
    const rig = openRig();
    expect(await readRefusal(rig, await beside(rig, 'stated.ndjson', change))).toMatch(
      /manifest beside it can't be used.*move the manifest away/,
    );
  });

  it('counts where it says what can be', async () => {
    const rig = openRig();
    const { snapshotIds, connectionId } = await rig.importWell(await beside(rig, 'whole.ndjson', {}));
    expect(await rig.call('snapshots/get', { snapshotId: snapshotIds[0]! })).toMatchObject({
      state: 'complete',
      tenant: 7,
    });
    const connections = await rig.call('connections/list', null);
    expect(connections.find(({ id }) => id === connectionId)?.baseAddress).toBe(
      'https://reports.example.com',
    );
  });

  it('of a dataset with a tenant beyond 2^53 is refused, too', async () => {
    const rig = openRig();
    const folder = join(rig.folder, 'kept');
    const day = join(folder, 'report=inbound-detail', 'date=2026-11-20');
    await mkdir(day, { recursive: true });
    const path = join(day, 'part-0.parquet');
    // What it holds isn't looked at before its manifest.
    await writeFile(path, 'PAR1PAR1');
    const manifest = {
      format: 'channelscope-dataset',
      version: 1,
      applicationVersion: '0.1.0',
      connection: { id: 'a', name: 'Production', address: 'https://reports.example.com', tenant: 1e300 },
      updatedAt: '2026-11-20T00:00:00.000Z',
      days: [],
    };
    await writeFile(join(folder, '_channelscope.json'), JSON.stringify(manifest));
    expect(await readRefusal(rig, path)).toMatch(
      /_channelscope\.json of its folder can't be used.*copy it out/,
    );
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

  it('says which names come twice in a record, also among its other fields', async () => {
    const rig = openRig();
    const twice = LINES[0]!.replace('"Channel":1', '"Channel":9,"Channel":1');
    const lines = [twice, LINES[1]!, twice];
    const cells = `Id,Date,BotLatency,Other fields\r\na,2026-11-20 10:00:00,3,"{""x"":1,""x"":2}"\r\n`;
    const cases = [
      ['twice.ndjson', `${lines.join('\n')}\n`, { count: 2, detail: 'Channel' }],
      ['twice.json', `[${lines.join(',')}]`, { count: 2, detail: 'Channel' }],
      ['twice.csv', cells, { count: 1, detail: 'x' }],
    ] as const;
    for (const [name, content, said] of cases) {
      const { snapshotIds } = await rig.importWell(await write(rig, name, content));
      const { remarks } = await rig.call('snapshots/get', { snapshotId: snapshotIds[0]! });
      expect(remarks, name).toContainEqual({ code: 'doubled-keys', ...said });
    }
  });

  it.each(['ndjson', 'json'])(
    'sets a record with NaN aside, and says which one it was (%s)',
    async (format) => {
      const rig = openRig();
      const bad = LINES[3]!
        .replace('12.5', 'NaN')
        .replace('"Channel":1', '"Shape":[-Infinity,{"a":9007199254740993}]');
      const badDate = LINES[3]!.replace('"2026-11-20T10:00:00.000Z"', 'NaN');
      const lines = [...LINES.slice(0, 3), bad, ...LINES.slice(3), badDate];
      const content = format === 'json' ? `{"records":[${lines.join(',')}]}` : `${lines.join('\n')}\n`;
      const { snapshotIds, recordCount } = await rig.importWell(await write(rig, `nan.${format}`, content));
      expect(recordCount).toBe(50);
      const snapshotId = snapshotIds[0]!;
      const { remarks } = await rig.call('snapshots/get', { snapshotId });
      expect(remarks).toContainEqual({ code: 'import-not-a-number', count: 2, detail: '4' });
      const { total, entries } = await rig.call('snapshots/read-set-aside', {
        snapshotId,
        offset: 0,
        limit: 10,
      });
      expect(total).toBe(2);
      const beyond = { snapshotId, offset: 1e308, limit: 10 };
      await expect(rig.call('snapshots/read-set-aside', beyond)).rejects.toThrow('/offset must be');
      expect(entries).toMatchObject([
        { place: 3, reason: 'not-a-number', text: expect.stringContaining('"ReponseTime":NaN') as string },
        { place: 51, reason: 'not-a-number' },
      ]);
      expect(entries[0]!.text).toContain('[-Infinity,{"a":9007199254740993}]');
    },
  );

  it('has a period of years that records can be of, whatever else one is dated', async () => {
    const rig = openRig();
    const dates = [
      '"/Date(8640000000000000)/"',
      '"9999-12-31T23:59:59Z"',
      '"0004-01-01"',
      '8640000000000000',
    ];
    const far = dates.map((date) => LINES[0]!.replace('"2026-11-20T10:00:00.000Z"', date));
    const { snapshotIds } = await rig.importWell(
      await write(rig, 'far.ndjson', `${[...far, LINES[1]!].join('\n')}\n`),
    );
    const snapshot = await rig.call('snapshots/get', { snapshotId: snapshotIds[0]! });
    expect(snapshot.period).toMatchObject({
      startDate: '2026-11-20 10:00:00',
      endDate: '2026-11-20 10:00:00',
    });
    expect(snapshot.remarks).toContainEqual({ code: 'dates-outside-period', count: 3 });
  });

  it('keeps other fields that are nested too deep as the text that they are', async () => {
    const rig = openRig();
    const deep = `{"x":${nest(100_000)}}`;
    const cells = `Id,Date,BotLatency,Other fields\r\na,2026-11-20 10:00:00,3,"${deep.replaceAll('"', '""')}"\r\n`;
    const { snapshotIds } = await rig.importWell(await write(rig, 'others.csv', cells));
    const { extra } = await rig.call('records/read-record', { snapshotId: snapshotIds[0]!, seq: 0 });
    expect(extra).toEqual({ 'Other fields': JSON.stringify(deep) });
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

  it('brings nothing from a file that would take hours where it is cancelled', async () => {
    const rig = openRig();
    const before = await rig.call('snapshots/list', { connectionId: null });
    const path = await write(rig, 'endless.ndjson', NDJSON);
    // Its bytes after the first records take no room on the disk.
    await truncate(path, 4 * 1024 ** 4);
    const task = await rig.import(path, {}, async (taskId) => {
      const isReading = async (): Promise<boolean> =>
        (await rig.call('tasks/list', null)).some(({ id, done }) => id === taskId && done > 0);
      await expect.poll(isReading, { timeout: 30_000 }).toBe(true);
      await rig.call('tasks/cancel', { taskId });
    });
    await rm(path);
    expect(task).toMatchObject({ state: 'cancelled' });
    expect(await rig.call('snapshots/list', { connectionId: null })).toEqual(before);
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
