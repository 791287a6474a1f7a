import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import {
  catchError,
  countReports,
  createTestClient,
  firstPage,
  pageBody,
  sendBody,
  startReports,
} from './client/client-rig.ts';

const json = JSON.stringify(pageBody);
const gzip = gzipSync(json);
const asGzip = { 'content-encoding': 'gzip' };

it.each([
  ['gzip', gzip],
  ['br', brotliCompressSync(json)],
  ['GZIP', gzip],
])('C04: a body packed as %s is unpacked', async (encoding, body) => {
  const server = await startReports(sendBody(body, { 'content-encoding': encoding }));
  const answer = await createTestClient(server.address).client.fetchPage(firstPage);
  expect(new TextDecoder().decode(answer.bytes)).toBe(json);
});

it('C04: a packed body without its last eight bytes is taken, as its JSON is whole', async () => {
  const server = await startReports(sendBody(gzip.subarray(0, -8), asGzip));
  const answer = await createTestClient(server.address).client.fetchPage(firstPage);
  expect(new TextDecoder().decode(answer.bytes)).toBe(json);
});

it('C04: a packed body that is cut in its data is asked for again', async () => {
  const large = gzipSync(JSON.stringify({ ...(pageBody as object), filler: 'abcdefghij'.repeat(5000) }));
  const server = await startReports(sendBody(large.subarray(0, large.length / 2), asGzip));
  const { client } = createTestClient(server.address);
  expect(new TextDecoder().decode((await client.fetchPage(firstPage)).bytes)).toBe(json);
  expect(countReports(server)).toBe(2);
});

it('C04: a packed body with a wrong checksum, or none at all, is told as cut off', async () => {
  const wrong = Buffer.from(gzip);
  wrong[wrong.length - 6] = (wrong[wrong.length - 6] ?? 0) ^ 0xff;
  const faults = [wrong, Buffer.from('not gzip'), wrong].map((body) => sendBody(body, asGzip));
  const server = await startReports(...faults);
  const error = await catchError(createTestClient(server.address).client.fetchPage(firstPage));
  expect(error).toMatchObject({ code: 'client.truncated', details: { reason: 'encoding' } });
});

it('C04: a body that grows by more than a hundred is refused before it fills the memory', async () => {
  const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, ' '));
  const server = await startReports(sendBody(bomb, { ...asGzip, 'content-length': String(bomb.length) }));
  const before = process.memoryUsage().rss;
  const error = await catchError(createTestClient(server.address).client.fetchPage(firstPage));
  expect(error.code).toBe('client.too-large');
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  expect(countReports(server)).toBe(1);
});

it('C04: a body packed in a way that nobody knows is refused with its name', async () => {
  const server = await startReports(sendBody(gzip, { 'content-encoding': 'rar' }));
  const error = await catchError(createTestClient(server.address).client.fetchPage(firstPage));
  expect(error).toMatchObject({ code: 'client.unknown-encoding', details: { encoding: 'rar' } });
  expect(countReports(server)).toBe(1);
});
