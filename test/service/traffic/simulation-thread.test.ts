import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Value } from 'typebox/value';
import type {
  FromServiceThread,
  ServiceStartOptions,
  ToServiceThread,
} from '../../../src-main/common/local-service-messages.ts';
import {
  ImportReport,
  NO_SIMULATION,
  ServiceRequest,
} from '../../../src-main/common/model/connections/local-service.ts';
import { authorise, post, toReportAddress } from '../../support/service/service-calls.ts';
import { ALL_TIME, toInbound, toNdjson } from '../import/import-support.ts';

const ENTRY = new URL('../../../src-main/service/service-thread.ts', import.meta.url);
type Kind = FromServiceThread['kind'];
type Message<K extends Kind> = Extract<FromServiceThread, { kind: K }>;

describe('messages between the application and the service in its thread', () => {
  let folder: string;
  let thread: Worker;
  let messages: FromServiceThread[];
  let headers: Record<string, string> | null;
  beforeEach(async () => {
    headers = null;
    folder = await mkdtemp(join(tmpdir(), 'thread-'));
    messages = [];
  });
  afterEach(async () => {
    await thread.terminate();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const heard = <K extends Kind>(kind: K): Message<K>[] =>
    messages.filter((message): message is Message<K> => message.kind === kind);
  const hear = async <K extends Kind>(kind: K): Promise<Message<K>> => {
    await expect.poll(() => heard(kind).length, { timeout: 20_000 }).toBeGreaterThan(0);
    return heard(kind)[0]!;
  };
  const send = (message: ToServiceThread): void => {
    thread.postMessage(message);
  };
  const start = async (change: Partial<ServiceStartOptions> = {}): Promise<Message<'ready'>> => {
    const workerData: ServiceStartOptions = {
      dataFolder: folder,
      tenant: 1001,
      live: false,
      port: 0,
      records: 100,
      days: 2,
      ...change,
    };
    thread = new Worker(ENTRY, { workerData, stderr: true });
    thread.on('message', (message: FromServiceThread) => messages.push(message));
    return hear('ready');
  };
  const readStatus = async (ready: Message<'ready'>): Promise<unknown> => {
    headers ??= await authorise(ready);
    return (await post(ready, '/api/ServiceReporting/Status/1001', undefined, headers)).json();
  };

  it('starts with a simulation and takes another on', async () => {
    const ready = await start({ simulation: { ...NO_SIMULATION, platformDown: true } });
    expect(await readStatus(ready)).toMatchObject({ Status: 'down', ConnectorStatus: 'up' });
    send({ kind: 'set-simulation', simulation: { ...NO_SIMULATION, connectorDown: true } });
    await expect
      .poll(() => readStatus(ready), { timeout: 5_000 })
      .toMatchObject({ Status: 'up', ConnectorStatus: 'down' });
  });

  it('starts with quirks', async () => {
    const ready = await start({ quirks: ['records-key-data', 'status-text'] });
    expect(await readStatus(ready)).toMatchObject({ Status: 'UP' });
    const page = await (
      await post(ready, toReportAddress(ready, 'inbound-detail'), ALL_TIME, headers ?? {})
    ).json();
    expect(page).toHaveProperty('data');
  });

  it('sends the newest requests together, and nothing of what was in them', async () => {
    const ready = await start();
    for (let index = 0; index < 30; index += 1) await readStatus(ready);
    await post(ready, '/secret/path?token=abc', {});
    const count = (): number => heard('requests').reduce((sum, { requests }) => sum + requests.length, 0);
    await expect.poll(count, { timeout: 5_000 }).toBe(32);
    const all = heard('requests').flatMap(({ requests }) => requests);
    expect(all.every((request) => Value.Check(ServiceRequest, request))).toBe(true);
    expect(all[1]).toMatchObject({
      method: 'POST',
      route: '/api/ServiceReporting/Status/:tenant',
      status: 200,
    });
    expect(all.map(({ atMs }) => atMs)).toEqual(all.map(({ atMs }) => atMs).sort());
    expect(heard('requests').length).toBeLessThan(31);
    expect(JSON.stringify(all)).not.toContain('secret');
  });

  it('imports a file, reports its progress and how it ended', async () => {
    await start({ records: 0 });
    const path = join(folder, 'records');
    const bad = toNdjson([toInbound({ Channel: 'x' })]);
    await writeFile(
      path,
      bad + toNdjson(Array.from({ length: 4_000 }, (_, BotLatency) => toInbound({ BotLatency }))),
    );
    send({ kind: 'import', importId: 'one', path });
    const ended = await hear('import-ended');
    expect(ended).toMatchObject({ importId: 'one', cancelled: false, failure: null });
    expect(Value.Check(ImportReport, ended.report)).toBe(true);
    expect(ended.report).toMatchObject({ lines: 4_001, added: 4_000, rejected: 1, problems: [{ line: 1 }] });
    expect(heard('import-progressed').length).toBeGreaterThan(0);
    expect(
      heard('import-progressed').every(({ importId, totalBytes }) => importId === 'one' && totalBytes > 0),
    ).toBe(true);
  });

  it('refuses a second import while one runs, cancels one by its identifier, and survives a bad one', async () => {
    await start({ records: 0 });
    const path = join(folder, 'records');
    await writeFile(
      path,
      toNdjson(Array.from({ length: 60_000 }, (_, BotLatency) => toInbound({ BotLatency }))),
    );
    send({ kind: 'import', importId: 'long', path });
    await hear('import-progressed');
    send({ kind: 'import', importId: 'other', path });
    expect(await hear('import-ended')).toMatchObject({
      importId: 'other',
      failure: 'Another import is running.',
    });
    send({ kind: 'cancel-import', importId: 'long' });
    await expect.poll(() => heard('import-ended').length, { timeout: 10_000 }).toBe(2);
    expect(heard('import-ended')[1]).toMatchObject({ importId: 'long', cancelled: true });
    send({ kind: 'import', importId: 'missing', path: join(folder, 'nothing') });
    await expect.poll(() => heard('import-ended').length, { timeout: 10_000 }).toBe(3);
    expect(heard('import-ended')[2]).toMatchObject({
      importId: 'missing',
      failure: expect.stringContaining('ENOENT'),
    });
    send({ kind: 'stop' });
    await once(thread, 'exit');
    expect(messages.at(-1)).toEqual({ kind: 'stopped' });
  }, 40_000);

  it('ends with the reason when it meets an error that nobody expected', async () => {
    await start();
    const error = new Promise((resolve) => thread.once('error', resolve));
    const exit = new Promise((resolve) => thread.once('exit', resolve));
    thread.postMessage(null);
    expect(await error).toBeInstanceOf(Error);
    expect(await exit).toBe(1);
    expect(messages.at(-1)).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('met an error'),
    });
  });
});
