import { describe, expect, it, onTestFinished } from 'vitest';
import { readPage, type ReadPage } from '../../src-main/common/reporting/reading/read-page.ts';
import { createFolder, openTestCache, toNewSnapshot, toPage } from '../integration/cache/cache-fixture.ts';
import { toEnvelope } from '../support/network/fault-server.ts';
import { catchError, createTestClient, firstPage, sendBody, startReports } from './client/client-rig.ts';

const record = { Id: 'a', Date: '2026-11-20T10:15:30.123Z', Client: 'Ana' };
const json = JSON.stringify(toEnvelope([record]));
const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;

async function readFrom(body: string | Buffer): Promise<ReadPage> {
  const server = await startReports(sendBody(body));
  const { bytes } = await createTestClient(server.address).client.fetchPage(firstPage);
  return readPage(new Uint8Array(bytes), { report: 'inbound-detail', zone: 'UTC' });
}

describe('C08: JSON that is not quite right', () => {
  it.each<[string, string | Buffer, string]>([
    ['with surplus behind it', `${json} }`, 'client.not-json'],
    ['twice', json + json, 'client.not-json'],
    [
      'with bytes that are not UTF-8',
      Buffer.from(json.replace('Ana', 'A\xe9a'), 'latin1'),
      'client.not-json',
    ],
    ['of nothing but depth', deep, 'client.unexpected-shape'],
  ])('C08: %s is refused', async (_name, body, code) => {
    expect((await catchError(readFrom(body))).code).toBe(code);
  });

  it('C08: behind a byte order mark is read', async () => {
    expect((await readFrom(Buffer.from(`\ufeff${json}`))).records[0]?.client).toBe('Ana');
  });

  it('C08: with a record nested 10,000 deep keeps the others and sets that one aside', async () => {
    const body = json.replace('[{', `[{"Id":"b","Client":${deep}},{`);
    const page = await readFrom(body);
    expect(page.records.map(({ client }) => client)).toContain('Ana');
    expect(page.records.length + page.setAside.length).toBe(2);
  });

  it('C08: with a text of 64 MB never holds the main thread up for long', async () => {
    const { file, remove } = await createFolder();
    const cache = await openTestCache(file);
    onTestFinished(async () => {
      await cache.close();
      await remove();
    });
    const body = JSON.stringify(toEnvelope([{ ...record, Payload: 'x'.repeat(64 * 1024 * 1024) }, record]));
    const server = await startReports(sendBody(body));
    const { client } = createTestClient(server.address);
    const { id } = await cache.createSnapshot(toNewSnapshot());
    const { bytes } = await client.fetchPage(firstPage);
    const before = process.threadCpuUsage();
    const stored = await cache.storePage(toPage(id, ''), bytes).stored;
    const { user, system } = process.threadCpuUsage(before);
    expect(stored.recordCount).toBe(2);
    // What this thread worked in all: no wait of others can be longer.
    expect((user + system) / 1000).toBeLessThan(300);
  });
});
