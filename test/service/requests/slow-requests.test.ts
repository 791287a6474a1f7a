import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { portOf, RawSocket } from '../../support/network/raw-socket.ts';
import { startTestService } from '../../support/service/running-service.ts';
import { post } from '../../support/service/service-calls.ts';

const STATUS = '/api/ServiceReporting/Status/1001';
const CALLS = 5;

// At the same time, as most of it is waiting.
describe.concurrent('clients that take their time', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startTestService({ records: 200 });
  });
  afterAll(() => service.stop());
  const toHead = (): string => `POST ${STATUS} HTTP/1.1\r\nHost: 127.0.0.1:${portOf(service)}\r\n`;

  it('S07: headers sent one line a second end with 408 within 6 seconds', async () => {
    const raw = new RawSocket(portOf(service));
    raw.write(toHead());
    const timer = setInterval(() => raw.write('X-Drip: 1\r\n'), 1_000);
    const { status, tookMs } = await raw.readToEnd();
    clearInterval(timer);
    expect(status).toBe(408);
    expect(tookMs).toBeGreaterThan(4_000);
    expect(tookMs).toBeLessThan(6_000);
  });

  it('S08: a body that stops half way ends with 408 within 11 seconds, and others are served meanwhile', async () => {
    const raw = new RawSocket(portOf(service));
    raw.write(`${toHead()}Content-Length: 50\r\n\r\n{"a": 1,`);
    expect((await post(service, STATUS)).status).toBe(200);
    const { status, tookMs } = await raw.readToEnd();
    expect(status).toBe(408);
    expect(tookMs).toBeGreaterThan(9_000);
    expect(tookMs).toBeLessThan(11_000);
  });

  it('a connection that never sends a byte is closed within 6 seconds', async () => {
    const raw = new RawSocket(portOf(service));
    const { tookMs } = await raw.readToEnd();
    expect(tookMs).toBeGreaterThan(4_000);
    expect(tookMs).toBeLessThan(6_000);
  });
});

describe('more than the service takes', () => {
  let service: RunningService;
  const open: RawSocket[] = [];
  beforeAll(async () => {
    service = await startTestService({ records: 200 });
  });
  afterAll(async () => {
    await closeAll();
    await service.stop();
  });

  const closeAll = async (): Promise<void> => {
    for (const raw of open) raw.socket.destroy();
    await Promise.all(open.splice(0).map((raw) => raw.closed));
  };
  const openMany = async (count: number, text = ''): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      const raw = new RawSocket(portOf(service));
      open.push(raw);
      await new Promise((resolve) => raw.socket.once('connect', resolve));
      if (text !== '') raw.write(text);
    }
  };
  const toPending = (): string =>
    `POST ${STATUS} HTTP/1.1\r\nHost: 127.0.0.1:${portOf(service)}\r\nContent-Length: 5\r\n\r\n`;
  const callOnce = async (): Promise<Response> => post(service, STATUS, undefined, { connection: 'close' });
  /** The least of several times in milliseconds: a busy machine makes some calls late, a full service all. */
  const timeFastest = async (status: number): Promise<number> => {
    const timesMs: number[] = [];
    for (let call = 0; call < CALLS; call += 1) {
      const startedMs = performance.now();
      expect((await callOnce()).status).toBe(status);
      timesMs.push(performance.now() - startedMs);
    }
    return Math.min(...timesMs);
  };

  it('S09: with 300 idle connections a call is served within 100 ms, and the oldest of them are closed', async () => {
    await openMany(300);
    expect(await timeFastest(200)).toBeLessThan(100);
    const readClosed = (): boolean[] => open.map((raw) => raw.socket.destroyed);
    await expect.poll(() => readClosed().filter(Boolean).length).toBeGreaterThanOrEqual(300 - 256);
    const closed = readClosed();
    const count = closed.filter(Boolean).length;
    expect(closed.slice(0, count).every(Boolean)).toBe(true);
    // Those that the calls above took the place of, and no more.
    expect(count).toBeLessThanOrEqual(300 - 256 + CALLS);
    await closeAll();
  });

  it('S09: connections in use are not closed for new ones', async () => {
    await openMany(150, toPending());
    await openMany(300);
    expect(open.slice(0, 150).some((raw) => raw.socket.destroyed)).toBe(false);
    for (const raw of open.slice(0, 150)) raw.write('hello');
    await expect.poll(() => open.slice(0, 150).every((raw) => raw.text.includes('200 OK'))).toBe(true);
    await closeAll();
  });

  it('F-11: decision 39, service: beyond 200 requests at once it responds 503 with Retry-After at once, and recovers', async () => {
    await openMany(200, toPending());
    await expect.poll(async () => (await callOnce()).status).toBe(503);
    expect(await timeFastest(503)).toBeLessThan(50);
    const refused = await callOnce();
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.json()).toMatchObject({ status: 503 });
    for (const raw of open) raw.write('hello');
    await expect.poll(async () => (await callOnce()).status).toBe(200);
    await closeAll();
  });

  it('F-11: accepts half as many while its thread is late', async () => {
    await openMany(100, toPending());
    await expect.poll(async () => (await callOnce()).status).toBe(200);
    await wait(600);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_700);
    await expect.poll(async () => (await callOnce()).status, { interval: 20 }).toBe(503);
    await expect.poll(async () => (await callOnce()).status, { timeout: 3_000 }).toBe(200);
    await closeAll();
  });
});
