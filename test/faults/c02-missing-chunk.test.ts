import { expect, it } from 'vitest';
import {
  catchError,
  countReports,
  createTestClient,
  firstPage,
  pageBody,
  sendRaw,
  startReports,
} from './client/client-rig.ts';

const json = JSON.stringify(pageBody);
const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const toChunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const inTheMiddle = sendRaw(`${head}${toChunk(json.slice(0, 40))}`);
/** All of the JSON is there; only the chunk that says so is not. */
const beforeTheLast = sendRaw(`${head}${toChunk(json)}`);

it.each([
  ['in the middle', inTheMiddle],
  ['before the last chunk', beforeTheLast],
])('C02: a body cut %s is asked for again', async (_name, fault) => {
  const server = await startReports(fault);
  const { client } = createTestClient(server.address);
  expect((await client.fetchPage(firstPage)).bytes.byteLength).toBe(json.length);
  expect(countReports(server)).toBe(2);
});

it('C02: it is reported as truncated after three attempts', async () => {
  const server = await startReports(inTheMiddle, beforeTheLast, inTheMiddle);
  const { client } = createTestClient(server.address);
  expect((await catchError(client.fetchPage(firstPage))).code).toBe('client.truncated');
});
