import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src-main/common/contract/errors.ts';
import type { Input } from '../../../src-main/common/contract/index.ts';
import type { SummaryGroup } from '../../../src-main/common/model/records/histogram.ts';
import type { ValueName } from '../../../src-main/common/model/records/body-path.ts';
import { createExporter } from '../../../src-main/core/exports/create-exporter.ts';
import { openPartialFile } from '../../../src-main/core/exports/partial-file.ts';
import type { LogFields, Logger } from '../../../src-main/core/logging/logger.ts';
import { createTaskRegistry } from '../../../src-main/core/tasks/task-registry.ts';
import {
  createFakeExportParts,
  createRecord,
  createSnapshotOf,
} from '../../support/fakes/fake-export-parts.ts';
import { createSilentLogger } from '../../support/fakes/silent-logger.ts';
import { isPosix } from '../../support/skips/posix.ts';
import { openPackSigner } from '../../support/fakes/open-pack-signer.ts';
import { ENGLISH } from '../../../src-main/common/words/words.ts';
import { NO_CASES } from '../../support/fakes/no-cases.ts';

type FakeParts = ReturnType<typeof createFakeExportParts>;

const report = 'inbound-detail' as const;
const NOW_MS = Date.UTC(2026, 10, 20, 8);
const input: Input<'exports/start'> = {
  scope: { snapshotId: 1 },
  format: 'csv',
  filter: { conditions: [] },
  order: [{ column: 'received', descending: false }],
  includePayload: true,
};

const CONNECTION = {
  kind: 'remote' as const,
  name: 'Work',
  baseAddress: 'https://reports.example',
  tenant: 1001,
};
/** Of the connection that all tests export from. */
const names: ValueName[] = [
  { field: 'channel', value: '1', name: '=WhatsApp' },
  { field: 'actionId', value: '-1', name: 'Message' },
];

let folder: string;
let target: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-exports-'));
  target = join(folder, 'chosen.csv');
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

function createExport(
  parts: Pick<FakeParts, 'cache' | 'engine' | 'ledger' | 'rowWriter'>,
  chosen: string | null = target,
) {
  const suggested: string[] = [];
  const lines: { event: string; fields: LogFields | undefined }[] = [];
  const logger: Logger = {
    ...createSilentLogger(),
    info: (event, fields) => lines.push({ event, fields }),
  };
  const tasks = createTaskRegistry({
    now: () => Date.now(),
    emit: () => undefined,
    logger: createSilentLogger(),
  });
  const host = {
    kind: 'web' as const,
    chooseExportTarget(name: string) {
      suggested.push(name);
      return Promise.resolve(chosen);
    },
    printPdf: () => Promise.reject(new Error('not here')),
    revealExport: (path: string) => Promise.resolve(`/downloads${path}`),
  };
  const partials = { add: () => Promise.resolve(), remove: () => Promise.resolve() };
  const listNames = () => names;
  const exporter = createExporter({
    cases: NO_CASES,
    pseudonymKey: new Uint8Array(32),
    ...parts,
    packSigner: openPackSigner(),
    emit: () => undefined,
    tasks,
    host,
    partials,
    listNames,
    now: () => NOW_MS,
    logger,
    version: '1.2.3',
    findTenant: () => 1001,
    readWords: () => ENGLISH,
    findConnection: () => CONNECTION,
  });
  return { exporter, tasks, suggested, lines };
}

const manyRecords = Array.from({ length: 2500 }, (_, seq) => createRecord(seq, { payload: `record ${seq}` }));

