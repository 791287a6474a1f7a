import { expect, it } from 'vitest';
import type { Answer } from '../support/network/fault-server.ts';
import {
  catchError,
  countReports,
  createTestClient,
  firstPage,
  pageBody,
  startReports,
} from './client/client-rig.ts';

const json = JSON.stringify(pageBody);
const sendLess: Answer = (_request, response) => {
  response.writeHead(200, { 'content-length': json.length });
  response.write(json.slice(0, 10), () => response.socket?.end());
};

it('C01: fewer bytes than announced are asked for again', async () => {
  const server = await startReports(sendLess);
  const { client, waitedMs } = createTestClient(server.address);
  expect((await client.fetchPage(firstPage)).bytes.byteLength).toBe(json.length);
  expect(waitedMs).toHaveLength(1);
});

it('C01: they are reported as truncated after three attempts', async () => {
  const server = await startReports(sendLess, sendLess, sendLess);
  const { client } = createTestClient(server.address);
  expect((await catchError(client.fetchPage(firstPage))).code).toBe('client.truncated');
  expect(countReports(server)).toBe(3);
});
