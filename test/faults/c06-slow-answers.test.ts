import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import type { Answer } from '../support/network/fault-server.ts';
import {
  catchError,
  countReports,
  createTestClient,
  firstPage,
  startReports,
  startSocketServer,
} from './client/client-rig.ts';

const timeouts = { headersMs: 200, idleMs: 200, totalMs: 800 };
const hang: Answer = () => undefined;
const stall: Answer = (_request, response) => {
  response.writeHead(200);
  response.write('{');
};
const dripBody: Answer = async (_request, response) => {
  response.writeHead(200);
  while (!response.destroyed) {
    response.write(' ');
    await sleep(20);
  }
};

it.each<[string, string, Answer, number]>([
  ['an answer that never begins', 'headers', hang, 3],
  ['a body that stands still', 'idle', stall, 3],
  ['a body of one byte at a time, for ever', 'total', dripBody, 1],
])('C06: %s ends at its limit: %s', async (_name, kind, fault, attempts) => {
  const server = await startReports(fault, fault, fault);
  const startedAtMs = performance.now();
  const error = await catchError(createTestClient(server.address, { timeouts }).client.fetchPage(firstPage));
  expect(error).toMatchObject({ code: 'client.timeout', details: { kind } });
  expect(performance.now() - startedAtMs).toBeLessThan(attempts * 800 + 1000);
  expect(countReports(server)).toBe(attempts);
});

it('C06: headers of one byte at a time end at the limit of headers', async () => {
  const drip = async (socket: Socket): Promise<void> => {
    socket.write('HTTP/1.1 200 OK\r\n');
    while (!socket.destroyed) {
      socket.write('x-drip: 1\r\n');
      await sleep(20);
    }
  };
  const server = await startSocketServer((socket) => void drip(socket));
  const error = await catchError(createTestClient(server.address, { timeouts }).client.createToken());
  expect(error).toMatchObject({ code: 'client.timeout', details: { kind: 'headers' } });
});

it('C06: headers without end are refused', async () => {
  const server = await startSocketServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    socket.write('x-fill: y\r\n'.repeat(40_000));
  });
  const error = await catchError(createTestClient(server.address).client.createToken());
  expect(error).toMatchObject({ code: 'client.too-large', details: { kind: 'headers' } });
});

it('C06, H-03: a body without end is refused at its limit, and the connection ended', async () => {
  let isEnded = false;
  const pour: Answer = async (_request, response) => {
    response.on('close', () => (isEnded = true));
    response.writeHead(200);
    while (!response.destroyed) {
      response.write(' '.repeat(65_536));
      await sleep(0);
    }
  };
  const server = await startReports(pour);
  const { client } = createTestClient(server.address, { pageLimitBytes: 2_000_000 });
  const error = await catchError(client.fetchPage(firstPage));
  expect(error).toMatchObject({ code: 'client.too-large', details: { limitBytes: 2_000_000 } });
  await expect.poll(() => isEnded).toBe(true);
  expect(countReports(server)).toBe(1);
});