describe('export', () => {
  it('writes the whole view, counts it, hashes it, and can be revealed', async () => {
    const parts = createFakeExportParts({ report: 'inbound-detail', records: manyRecords });
    const { exporter, tasks, suggested, lines } = createExport(parts);
    const { taskId } = await exporter.start(input);
    const task = await tasks.whenEnded(taskId!);
    const bytes = await readFile(target);
    expect(task).toMatchObject({
      state: 'done',
      kind: 'export',
      done: 2500,
      total: 2500,
      fileName: 'chosen.csv',
      fileBytes: bytes.length,
      fileSha256: createHash('sha256').update(bytes).digest('hex'),
    });
    expect(suggested).toEqual(['inbound-detail_1001_2026-11-19.csv']);
    const rows: Record<string, string>[] = parse(bytes, { columns: true });
    expect(rows.map((row) => row['Payload'])).toEqual(manyRecords.map((record) => record.payload));
    if (isPosix) expect((await stat(target)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['chosen.csv']);
    expect(parts.openViews).toBe(0);
    expect(lines[0]?.fields).toMatchObject({
      recordCount: 2500,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    expect(JSON.stringify(lines)).not.toContain(folder);
    expect(JSON.stringify(lines)).not.toContain('record 1');
    expect(await exporter.reveal(taskId!)).toEqual({
      downloadPath: `/downloads${target}`,
      manifestPath: null,
    });
  });

  it.each(['csv', 'json'] as const)(
    'of a reported summary has what is no field of it, as %s',
    async (format) => {
      const group: SummaryGroup = {
        sessionId: 's',
        channel: null,
        service: 1,
        origin: 'web',
        responseCode: 200,
        count: 7,
        averageResponseTimeMs: null,
        averageBotLatencyMs: 5,
        extra: { Region: '"eu"', AvegareReponseTime: '1e400' },
      };
      const parts = createFakeExportParts({ report: 'inbound-summary', groups: [group] });
      const { exporter, tasks } = createExport(parts);
      const { taskId } = await exporter.start({ ...input, format });
      await tasks.whenEnded(taskId!);
      const text = await readFile(target, 'utf8');
      if (format === 'json')
        expect(text).toContain('"AvegareReponseTime":1e400,"AvegareBotLatency":5,"Region":"eu"}');
      else {
        const [row]: Record<string, string>[] = parse(text, { columns: true });
        expect(row).toMatchObject({ 'Other fields': '{"Region":"eu","AvegareReponseTime":1e400}' });
      }
    },
  );

  it('of a computed summary holds that summary, not the records that it was computed of', async () => {
    const group: SummaryGroup = {
      sessionId: 's',
      channel: 3,
      service: 1,
      origin: null,
      responseCode: 200,
      count: 7,
      averageResponseTimeMs: 12,
      averageBotLatencyMs: 5,
    };
    const parts = createFakeExportParts({ report: 'inbound-detail', records: manyRecords, groups: [group] });
    const { exporter, tasks, suggested } = createExport(parts);
    const { taskId } = await exporter.start({ ...input, format: 'json', isSummary: true });
    expect(await tasks.whenEnded(taskId!)).toMatchObject({ state: 'done', done: 1, total: 1 });
    expect(suggested).toEqual(['inbound-summary-computed_1001_2026-11-19.json']);
    const text = await readFile(target, 'utf8');
    expect(JSON.parse(text)).toMatchObject({ report: 'inbound-summary', source: 'computed', recordCount: 1 });
    expect((JSON.parse(text) as { records: unknown[] }).records).toHaveLength(1);
    expect(text).not.toContain('record 1');
  });

  it('of filtered records states the filter, and never that it is complete', async () => {
    const parts = createFakeExportParts({ report: 'inbound-detail', records: manyRecords });
    const { exporter, tasks, suggested } = createExport(parts);
    const filter = { conditions: [{ field: 'client' as const, text: 'Ana' }] };
    await tasks.whenEnded((await exporter.start({ ...input, format: 'json', filter })).taskId!);
    expect(JSON.parse(await readFile(target, 'utf8'))).toMatchObject({
      state: 'filtered',
      filter: 'client:Ana',
    });
    expect(suggested[0]).toContain('_filtered_client-Ana');
    await tasks.whenEnded((await exporter.start({ ...input, format: 'json' })).taskId!);
    const whole = JSON.parse(await readFile(target, 'utf8')) as Record<string, unknown>;
    expect(whole).toMatchObject({ state: 'complete' });
    expect(whole).not.toHaveProperty('filter');
  });

  it.each([
    ['a snapshot', { snapshotId: 1 }, 3],
    ['a period', { connectionId: 'c', report, fromMs: Date.UTC(2026, 10, 19, 5), toMs: NOW_MS }, 3],
    [
      'another period',
      { connectionId: 'c', report, fromMs: Date.UTC(2026, 10, 20), toMs: NOW_MS },
      undefined,
    ],
  ])('of %s counts the entries that could not be read, which are in no row', async (_name, scope, count) => {
    const parts = createFakeExportParts({ report, records: manyRecords });
    const remarks = [
      { code: 'record-unreadable', count: 3 },
      { code: 'unknown-fields', count: 9 },
    ];
    const snapshot = { ...createSnapshotOf(report, 2500), remarks };
    const cache = {
      ...parts.cache,
      getSnapshot: () => Promise.resolve(snapshot),
      listSnapshots: () => Promise.resolve([snapshot]),
    };
    const { exporter, tasks } = createExport({ ...parts, cache });
    await tasks.whenEnded((await exporter.start({ ...input, format: 'json', scope })).taskId!);
    const about = JSON.parse(await readFile(target, 'utf8')) as Record<string, unknown>;
    expect(about['unreadableEntries']).toBe(count);
  });

  it('whose file was removed says so', async () => {
    const parts = createFakeExportParts({ report: 'inbound-detail', records: manyRecords });
    const { exporter, tasks } = createExport(parts);
    const { taskId } = await exporter.start(input);
    await tasks.whenEnded(taskId!);
    await rm(target);
    await expect(exporter.reveal(taskId!)).rejects.toMatchObject({ code: 'exports.file-gone' });
  });

  it('names the marks that reverse the direction of text, and keeps the text as received', async () => {
    const records = [createRecord(0, { client: 'Ana \u202egpj.exe', payload: '\u2066x' }), createRecord(1)];
    const { exporter, tasks } = createExport(createFakeExportParts({ report: 'inbound-detail', records }));
    const { taskId } = await exporter.start(input);
    expect(await tasks.whenEnded(taskId!)).toMatchObject({ directionMarks: ['U+202E', 'U+2066'] });
    expect(await readFile(target, 'utf8')).toContain('"Ana \u202egpj.exe"');
  });

  it('writes names beside their numbers only when asked', async () => {
    const records = [createRecord(0, { channel: 1 }), createRecord(1, { channel: 2 })];
    const write = async (includeNames: boolean): Promise<Record<string, string>[]> => {
      const parts = createFakeExportParts({ report: 'inbound-detail', records });
      const { exporter, tasks } = createExport(parts);
      const { taskId } = await exporter.start({ ...input, includeNames });
      await tasks.whenEnded(taskId!);
      return parse(await readFile(target), { columns: true });
    };
    // What a spreadsheet would take for a formula is guarded here too.
    expect(await write(true)).toMatchObject([
      { Channel: '1', 'Channel name': "'=WhatsApp", 'Service name': '' },
      { Channel: '2', 'Channel name': '' },
    ]);
    expect(Object.keys((await write(false))[0] ?? {})).not.toContain('Channel name');
  });

  it('writes dates in the shown clock beside the text as received, and names the clock', async () => {
    const records = [createRecord(0)];
    const write = async (format: 'csv' | 'json', zone: string): Promise<string> => {
      const parts = createFakeExportParts({ report: 'inbound-detail', records });
      const { exporter, tasks, suggested } = createExport(parts);
      const { taskId } = await exporter.start({ ...input, format, zone });
      await tasks.whenEnded(taskId!);
      expect(suggested).toEqual([`inbound-detail_1001_2026-11-19_to_2026-11-20.${format}`]);
      return readFile(target, 'utf8');
    };
    const date = { Date: '2026-11-19T10:15:30.123Z', 'Date (Asia/Tokyo)': '2026-11-19 19:15:30.123' };
    expect(parse(await write('csv', 'Asia/Tokyo'), { columns: true })).toMatchObject([date]);
    expect(JSON.parse(await write('json', 'Asia/Tokyo'))).toMatchObject({
      zone: 'UTC',
      clock: 'Asia/Tokyo',
      records: [date],
    });
  });

  it('refuses a zone that nobody knows', async () => {
    const { exporter, tasks } = createExport(createFakeExportParts({ report: 'inbound-detail' }));
    await expect(exporter.start({ ...input, zone: 'Nowhere/Else' })).rejects.toMatchObject({
      code: 'app.invalid-input',
    });
    expect(tasks.list()).toEqual([]);
  });

  it('writes a summary as JSON', async () => {
    const group = {
      channel: 1,
      service: 2,
      origin: null,
      responseCode: 500,
      count: 9_007_199_254_740_991,
      averageResponseTimeMs: 10.25,
      averageBotLatencyMs: null,
      sessionId: 's',
    };
    const parts = createFakeExportParts({ report: 'outbound-summary', groups: [group] });
    const { exporter, tasks } = createExport(parts);
    const { taskId } = await exporter.start({ ...input, format: 'json' });
    expect((await tasks.whenEnded(taskId!)).state).toBe('done');
    expect(JSON.parse(await readFile(target, 'utf8'))).toEqual({
      report: 'outbound-summary',
      tenant: 1001,
      startDate: '2026-11-19 00:00:00',
      endDate: '2026-11-19 23:59:59',
      zone: 'UTC',
      state: 'complete',
      recordCount: 1,
      exportedAt: '2026-11-20T08:00:00.000Z',
      records: [
        {
          Id: 's',
          ReponseCode: 500,
          Channel: 1,
          Service: 2,
          Count: '9007199254740991',
          AvegareReponseTime: 10.25,
        },
      ],
    });
  });

  it('starts nothing when the person changes their mind', async () => {
    const { exporter, tasks } = createExport(createFakeExportParts({ report: 'inbound-detail' }), null);
    expect(await exporter.start(input)).toEqual({ taskId: null });
    expect(tasks.list()).toEqual([]);
  });

  it('reads the next batch only when the one before is in the file', async () => {
    const sizes: number[] = [];
    const records = Array.from({ length: 20 }, (_, seq) =>
      createRecord(seq, { payload: 'x'.repeat(50_000) }),
    );
    const onBatch = async () => {
      sizes.push((await stat(`${target}.part`)).size);
    };
    const { exporter, tasks } = createExport(
      createFakeExportParts({ report: 'inbound-detail', records, batchSize: 2, onBatch }),
    );
    const { taskId } = await exporter.start(input);
    await tasks.whenEnded(taskId!);
    expect(sizes).toHaveLength(10);
    for (const [index, size] of sizes.entries()) expect(size).toBeGreaterThanOrEqual(index * 100_000);
  });

  it('leaves nothing behind when cancelled at any point, and the file that was there as it was', async () => {
    await writeFile(target, 'before');
    for (let stopAt = 0; stopAt < 25; stopAt += 1) {
      const cancel: { now?: () => void } = {};
      const onBatch = (index: number) => {
        if (index === stopAt) cancel.now?.();
      };
      const parts = createFakeExportParts({ report: 'inbound-detail', records: manyRecords, onBatch });
      const { exporter, tasks } = createExport(parts);
      const { taskId } = await exporter.start(input);
      cancel.now = () => tasks.cancel(taskId!);
      expect((await tasks.whenEnded(taskId!)).state).toBe('cancelled');
      expect(await readdir(folder)).toEqual(['chosen.csv']);
      expect(await readFile(target, 'utf8')).toBe('before');
      expect(parts.openViews).toBe(0);
      await expect(exporter.reveal(taskId!)).rejects.toMatchObject({ code: 'tasks.not-found' });
    }
  });

  it('replaces an existing file in one step', async () => {
    await writeFile(target, 'before');
    const seen = new Set<string>();
    const onBatch = async () => {
      seen.add(await readFile(target, 'utf8'));
    };
    const { exporter, tasks } = createExport(
      createFakeExportParts({ report: 'inbound-detail', records: manyRecords, onBatch }),
    );
    const { taskId } = await exporter.start(input);
    await tasks.whenEnded(taskId!);
    expect([...seen]).toEqual(['before']);
    expect(await readFile(target, 'utf8')).toMatch(/^"Id"/);
  });

  it('fails with the error of the cache, without a trace', async () => {
    const onBatch = (index: number) => {
      if (index === 3) throw new AppError('cache.damaged', 'Broken.');
    };
    const parts = createFakeExportParts({ report: 'inbound-detail', records: manyRecords, onBatch });
    const { exporter, tasks } = createExport(parts);
    const { taskId } = await exporter.start(input);
    expect((await tasks.whenEnded(taskId!)).error?.code).toBe('cache.damaged');
    expect(await readdir(folder)).toEqual([]);
    expect(parts.openViews).toBe(0);
  });

  it('fails when records are missing at the end', async () => {
    const parts = createFakeExportParts({ report: 'inbound-detail', records: manyRecords });
    const countView = () => Promise.resolve({ rowCount: 2501 });
    const tooMany = { ...parts, engine: { ...parts.engine, countView } };
    const { exporter, tasks } = createExport(tooMany);
    const { taskId } = await exporter.start(input);
    expect((await tasks.whenEnded(taskId!)).error).toMatchObject({
      code: 'exports.write-failed',
      details: { expected: 2501, written: 2500 },
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    ['the folder is gone', 'ENOENT', (place: string) => join(place, 'gone', 'a.csv')],
    ['the folder is a file', 'ENOTDIR', (place: string) => join(place, 'plain', 'a.csv')],
    ['the target is a folder', 'EISDIR', (place: string) => join(place, 'inner')],
  ])('says why it could not write: %s', async (_title, systemCode, toTarget) => {
    await writeFile(join(folder, 'plain'), '');
    await mkdir(join(folder, 'inner'));
    const parts = createFakeExportParts({ report: 'inbound-detail', records: manyRecords });
    const { exporter, tasks } = createExport(parts, toTarget(folder));
    const { taskId } = await exporter.start(input);
    expect((await tasks.whenEnded(taskId!)).error).toMatchObject({
      code: 'exports.write-failed',
      details: { systemCode },
    });
    expect((await readdir(folder)).sort()).toEqual(['inner', 'plain']);
  });
});

describe('partial file', () => {
  /** Opens real files whose disk is full after some bytes. */
  function openOnFullDisk(freeBytes: number): typeof open {
    return async (...args) => {
      const handle = await open(...args);
      const write = handle.write.bind(handle) as (
        buffer: Buffer,
        offset: number,
        length: number,
      ) => Promise<{ bytesWritten: number }>;
      let left = freeBytes;
      const limited = async (buffer: Buffer, offset = 0) => {
        if (left === 0) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
        const result = await write(buffer, offset, Math.min(left, buffer.length - offset));
        left -= result.bytesWritten;
        return result;
      };
      return Object.assign(handle, { write: limited });
    };
  }

  it('continues after short writes, and on a full disk fails without leaving a file', async () => {
    await writeFile(target, 'before');
    const file = await openPartialFile(target, NOW_MS, openOnFullDisk(10));
    await file.write('12345678');
    await expect(file.write('90abc')).rejects.toMatchObject({
      code: 'exports.write-failed',
      details: { systemCode: 'ENOSPC' },
    });
    expect((await stat(`${target}.part`)).size).toBe(10);
    await file.discard();
    await file.discard();
    expect(await readdir(folder)).toEqual(['chosen.csv']);
    expect(await readFile(target, 'utf8')).toBe('before');
  });

  it('is refused while another export writes the same file', async () => {
    const file = await openPartialFile(target, Date.now());
    await expect(openPartialFile(target, Date.now())).rejects.toMatchObject({
      code: 'exports.target-exists',
    });
    await file.write('a');
    await file.commit();
    await file.discard();
    expect(await readFile(target, 'utf8')).toBe('a');
  });

  it('takes the place of one that was left a day ago', async () => {
    await writeFile(`${target}.part`, 'left');
    const old = new Date(Date.now() - 25 * 60 * 60 * 1000);
    await utimes(`${target}.part`, old, old);
    const file = await openPartialFile(target, Date.now());
    await file.write('new');
    await file.commit();
    expect(await readFile(target, 'utf8')).toBe('new');
  });
});
