import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FromServiceThread, ServiceStartOptions } from '../../src-main/common/local-service-messages.ts';
import { authorise, post } from '../support/service/service-calls.ts';

const ENTRY = new URL('../../src-main/service/service-thread.ts', import.meta.url);

describe('the service in a thread', () => {
  let folder: string;
  let thread: Worker | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'thread-'));
  });
  afterEach(async () => {
    await thread?.terminate();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const start = (messages: FromServiceThread[]): Worker => {
    const workerData: ServiceStartOptions = {
      dataFolder: folder,
      tenant: 1001,
      live: false,
      livePerSecond: 2,
      port: 0,
      records: 300,
      days: 2,
    };
    thread = new Worker(ENTRY, { workerData });
    thread.on('message', (message: FromServiceThread) => messages.push(message));
    return thread;
  };

  it('says ready and its figures, serves only who has a token, takes live on, and stops', async () => {
    const messages: FromServiceThread[] = [];
    const worker = start(messages);
    await expect
      .poll(() => messages.map((each) => each.kind), { timeout: 20_000 })
      .toEqual(['ready', 'stats']);
    const [ready, stats] = messages;
    expect(stats).toMatchObject({ kind: 'stats', inboundRecords: 300 });
    if (ready?.kind !== 'ready') throw new Error('It is not ready.');
    const { url } = ready;
    const status = '/api/ServiceReporting/Status/1001';
    expect((await post(ready, status)).status).toBe(401);
    expect((await post(ready, status, undefined, await authorise(ready))).status).toBe(200);
    worker.postMessage({ kind: 'set-live', live: true });
    const grew = (): boolean => messages.some((each) => each.kind === 'stats' && each.inboundRecords > 300);
    await expect.poll(grew, { timeout: 20_000 }).toBe(true);
    worker.postMessage({ kind: 'stop' });
    const [code] = (await once(worker, 'exit')) as [number];
    expect(code).toBe(0);
    expect(messages.at(-1)).toEqual({ kind: 'stopped' });
    await expect(fetch(url, { method: 'POST' })).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  });

  it('says why it failed', async () => {
    await writeFile(join(folder, 'reporting-service.sqlite'), 'not a database at all');
    const messages: FromServiceThread[] = [];
    await once(start(messages), 'exit');
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({ kind: 'failed' });
    expect(JSON.stringify(messages[0])).toContain('not a database of the reporting service');
  });
});
