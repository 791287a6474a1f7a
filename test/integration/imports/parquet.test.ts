import { DuckDBInstance } from '@duckdb/node-api';
import { copyFile, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeParquetLines } from '../../../src-main/core/analysis/parquet/write-lines.ts';
import { shareImportRig, type ImportRig } from './import-rig.ts';

const openRig = shareImportRig();

const DAY = '2026-11-20';
const RECORDS = Array.from({ length: 3_000 }, (_none, seq) =>
  JSON.stringify({
    Id: `s${seq}`,
    Date: `${seq % 2 === 0 ? DAY : '2026-11-21'}T10:00:${String(seq % 60).padStart(2, '0')}.250Z`,
    Channel: seq % 7,
    ReponseTime: seq / 8,
    ReponseCode: 200,
    ActionId: '-1',
    Payload: `hello ${seq}`,
    Big: seq,
  }),
);

async function importRecords(rig: ImportRig): Promise<number> {
  const path = join(rig.folder, 'records.ndjson');
  await writeFile(path, `${RECORDS.join('\n')}\n`);
  return (await rig.importWell(path)).snapshotIds[0]!;
}

/** A file that some other program wrote. */
async function writeForeign(path: string, select: string, options = ''): Promise<string> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  await connection.run(`COPY (${select}) TO '${path.replaceAll("'", "''")}' (FORMAT parquet${options})`);
  connection.closeSync();
  instance.closeSync();
  return path;
}

async function readReason(rig: ImportRig, path: string): Promise<string> {
  const before = await rig.call('snapshots/list', { connectionId: null });
  const task = await rig.import(path);
  expect(task, path).toMatchObject({ state: 'failed', error: { code: 'imports.unreadable' } });
  expect(await rig.call('snapshots/list', { connectionId: null })).toEqual(before);
  return String(task.error?.details['reason']);
}

