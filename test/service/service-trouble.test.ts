import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReportResponse } from '../../src-main/common/reporting/wire-documents.ts';
import type { RunningService } from '../../src-main/service/start-service.ts';
import { toDatabasePath } from '../../src-main/service/store-sqlite/schema.ts';
import { mountSmallDisk, resizeDisk } from '../support/files/mount-folder.ts';
import { portOf, RawSocket } from '../support/network/raw-socket.ts';
import { startTestService } from '../support/service/running-service.ts';
import { post, toPeriod, toReportAddress } from '../support/service/service-calls.ts';
import { importText, toInbound, toNdjson } from './import/import-support.ts';
import { itOnPosix } from '../support/skips/posix.ts';

const MEGABYTE = 2 ** 20;
const MAIN = fileURLToPath(new URL('../../src-main/service/main.ts', import.meta.url));
const STATUS = '/api/ServiceReporting/Status/1001';

describe('a service in trouble', () => {
  let folder: string;
  const children: ChildProcess[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trouble-'));
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const start = async (...args: string[]) => {
    const all = ['--data', folder, '--records', '300', '--days', '2', '--no-live', ...args];
    const child = spawn(process.execPath, [MAIN, ...all], { stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    let stderr = '';
    child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
    const closed = once(child, 'close');
    const first = (await Promise.race([once(child.stdout, 'data'), closed])) as unknown[];
    const line = Buffer.isBuffer(first[0]) ? first[0].toString() : '{"url":""}';
    return { child, closed, readErrors: () => stderr, service: JSON.parse(line) as { url: string } };
  };
  const upload = (port: number): RawSocket => {
    const raw = new RawSocket(port);
    raw.write(`POST ${STATUS} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 5\r\n\r\n`);
    return raw;
  };

  const readPage = (service: RunningService): Promise<Response> =>
    post(service, toReportAddress(service, 'inbound-detail'), {
      ...toPeriod(Date.now() - 6 * 86_400_000, Date.now() - 86_400_000),
      size: 10_000,
    });
  const readDocuments = async (service: RunningService): Promise<unknown[]> => {
    const { documents } = (await (await readPage(service)).json()) as ReportResponse;
    expect(documents.length).toBeGreaterThan(0);
    return documents;
  };

  it('S29: responds 503 with Retry-After while its store is damaged, and is well on the whole file', async () => {
    const path = toDatabasePath(folder);
    // Once closed, everything is in one file; opened again, little of it is in memory.
    await (await startTestService({ dataFolder: folder, records: 20_000 })).stop();
    const whole = await readFile(path);
    const service = await startTestService({ dataFolder: folder });
    const file = await open(path, 'r+');
    // The first pages stay, or the file would not be known for a database at all.
    await file.write(Buffer.alloc(whole.length - 65_536), 0, undefined, 65_536);
    const refused = await readPage(service);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await refused.json()).toEqual({ type: 'about:blank', title: 'Service Unavailable', status: 503 });

    // What was in memory of the damaged file is read again, without a new start.
    await file.write(whole, 0, whole.length, 0);
    expect((await readPage(service)).status).toBe(200);

    await file.close();
    // What was met is reported too, which is what makes this stop fail.
    await expect(service.stop()).rejects.toThrow('The service met errors');

    const repaired = await startTestService({ dataFolder: folder });
    expect((await readPage(repaired)).status).toBe(200);
    await repaired.stop();
  });

  it('S29: keeps reading and writing while its file is deleted', async () => {
    const service = await startTestService({ dataFolder: folder });
    const before = await readDocuments(service);
    await rm(toDatabasePath(folder));
    expect(await readDocuments(service)).toEqual(before);
    const { report } = await importText(service, toNdjson([toInbound()]));
    expect(report.added).toBe(1);
    await service.stop();
  });

  it('S29: keeps reading on a full disk, refuses an import, and accepts it once there is room', async (context) => {
    const unmount = mountSmallDisk(folder, 8 * MEGABYTE);
    if (unmount === null) return context.skip('no small file system can be mounted here');
    try {
      const service = await startTestService({ dataFolder: folder });
      const before = await readDocuments(service);
      const text = toNdjson(
        Array.from({ length: 3_000 }, (_, index) =>
          toInbound({ Date: '2020-01-01T00:00:00Z', BotLatency: index, Payload: 'x'.repeat(10_000) }),
        ),
      );
      const full = await importText(service, text);
      expect(full.failure).toContain('full');
      expect(full.report.added).toBeLessThan(3_000);
      expect(await readDocuments(service)).toEqual(before);

      expect(resizeDisk(folder, 256 * MEGABYTE)).toBe(true);
      const again = await importText(service, text);
      expect(again.failure).toBeNull();
      expect(again.report.added + again.report.known).toBe(3_000);
      await service.stop();
    } finally {
      unmount();
    }
  });

  itOnPosix('S30: SIGTERM during 100 uploads lets them finish, takes no more, and ends', async () => {
    const { child, closed, service } = await start();
    const uploads = Array.from({ length: 100 }, () => upload(portOf(service)));
    expect((await post({ ...service, tenant: 1001 }, STATUS)).status).toBe(200);
    const startedMs = performance.now();
    child.kill('SIGTERM');
    await expectDeaf(service.url);
    for (const raw of uploads.slice(0, 50)) raw.write('hello');
    const [code] = (await closed) as [number];
    expect(code).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(8_000);
    for (const raw of uploads) await raw.closed;
    expect(uploads.slice(0, 50).every((raw) => raw.text.startsWith('HTTP/1.1 200 '))).toBe(true);
    expect(uploads.slice(50).every((raw) => !raw.text.includes('200'))).toBe(true);
  });

  itOnPosix('S30: a second SIGTERM ends it at once, and the next start finds everything', async () => {
    const { child, closed, service } = await start();
    const raw = upload(portOf(service));
    expect((await post({ ...service, tenant: 1001 }, STATUS)).status).toBe(200);
    child.kill('SIGTERM');
    await expectDeaf(service.url);
    const startedMs = performance.now();
    child.kill('SIGTERM');
    const [code] = (await closed) as [number];
    expect(code).not.toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(2_000);
    await raw.closed;
    const again = await start();
    expect((await post({ ...again.service, tenant: 1001 }, STATUS)).status).toBe(200);
  });

  it('S30: a port that is taken ends the start with one clear line', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    try {
      const { closed, readErrors } = await start('--port', String(port));
      expect(await closed).toEqual([1, null]);
      expect(readErrors()).toContain(`Port ${port} of 127.0.0.1 can't be listened on`);
      expect(readErrors().trim().split('\n')).toHaveLength(1);
    } finally {
      other.close();
    }
  });
});

/** Waits until new requests are no longer taken. */
async function expectDeaf(url: string): Promise<void> {
  const call = (): Promise<string> =>
    fetch(url).then(
      () => 'answered',
      () => 'refused',
    );
  await expect.poll(call, { timeout: 5_000 }).toBe('refused');
}
