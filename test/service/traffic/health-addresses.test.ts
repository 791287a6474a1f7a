import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StatusResponse } from '../../../src-main/common/reporting/wire-documents.ts';
import { readCommandLine } from '../../../src-main/service/run-command.ts';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import type { StatusChange } from '../../../src-main/service/simulation/watch-platform.ts';
import { makeCertificate } from '../../support/network/make-certificate.ts';
import { administerTenants, startEveryTenant } from '../../support/service/every-tenant.ts';
import { findPostgres, startPostgres } from '../../support/service/postgres-server.ts';
import { startTestService, type TestServiceOptions } from '../../support/service/running-service.ts';
import { post, type CalledService } from '../../support/service/service-calls.ts';

type Answer = (response: ServerResponse, path: string) => void;

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

const send =
  (status: number, body = '', headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(status, headers).end(body);

/** A platform whose health address does what `answer` says, and counts how often it was asked. */
async function startPlatform() {
  const platform = { url: '', paths: [] as string[], answer: send(200) };
  const server = createServer((request, response) => {
    platform.paths.push(request.url ?? '');
    platform.answer(response, request.url ?? '');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  endings.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  platform.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return platform;
}

async function readStatus(service: CalledService): Promise<[string, string]> {
  const response = await post(service, `/api/ServiceReporting/Status/${service.tenant}`);
  const { Status, ConnectorStatus } = (await response.json()) as StatusResponse;
  return [Status, ConnectorStatus];
}

describe('the status by the platform’s own health address', () => {
  let platform: Awaited<ReturnType<typeof startPlatform>>;
  const changes: StatusChange[] = [];
  beforeEach(async () => {
    changes.length = 0;
    platform = await startPlatform();
  });
  const start = async (options: TestServiceOptions): Promise<RunningService> => {
    const logStatus = (change: StatusChange): void => void changes.push(change);
    // An address has half of this: long enough for a busy machine.
    const service = await startTestService({ records: 0, logStatus, waitSeconds: 60, ...options });
    endings.push(service.stop);
    return service;
  };
  const startAt = (url: string, waitSeconds = 60): Promise<RunningService> =>
    start({ statusUrl: `${url}/health`, waitSeconds });

  it.each<[string, Answer]>([
    ['nothing but 200', send(200)],
    ['204', send(204)],
    ['words that nobody wrote for it', send(200, '<h1>All is well</h1>', { 'content-type': 'text/html' })],
    ['{"status":"UP"}', send(200, '{"status":"UP","components":{}}')],
    ['{"status":"pass"}', send(200, '{"status":"pass"}')],
    ['{"platform":"up"}', send(200, '{"platform":"up"}')],
  ])('is up after %s', async (_name, answer) => {
    platform.answer = answer;
    expect(await readStatus(await startAt(platform.url))).toEqual(['up', 'up']);
    expect(changes).toMatchObject([{ status: 'platform', tenant: null, state: 'up', reason: '' }]);
  });

  it.each<[string, Answer, string]>([
    ['503', send(503), 'status 503'],
    ['503 that says it is up', send(503, '{"status":"UP"}'), 'status 503'],
    ['404', send(404, '{}'), 'status 404'],
    ['a way to sign in', send(302, '', { location: '/login' }), 'status 302'],
    ['{"status":"DOWN"}', send(200, '{"status":"DOWN"}'), 'its answer says so'],
    ['a word that nobody knows', send(200, '{"status":"OUT_OF_SERVICE"}'), 'its answer says so'],
    ['something that is no word', send(200, '{"status":{"code":0}}'), 'its answer says so'],
    ['{"platform":"down"}', send(200, '{"status":"UP","platform":"down"}'), 'its answer says so'],
    ['nothing at all', () => undefined, 'no answer in time'],
    ['half an answer', (response) => void response.writeHead(200).write('{"status":'), 'no answer in time'],
    ['a connection that is cut', (response) => void response.destroy(), 'not reached'],
    [
      'an answer that is cut',
      (response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{');
        setTimeout(() => response.destroy(), 50);
      },
      'not reached',
    ],
  ])('S35: is down after %s', async (_name, answer, reason) => {
    platform.answer = answer;
    const waitSeconds = reason === 'no answer in time' ? 2 : 60;
    expect(await readStatus(await startAt(platform.url, waitSeconds))).toEqual(['down', 'up']);
    expect(changes).toMatchObject([{ status: 'platform', tenant: null, state: 'down', reason }]);
  });

  it('S35: is down where nothing listens, or a certificate is nobody’s', async () => {
    const { cert, key } = makeCertificate({ name: 'own', address: '127.0.0.1' });
    const server = createSecureServer({ cert, key }, (_request, response) => response.end());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    endings.push(() => new Promise((resolve) => server.close(resolve)));
    const secure = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const url of ['http://127.0.0.1:1', 'http://nowhere.invalid', secure])
      expect(await readStatus(await startAt(url))).toEqual(['down', 'up']);
    expect(JSON.stringify(changes)).not.toContain('invalid');
  });

  it('asks no more often than it was told, however many ask for the status at once', async () => {
    let elapsedMs = 0;
    const url = `${platform.url}/health`;
    const service = await start({ statusUrl: url, statusSeconds: 30, elapsedMs: () => elapsedMs });
    const readMany = () => Promise.all(Array.from({ length: 20 }, () => readStatus(service)));
    expect(new Set((await readMany()).flat())).toEqual(new Set(['up']));
    platform.answer = send(500);
    elapsedMs += 29_999;
    expect(await readStatus(service)).toEqual(['up', 'up']);
    expect(platform.paths).toEqual(['/health']);
    elapsedMs += 1;
    expect(new Set((await readMany()).map(([state]) => state))).toEqual(new Set(['down']));
    expect(platform.paths).toEqual(['/health', '/health']);
    platform.answer = send(200);
    elapsedMs += 30_000;
    expect(await readStatus(service)).toEqual(['up', 'up']);
    expect(changes.map(({ state, reason }) => [state, reason])).toEqual([
      ['up', ''],
      ['down', 'status 500'],
      ['up', ''],
    ]);
  });

  it('takes the connector from an address of its own, or from the answer about both', async () => {
    platform.answer = (response, path) =>
      send(path === '/connector' ? 503 : 200, '{"status":"UP","connector":"down"}')(response, path);
    const both = await startAt(platform.url);
    expect(await readStatus(both)).toEqual(['up', 'down']);
    const own = await start({ connectorStatusUrl: `${platform.url}/connector` });
    expect(await readStatus(own)).toEqual(['up', 'down']);
    platform.answer = send(200);
    const up = await start({ connectorStatusUrl: `${platform.url}/connector` });
    expect(await readStatus(up)).toEqual(['up', 'up']);
  });

  it.skipIf(findPostgres() === undefined)(
    'is each tenant’s own where the address names the tenant',
    async () => {
      const server = await startPostgres();
      endings.push(server.stop);
      await server.migrate('channelscope');
      platform.answer = (response, path) => send(path === '/health/7' ? 200 : 500)(response, path);
      const statusUrl = `${platform.url}/health/{tenant}`;
      const options = { statusUrl, requireToken: false, waitSeconds: 60 };
      const serving = await startEveryTenant(server, 'channelscope', options);
      endings.push(serving.stop);
      for (const [tenant, state] of [
        [7, 'up'],
        [8, 'down'],
      ] as const) {
        await administerTenants(server, 'channelscope', 'add', String(tenant));
        const at = { url: serving.url, tenant };
        await expect.poll(() => readStatus(at).catch(() => null)).toEqual([state, 'up']);
      }
      expect(new Set(platform.paths)).toEqual(new Set(['/health/7', '/health/8']));
    },
  );

  it.each(['', 'health', 'ftp://a/b', 'https://user:mellon@host/health'])('refuses the address %j', (url) => {
    const read = () => readCommandLine(['--data', 'x', '--status-url', url]);
    expect(read).toThrow('--status-url takes');
    expect(read).not.toThrow('mellon');
  });
});