describe('files of Parquet', () => {
  it('of a dataset come back with their day, their connection and every field', async () => {
    const rig = openRig();
    const snapshotId = await importRecords(rig);
    const { connectionId } = await rig.call('snapshots/get', { snapshotId });
    const added = await rig.call('datasets/add', {
      connectionId,
      reports: ['outbound-detail'],
      isKept: false,
    });
    const { taskId } = await rig.call('datasets/update', { datasetId: added!.id });
    expect((await rig.call('tasks/wait', { taskId })).error).toBeNull();
    const [own = ''] = await readdir(added!.folder);
    const part = join(added!.folder, own, `report=outbound-detail/date=${DAY}/part-0.parquet`);
    const { snapshotIds, recordCount, leftOut } = await rig.importWell(part);
    expect({ recordCount, leftOut }).toEqual({ recordCount: 1_500, leftOut: [] });
    const [here, there] = ['here.ndjson', 'there.ndjson'].map((name) => join(rig.folder, name));
    await rig.export(snapshotIds[0]!, here!, {});
    const day = { fromMs: Date.parse(`${DAY}T00:00:00Z`), toMs: Date.parse(`${DAY}T24:00:00Z`) };
    await rig.export(snapshotId, there!, {
      filter: { conditions: [{ field: 'dateMs', min: day.fromMs, max: day.toMs - 1 }] },
      order: [{ column: 'dateMs', descending: false }],
    });
    expect(await readFile(here!, 'utf8')).toBe(await readFile(there!, 'utf8'));
    expect(await rig.call('snapshots/get', { snapshotId: snapshotIds[0]! })).toMatchObject({
      report: 'outbound-detail',
      period: { ...day, toMs: day.toMs - 1000, startDate: `${DAY} 00:00:00`, endDate: `${DAY} 23:59:59` },
      imported: { format: 'parquet', connectionName: 'Imported' },
    });

    const copy = join(rig.folder, 'copied.parquet');
    await copyFile(part, copy);
    expect(await rig.importWell(copy)).toMatchObject({ recordCount: 1_500 });
    await writeFile(part, Buffer.concat([await readFile(part), Buffer.from('x')]));
    expect(await readReason(rig, part)).toMatch(/_channelscope\.json lists.*up to date/);
  });

  it('of other programs come in with their own types', async () => {
    const rig = openRig();
    const path = await writeForeign(
      join(rig.folder, "It's [one]*.parquet"),
      `SELECT 'a' AS "Id", TIMESTAMP '2026-11-20 10:00:00.123456' AS "Date", 3::TINYINT AS "Channel",
         1e-7::DOUBLE AS "ReponseTime", 200::DECIMAL(10, 0) AS "ReponseCode", 'bytes'::BLOB AS "Payload",
         -1 AS "ActionId", {'a': [1, NULL]} AS "Shape", 12.5::FLOAT AS "Ratio", 'NaN'::DOUBLE AS "Gone",
         TIMESTAMPTZ '2026-11-20 10:00:00+02' AS "Seen", DATE '2026-11-20' AS "Day", true AS "Yes",
         chr(0) || '=1+1' AS "Error"`,
      ', COMPRESSION gzip',
    );
    const { snapshotIds } = await rig.importWell(path, { zone: 'Europe/Madrid' });
    const out = join(rig.folder, 'out.ndjson');
    await rig.export(snapshotIds[0]!, out, {});
    expect(JSON.parse(await readFile(out, 'utf8'))).toEqual({
      Id: 'a',
      Date: '2026-11-20T10:00:00.123456',
      Channel: 3,
      Service: null,
      Client: '',
      ReponseTime: 1e-7,
      ReponseCode: 200,
      Error: '\0=1+1',
      ActionId: '-1',
      Payload: 'bytes',
      Reponse: '',
      Origin: '',
      Shape: { a: [1, null] },
      Ratio: 12.5,
      Gone: 'nan',
      Seen: '2026-11-20T08:00:00.000Z',
      Day: '2026-11-20',
      Yes: true,
    });
    const record = await rig.call('records/read-record', { snapshotId: snapshotIds[0]!, seq: 0 });
    expect(record.dateMs).toBe(Date.UTC(2026, 10, 20, 9, 0, 0, 123));
  });

  it('that are damaged, foreign or made to do harm are refused with their reason', async () => {
    const rig = openRig();
    const snapshotId = await importRecords(rig);
    const whole = join(rig.folder, 'whole.parquet');
    await rig.export(snapshotId, whole, { format: 'parquet' });
    const bytes = await readFile(whole);
    const bad = join(rig.folder, 'bad.parquet');
    for (const share of [0.01, 0.5, 0.99]) {
      await writeFile(bad, bytes);
      await truncate(bad, Math.floor(bytes.length * share));
      expect(await readReason(rig, bad)).toMatch(/damaged, cut off/);
    }
    for (const [at, byte] of [
      [bytes.length - 6, 0xff],
      [bytes.length - 40, 0xff],
    ] as const) {
      const changed = Buffer.from(bytes);
      changed.fill(byte, at, at + 4);
      await writeFile(bad, changed);
      expect(await readReason(rig, bad)).toMatch(/Parquet/);
    }
    await writeFile(bad, Buffer.from('PARE\0\0\0\0PARE'));
    expect(await readReason(rig, bad)).toMatch(/encrypted/);
    expect(await readReason(rig, await writeForeign(bad, 'SELECT 1 AS a'))).toMatch(/none of the fields/);
    const empty = `SELECT 'a' AS "Id", 'b' AS "ActionId" WHERE false`;
    expect(await readReason(rig, await writeForeign(bad, empty))).toMatch(/no records/);
    const wide = Array.from({ length: 1_001 }, (_none, place) => `${place} AS c${place}`).join(', ');
    expect(await readReason(rig, await writeForeign(bad, `SELECT ${wide}`))).toMatch(/1000 columns/);
    const derived = `SELECT 'a' AS "Id", 'b' AS "ActionId"`;
    const about = `, KV_METADATA {channelscope: '{"statement":"SELECT 1"}'}`;
    expect(await readReason(rig, await writeForeign(bad, derived, about))).toMatch(/computed/);
  });

  it('that would fill the disk are given up, and nothing of them stays', async () => {
    const rig = openRig();
    const path = await writeForeign(
      join(rig.folder, 'bomb.parquet'),
      `SELECT repeat('x', 1000) AS "Id", 'b' AS "ActionId" FROM range(1_500_000)`,
    );
    expect((await stat(path)).size).toBeLessThan(10_000_000);
    const target = join(rig.folder, 'lines.part');
    const context = {
      signal: new AbortController().signal,
      pause: () => Promise.resolve(),
      progress: () => undefined,
    };
    await expect(
      writeParquetLines({ path, target, maxBytes: 10_000_000 }, rig.folder, context),
    ).rejects.toMatchObject({ code: 'imports.unreadable', details: { reason: /made to fill the disk/ } });
    const left = await stat(target).catch(() => ({ size: 0 }));
    expect(left.size).toBeLessThan(1_200_000_000);
  });

  it('that are cancelled bring nothing, and leave nothing', async () => {
    const rig = openRig();
    const path = await writeForeign(
      join(rig.folder, 'long.parquet'),
      `SELECT i::VARCHAR AS "Id", repeat('y', 500) AS "Payload", 'b' AS "ActionId" FROM range(300_000) AS t(i)`,
    );
    const before = await rig.call('snapshots/list', { connectionId: null });
    const task = await rig.import(path, {}, (started) => rig.call('tasks/cancel', { taskId: started }));
    expect(task.state).toBe('cancelled');
    expect(await rig.call('snapshots/list', { connectionId: null })).toEqual(before);
    const rest = (await readdir(rig.dataFolder, { recursive: true })).filter((name) =>
      name.endsWith('.part'),
    );
    expect(rest).toEqual([]);
  });
});
