import { describe, expect, it } from 'vitest';
import { readPage } from '../../src-main/common/reporting/reading/read-page.ts';
import { toEnvelope } from '../support/network/fault-server.ts';
import { catchError, createTestClient, firstPage, sendRaw, startReports } from './client/client-rig.ts';

const head = 'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n';
const records = [1, 2, 3, 4, 5].map((Channel) => ({ Id: 'a', Date: '2026-11-20T10:15:30.123Z', Channel }));
const json = JSON.stringify(toEnvelope(records));
const lines = records.map((record) => JSON.stringify(record)).join('\n');

describe('C03: a body whose end only the connection marks', () => {
  it('C03: is accepted when its last bracket is there', async () => {
    const server = await startReports(sendRaw(head + json));
    const { bytes } = await createTestClient(server.address).client.fetchPage(firstPage);
    expect(readPage(new Uint8Array(bytes), { report: 'inbound-detail', zone: 'UTC' }).recordCount).toBe(5);
  });

  it('C03: is requested again when it closes after two of five records', async () => {
    const cut = json.slice(0, json.indexOf('"Channel":3'));
    const server = await startReports(sendRaw(head + cut), sendRaw(head + cut));
    const { client, waitedMs } = createTestClient(server.address);
    expect((await client.fetchPage(firstPage)).status).toBe(200);
    expect(waitedMs).toHaveLength(2);
  });

  it('C03: at every byte but the last is a cut, never a page', () => {
    for (let length = 1; length < json.length; length += 1) {
      const bytes = new TextEncoder().encode(json.slice(0, length));
      expect(() => readPage(bytes, { report: 'inbound-detail', zone: 'UTC' })).toThrow(
        expect.objectContaining({ code: 'client.truncated' }),
      );
    }
  });

  it.each([
    ['whole', lines, 'client.not-json'],
    ['cut', lines.slice(0, 130), 'client.truncated'],
  ])('C03: as lines of JSON, %s, is no page', async (_name, body, code) => {
    const fault = sendRaw(head + body);
    const server = await startReports(fault, fault, fault);
    const call = createTestClient(server.address)
      .client.fetchPage(firstPage)
      .then(({ bytes }) => readPage(new Uint8Array(bytes), { report: 'inbound-detail', zone: 'UTC' }));
    expect((await catchError(call)).code).toBe(code);
  });
});
