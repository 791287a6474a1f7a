import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import {
  sendJson,
  startFaultServer,
  startRawServer,
  type Answer,
  type FaultServer,
} from '../../support/fault-server.ts';
import {
  catchError,
  createTestClient,
  firstPage,
  isTokenRequest,
  pageBody,
  sendStatus,
  withToken,
} from './client-rig.ts';

const servers: FaultServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
async function start(answer: Answer): Promise<FaultServer> {
  const server = await startFaultServer(answer);
  servers.push(server);
  return server;
}
const json = JSON.stringify(pageBody);
const countReports = ({ requests }: FaultServer): number =>
  requests.filter((request) => !isTokenRequest(request)).length;

/** A fault for the first report call; the second one is answered well. */
function onceFaulty(fault: Answer): Answer {
  let count = 0;
  return withToken((request, response) => {
    count += 1;
    if (count === 1) return fault(request, response);
    sendJson(response, pageBody);
    return undefined;
  });
}

describe('bodies cut short', () => {
  const cuts: [string, Answer][] = [
    [
      'C01: fewer bytes than announced',
      (_request, response) => {
        response.writeHead(200, { 'content-length': 1000 });
        response.write(json.slice(0, 10), () => response.destroy());
      },
    ],
    [
      'C02: chunks without the last one',
      (_request, response) => {
        response.writeHead(200);
        response.write(json.slice(0, 40), () => response.destroy());
      },
    ],
    [
      'C03: no length, and the connection ends',
      (_request, response) => {
        response.socket!.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${json.slice(0, 60)}`);
      },
    ],
    [
      'C05: a reset in the middle of the body',
      (_request, response) => {
        response.writeHead(200);
        response.write(json.slice(0, 40), () => response.socket!.resetAndDestroy());
      },
    ],
  ];
  it.each(cuts)('%s: asked again', async (_name, fault) => {
    const server = await start(onceFaulty(fault));
    const { client, waitedMs } = createTestClient(server.address);
    expect((await client.fetchPage(firstPage)).bytes.byteLength).toBe(json.length);
    expect(waitedMs).toHaveLength(1);
  });
  it.each(cuts)('%s: told after three times', async (_name, fault) => {
    const server = await start(withToken(fault));
    const { client } = createTestClient(server.address);
    expect((await catchError(client.fetchPage(firstPage))).code).toBe('client.truncated');
    expect(countReports(server)).toBe(3);
  });
});

describe('connections that fail', () => {
  it('C05: a reset before the headers is asked again', async () => {
    const server = await start(onceFaulty((_request, response) => void response.socket!.resetAndDestroy()));
    const { client } = createTestClient(server.address);
    expect((await client.fetchPage(firstPage)).status).toBe(200);
  });
  it('C05: a reset of CreateToken is not, since it may have been heard', async () => {
    const server = await start((_request, response) => void response.socket!.resetAndDestroy());
    expect((await catchError(createTestClient(server.address).client.createToken())).code).toBe(
      'client.unreachable',
    );
    expect(server.requests).toHaveLength(1);
  });
  it('nobody listens', async () => {
    const server = await startFaultServer(() => undefined);
    await server.close();
    const { client, waitedMs } = createTestClient(server.address);
    expect((await catchError(client.fetchPage(firstPage))).code).toBe('client.refused-connection');
    expect(waitedMs).toHaveLength(2);
  });
  it('a name that does not exist', async () => {
    const { client } = createTestClient('http://no-such-host.invalid');
    expect((await catchError(client.fetchPage(firstPage))).code).toBe('client.host-not-found');
  });
  it('C14: a server that does not speak TLS', async () => {
    const server = await start((_request, response) => sendStatus(response, 200));
    const { client, waitedMs } = createTestClient(server.address.replace('http:', 'https:'));
    const error = await catchError(client.createToken());
    expect(error).toMatchObject({ code: 'client.tls', details: { reason: 'protocol' } });
    expect(waitedMs).toEqual([]);
  });
  it('a server that does not speak HTTP', async () => {
    const server = await startRawServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
    servers.push(server);
    expect((await catchError(createTestClient(server.address).client.createToken())).code).toBe(
      'client.unreachable',
    );
  });
});

describe('C06: time limits', () => {
  const hang: Answer = () => undefined;
  const drip: Answer = async (_request, response) => {
    response.writeHead(200);
    while (!response.destroyed) {
      response.write(' ');
      await sleep(20);
    }
  };
  const stall: Answer = (_request, response) => {
    response.writeHead(200);
    response.write('{');
  };
  it.each<[string, Answer, number]>([
    ['headers', hang, 3],
    ['idle', stall, 3],
    ['total', drip, 1],
  ])('%s', async (kind, fault, attempts) => {
    const server = await start(withToken(fault));
    const timeouts = { headersMs: 150, idleMs: 150, totalMs: 700 };
    const { client } = createTestClient(server.address, { timeouts });
    const startedAtMs = performance.now();
    const error = await catchError(client.fetchPage(firstPage));
    expect(error).toMatchObject({ code: 'client.timeout', details: { kind } });
    expect(performance.now() - startedAtMs).toBeLessThan(3000);
    expect(countReports(server)).toBe(attempts);
  });
});

describe('cancelling', () => {
  const body: Answer = (_request, response) => {
    response.writeHead(200);
    response.write('{');
  };
  it.each<[string, Answer]>([
    ['before the headers', () => undefined],
    ['in the body', body],
    ['in a wait', (_request, response) => sendStatus(response, 503, { 'retry-after': '60' })],
  ])('%s ends a call within 200 ms', async (_name, fault) => {
    const server = await start(withToken(fault));
    const clock = {
      now: () => Date.now(),
      sleep: async (ms: number, signal: AbortSignal | undefined) => {
        await sleep(ms, undefined, { signal });
      },
    };
    const { client } = createTestClient(server.address, { clock });
    const controller = new AbortController();
    const call = catchError(client.fetchPage(firstPage, { signal: controller.signal }));
    await expect.poll(() => countReports(server)).toBe(1);
    await sleep(50);
    const cancelledAtMs = performance.now();
    controller.abort();
    expect((await call).code).toBe('app.cancelled');
    expect(performance.now() - cancelledAtMs).toBeLessThan(200);
  });
  it('before the call sends nothing', async () => {
    const server = await start(withToken((_request, response) => sendJson(response, pageBody)));
    const { client } = createTestClient(server.address);
    await client.createToken();
    expect((await catchError(client.fetchPage(firstPage, { signal: AbortSignal.abort() }))).code).toBe(
      'app.cancelled',
    );
    expect(countReports(server)).toBe(0);
  });
});

it('H-14: at most four calls are under way at once', async () => {
  let active = 0;
  let most = 0;
  const server = await start(
    withToken(async (_request, response) => {
      active += 1;
      most = Math.max(most, active);
      await sleep(10);
      active -= 1;
      sendJson(response, pageBody);
    }),
  );
  const { client } = createTestClient(server.address);
  await Promise.all(Array.from({ length: 30 }, () => client.fetchPage(firstPage)));
  expect(most).toBe(4);
});
