import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type LocalServiceState,
  NO_SIMULATION,
} from '../../src-main/common/model/connections/local-service.ts';
import type { ServiceStartOptions, ToServiceThread } from '../../src-main/common/local-service-messages.ts';
import { ask, crash, openLocalService, start, whenState } from './local-service-rig.ts';

describe('the local service', () => {
  it('reports what it holds, and keeps its connection and address over a restart', async () => {
    const running = await openLocalService();
    const { connection, state } = await start(running);
    expect(state).toMatchObject({ state: 'running', tenant: 1001, quirks: [], simulation: NO_SIMULATION });
    expect(state.dataFolder).toBe(join(running.folder, 'local-service'));
    await expect
      .poll(() => running.state())
      .toMatchObject({ inboundRecords: 10, outboundRecords: 20, storeBytes: 4096 });
    await running.service['local-service/restart'](null);
    expect(running.state()).toMatchObject({ state: 'running', url: state.url });
    expect((await start(running)).connection).toEqual(connection);
    await running.service['local-service/stop'](null);
    expect(running.state()).toMatchObject({ state: 'stopped', url: null, error: null });
  });

  it('is not asked for anything while it is stopped, and says so instead of being unreachable', async () => {
    const running = await openLocalService();
    const { connection } = await start(running);
    const connect = () => running.connections.clientFor(connection.id);
    expect(connect).not.toThrow();
    await running.service['local-service/stop'](null);
    const stopped = expect.objectContaining({ code: 'local-service.not-running' }) as unknown;
    expect(connect).toThrow(stopped);
    await start(running);
    expect(connect).not.toThrow();
    const again = await openLocalService({ dataFolder: running.folder });
    expect(() => again.connections.clientFor(connection.id)).toThrow(stopped);
  });

  it('comes back at the same address when the application is started again', async () => {
    const first = await openLocalService();
    const { state } = await start(first);
    await first.runner.stop();
    const second = await openLocalService({ dataFolder: first.folder });
    expect((await start(second)).state.url).toBe(state.url);
  });

  it('takes another port when its own is taken meanwhile, and its connection follows', async () => {
    const running = await openLocalService();
    const first = await start(running);
    await running.service['local-service/stop'](null);
    const other = createServer();
    other.listen(Number(new URL(first.state.url!).port), '127.0.0.1');
    await once(other, 'listening');
    try {
      const { state, connection } = await start(running);
      expect(state.url).not.toBe(first.state.url);
      expect(connection).toMatchObject({ id: first.connection.id, baseAddress: state.url });
    } finally {
      other.close();
    }
  });

  it('starts again with new quirks on the same port, and keeps the simulation', async () => {
    const running = await openLocalService();
    const { state } = await start(running);
    const simulation = { ...NO_SIMULATION, platformDown: true, latencyFactor: 5 };
    await running.service['local-service/set-simulation'](simulation);
    await running.service['local-service/set-live']({ live: false });
    expect(await ask<ToServiceThread[]>(running, '/heard')).toEqual([
      { kind: 'set-simulation', simulation },
      { kind: 'set-live', live: false },
    ]);
    const quirks = ['slow', 'stalls'] as const;
    await running.service['local-service/set-quirks']({ quirks: [...quirks] });
    expect(running.state()).toMatchObject({ state: 'running', url: state.url, quirks, simulation });
    expect(await ask<ServiceStartOptions>(running, '/options')).toMatchObject({
      quirks,
      simulation,
      live: false,
    });
  });

  it('keeps quirks that are chosen while it is stopped for its next start', async () => {
    const running = await openLocalService();
    await running.service['local-service/set-quirks']({ quirks: ['slow'] });
    expect(running.state()).toMatchObject({ state: 'stopped', quirks: ['slow'] });
    await start(running);
    expect(await ask<ServiceStartOptions>(running, '/options')).toMatchObject({ quirks: ['slow'] });
  });

  it('keeps the last 200 requests and announces them in at most ten events a second', async () => {
    const running = await openLocalService();
    await start(running);
    const startedAtMs = performance.now();
    for (let index = 0; index < 30; index += 1) await fetch(`${running.state().url!}/requests/9`);
    await expect.poll(() => running.service['local-service/read-requests'](null)).toHaveLength(200);
    const events = running.events.filter(({ name }) => name === 'local-service/requests-served');
    expect(events.length).toBeLessThanOrEqual(1 + (performance.now() - startedAtMs) / 100);
    const sizes = events.map(({ payload }) => (payload as unknown[]).length);
    expect(Math.max(...sizes)).toBeGreaterThan(0);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(200);
  });
});

describe('a crash of the local service', () => {
  it('is announced, logged, and followed by a start on the same port', async () => {
    const running = await openLocalService();
    const { state } = await start(running);
    await running.service['local-service/set-quirks']({ quirks: ['slow'] });
    await crash(running);
    await whenState(running, 'running');
    expect(running.state()).toMatchObject({
      url: state.url,
      quirks: ['slow'],
      error: null,
      restartAtMs: null,
    });
    const told = running.events
      .filter(({ name }) => name === 'local-service/changed')
      .map(({ payload }) => payload as LocalServiceState);
    const crashed = told.find((one) => one.state === 'crashed');
    expect(crashed).toMatchObject({ url: null, error: { code: 'local-service.crashed' } });
    expect(crashed!.restartAtMs).toBeGreaterThan(0);
    expect(running.errors).toContain('local service crashed');
  });

  it('is the last one when it is the third within five minutes, until the person starts it', async () => {
    const running = await openLocalService();
    await start(running);
    for (let crashes = 1; crashes <= 2; crashes += 1) {
      await crash(running);
      await whenState(running, 'running');
    }
    await crash(running);
    await whenState(running, 'failed');
    expect(running.state()).toMatchObject({
      error: { code: 'local-service.keeps-crashing' },
      restartAtMs: null,
    });
    await start(running);
    expect(running.state()).toMatchObject({ state: 'running', error: null });
    await crash(running);
    await whenState(running, 'running');
  });

  it('is not followed by a start when the person stops it first', async () => {
    const running = await openLocalService({}, [60_000]);
    await start(running);
    await crash(running);
    await whenState(running, 'crashed');
    await running.service['local-service/stop'](null);
    expect(running.state()).toMatchObject({ state: 'stopped', restartAtMs: null, error: null });
  });
});

describe('credentials', () => {
  it('go to the clipboard of the host, not to the window', async () => {
    const copied: string[] = [];
    const running = await openLocalService({
      copyText: (text) => {
        copied.push(text);
        return Promise.resolve(true);
      },
    });
    await start(running);
    const copy = running.service['local-service/copy-credential'];
    expect(await copy({ name: 'accessTokenSecret' })).toEqual({ text: null });
    expect(copied).toEqual(['secret-of-the-service']);
  });

  it('are returned one at a time where only the page has a clipboard', async () => {
    const running = await openLocalService();
    const copy = running.service['local-service/copy-credential'];
    await expect(copy({ name: 'accessToken' })).rejects.toMatchObject({ code: 'connections.not-found' });
    await start(running);
    expect(await copy({ name: 'accessToken' })).toEqual({ text: 'token-of-the-service' });
    expect(JSON.stringify(running.events)).not.toMatch(/-of-the-service/u);
  });
});
