import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request as openRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundledScript } from '../../support/programs/bundled-script.ts';
import { itOnPosix } from '../../support/skips/posix.ts';
import { portOf, sendRaw } from '../../support/network/raw-socket.ts';
import { findPostgres, startPostgres } from '../../support/service/postgres-server.ts';
import { post, toPeriod, toReportAddress } from '../../support/service/service-calls.ts';

const MAIN = fileURLToPath(bundledScript('service-main'));
const STATUS = '/api/ServiceReporting/Status/1001';
const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

interface Line {
  readonly health?: string;
  readonly request?: string;
  readonly route?: string;
  readonly error?: string;
}

describe('health and metrics of a process', () => {
  let folder: string;
  const children: ChildProcess[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'health-'));
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const start = async (args: readonly string[] = [], environment: Record<string, string> = {}) => {
    const options = ['--data', folder, '--records', '200', '--days', '1', '--no-live', '--metrics-port', '0'];
    const child = spawn(process.execPath, [MAIN, ...options, ...args], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    let errors = '';
    child.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()));
    const closed = once(child, 'close');
    const [first] = (await Promise.race([once(child.stdout, 'data'), closed])) as [unknown];
    if (!Buffer.isBuffer(first)) throw new Error(`The service ended: ${errors}`);
    const { url } = JSON.parse(first.toString()) as { url: string };
    const readLines = (): Line[] =>
      errors
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Line);
    const health = readLines().find((line) => line.health !== undefined)?.health ?? '';
    return { child, closed, health, readLines, service: { url, tenant: 1001 } };
  };
  const readJson = async (address: string): Promise<[number, unknown]> => {
    const response = await fetch(address);
    return [response.status, await response.json()];
  };
  const readMetrics = async (health: string): Promise<Map<string, number>> => {
    const response = await fetch(`${health}/metrics`);
    expect(response.headers.get('content-type')).toBe(OPEN_METRICS);
    const text = await response.text();
    expect(text.endsWith('# EOF\n')).toBe(true);
    const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(
      samples.map((line) => {
        const [, name = '', value = ''] = /^(\S+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
        return [name, value === 'Nan' ? NaN : Number(value)];
      }),
    );
  };

  it('says alive and ready, and counts requests, refusals and times', async () => {
    const { health, service } = await start(['--require-token']);
    await expect.poll(() => readJson(`${health}/healthz`)).toEqual([200, { alive: true, ready: true }]);
    expect(await readJson(`${health}/healthz/live`)).toEqual([200, { alive: true }]);
    await expect.poll(() => readJson(`${health}/healthz/ready`)).toEqual([200, { ready: true }]);
    for (let turn = 0; turn < 3; turn += 1) expect((await post(service, STATUS)).status).toBe(401);
    expect((await fetch(`${service.url}/nothing`)).status).toBe(404);
    const metrics = await readMetrics(health);
    const route = '/api/ServiceReporting/Status/:tenant';
    expect(metrics.get(`channelscope_requests_total{route="${route}",status="401"}`)).toBe(3);
    expect(metrics.get(`channelscope_request_duration_seconds_count{route="${route}"}`)).toBe(3);
    expect(metrics.get(`channelscope_request_duration_seconds_bucket{le="+Inf",route="${route}"}`)).toBe(3);
    expect(metrics.get('channelscope_refusals_total{reason="unauthorised"}')).toBe(3);
    expect(metrics.get('channelscope_refusals_total{reason="malformed"}')).toBe(1);
    expect(metrics.get('channelscope_refusals_total{reason="unavailable"}')).toBe(0);
    const readLag = async () => (await readMetrics(health)).get('channelscope_records_lag_seconds');
    await expect.poll(readLag).toBeGreaterThan(0);
    expect(metrics.get('nodejs_eventloop_lag_seconds')).toBeGreaterThanOrEqual(0);
  });

  it('shows nothing on the port of the service, and nothing of the service on its own', async () => {
    const { health, service } = await start();
    for (const path of ['/healthz', '/metrics']) expect((await fetch(service.url + path)).status).toBe(404);
    expect((await post({ url: health, tenant: 1001 }, STATUS)).status).toBe(404);
    const answer = await sendRaw(
      portOf({ url: health }),
      'GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n',
    );
    expect(answer.status).toBe(421);
  });

  it('gives every request an identifier of its own, in its response and in the log', async () => {
    const { service, readLines } = await start();
    const ids: (string | null)[] = [];
    for (let turn = 0; turn < 3; turn += 1)
      ids.push((await post(service, STATUS)).headers.get('x-request-id'));
    expect(new Set(ids).size).toBe(3);
    const logged = (): unknown[] =>
      readLines().flatMap((line) => (line.route === undefined ? [] : [line.request]));
    await expect.poll(logged).toEqual(ids);
  });

  itOnPosix('is not ready first once it is to end, and ends when what it serves is done', async () => {
    const { child, closed, health, service } = await start(['--drain-seconds', '6']);
    child.kill('SIGTERM');
    await expect.poll(() => readJson(`${health}/healthz/ready`)).toEqual([503, { ready: false }]);
    expect(await readJson(`${health}/healthz`)).toEqual([503, { alive: true, ready: false }]);
    // Whoever has not heard of it yet is served.
    expect((await post(service, STATUS)).status).toBe(200);
    expect(await closed).toEqual([0, null]);
  });

  it('ends with an error where the service can not start, rather than live on as one that is never ready', async () => {
    const nowhere = `postgresql://service@localhost/postgres?host=${encodeURIComponent(join(folder, 'nowhere'))}`;
    await expect(start(['--tenant', '1001'], { DATABASE_URL: nowhere })).rejects.toThrow('database');
    expect(children.map(({ exitCode }) => exitCode)).toEqual([1]);
  });

  it('takes the names of a proxy, and believes a trusted one about whom it calls for', async () => {
    const { service } = await start([
      '--public-host',
      'Reporting.example',
      ...['--trusted-proxy', '127.0.0.0/8'],
    ]);
    const call = (host: string, caller: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const headers = { host, 'x-forwarded-for': caller, 'content-type': 'application/json' };
        const path = '/api/ServiceReporting/CreateToken';
        const request = openRequest(service.url + path, { method: 'POST', headers }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        request.on('error', reject);
        request.end(JSON.stringify({ accessToken: 'a', accessTokenSecret: 'b', tenant: 1001 }));
      });
    expect(await call('reporting.example', '192.0.2.1')).toBe(401);
    expect(await call('reporting.example:1', '192.0.2.1')).toBe(421);
    expect(await call('other.example', '192.0.2.1')).toBe(421);
    for (let turn = 0; turn < 9; turn += 1) await call('reporting.example', '192.0.2.1');
    expect(await call('reporting.example', '192.0.2.1')).toBe(429);
    expect(await call('reporting.example', '192.0.2.2')).toBe(401);
  });

  describe.skipIf(findPostgres() === undefined)('on PostgreSQL', () => {
    it('shows its connections, and is not ready while the database is away', async () => {
      const server = await startPostgres();
      try {
        await server.migrate('channelscope');
        const { health, service, readLines } = await start(['--tenant', '1001'], {
          DATABASE_URL: server.url,
        });
        const address = toReportAddress(service, 'inbound-detail');
        const period = toPeriod(Date.now() - 3_600_000, Date.now());
        expect((await post(service, address, period)).status).toBe(200);
        const metrics = await readMetrics(health);
        expect(metrics.get('channelscope_database_connections{state="idle"}')).toBeGreaterThan(0);
        expect(metrics.get('channelscope_database_waiting')).toBe(0);

        const resume = await server.interrupt();
        expect(await readJson(`${health}/healthz`)).toEqual([503, { alive: true, ready: false }]);
        expect(await readJson(`${health}/healthz/live`)).toEqual([200, { alive: true }]);
        const refused = await post(service, address, period);
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
        expect((await readMetrics(health)).get('channelscope_records_lag_seconds')).toBeNaN();
        // What went wrong is found by the identifier of the request that met it.
        const id = refused.headers.get('x-request-id');
        const isTold = () => readLines().some((line) => line.error !== undefined && line.request === id);
        await expect.poll(isTold).toBe(true);

        await resume();
        await expect.poll(() => readJson(`${health}/healthz`)).toEqual([200, { alive: true, ready: true }]);
        expect((await post(service, address, period)).status).toBe(200);
      } finally {
        await server.stop();
      }
    });
  });
});
