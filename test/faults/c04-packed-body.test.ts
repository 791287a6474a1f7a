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
import { serviceFetch } from '../support/electron/service-fetch.ts';

const json = JSON.stringify(pageBody);
const gzip = gzipSync(json);
const asGzip = { 'content-encoding': 'gzip' };
const MEGABYTE = 1024 * 1024;

it.each([
  ['gzip', gzip],
  ['br', brotliCompressSync(json)],
  ['GZIP', gzip],
])('C04: a body packed as %s is unpacked', async (encoding, body) => {
  const server = await startReports(sendBody(body, { 'content-encoding': encoding }));
  const answer = await createTestClient(server.address).client.fetchPage(firstPage);
  expect(new TextDecoder().decode(answer.bytes)).toBe(json);
});

it('C04: a packed body without its last eight bytes is accepted, as its JSON is whole', async () => {
  const server = await startReports(sendBody(gzip.subarray(0, -8), asGzip));
  const answer = await createTestClient(server.address).client.fetchPage(firstPage);
  expect(new TextDecoder().decode(answer.bytes)).toBe(json);
});

it('C04: a compressed body that is truncated is requested again', async () => {
  const large = gzipSync(JSON.stringify({ ...(pageBody as object), filler: 'abcdefghij'.repeat(5000) }));
  const server = await startReports(sendBody(large.subarray(0, large.length / 2), asGzip));
  const { client } = createTestClient(server.address);
  expect(new TextDecoder().decode((await client.fetchPage(firstPage)).bytes)).toBe(json);
  expect(countReports(server)).toBe(2);
});

const wrongChecksum = Buffer.from(gzip);
wrongChecksum.writeUInt32LE((gzip.readUInt32LE(gzip.length - 8) ^ 1) >>> 0, gzip.length - 8);

it.each([
  ['with a wrong checksum', wrongChecksum],
  ['that is not packed at all', Buffer.from(json)],
])('C04: a packed body %s is tried three times, then reported as truncated', async (_name, body) => {
  const fault = sendBody(body, asGzip);
  const server = await startReports(fault, fault, fault);
  const error = await catchError(createTestClient(server.address).client.fetchPage(firstPage));
  expect(error).toMatchObject({ code: 'client.truncated', details: { reason: 'encoding' } });
  expect(countReports(server)).toBe(3);
});

/** A fetch that counts the bytes of bodies as they are read, after decompression. */
function createCountingFetch(): { fetch: typeof globalThis.fetch; readBytes: () => number } {
  let bytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.byteLength;
      controller.enqueue(chunk);
    },
  });
  return {
    fetch: async (input, init) => {
      const response = await serviceFetch(input, init);
      if (!response.headers.has('content-encoding')) return response;
      return new Response(response.body?.pipeThrough(count), response);
    },
    readBytes: () => bytes,
  };
}

it.each([
  ['that gives its length is refused once it grew by more than a hundred', true, 256 * MEGABYTE],
  ['that gives no length is refused at the limit of decoded bytes', false, 24 * MEGABYTE],
])('C04: a bomb of 200 MB %s, and is not asked for again', async (_name, givesLength, pageLimitBytes) => {
  const bomb = gzipSync(Buffer.alloc(200 * MEGABYTE, ' '));
  const length = givesLength ? { 'content-length': String(bomb.length) } : {};
  const server = await startReports(sendBody(bomb, { ...asGzip, ...length }));
  const { fetch, readBytes } = createCountingFetch();
  const { client } = createTestClient(server.address, { fetch, pageLimitBytes });
  const error = await catchError(client.fetchPage(firstPage));
  expect(error.code).toBe('client.too-large');
  expect(readBytes()).toBeGreaterThan(16 * MEGABYTE);
  expect(readBytes()).toBeLessThan(25 * MEGABYTE);
  expect(countReports(server)).toBe(1);
});

it('C04: a body with an unknown encoding is rejected, and the encoding named', async () => {
  const server = await startReports(sendBody(gzip, { 'content-encoding': 'rar' }));
  const error = await catchError(createTestClient(server.address).client.fetchPage(firstPage));
  expect(error).toMatchObject({ code: 'client.unknown-encoding', details: { encoding: 'rar' } });
  expect(countReports(server)).toBe(1);
});
