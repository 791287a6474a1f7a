import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWebBackend } from '../../src-renderer/backend/web-backend.ts';
import { mountSmallDisk } from '../support/files/mount-folder.ts';
import {
  launch,
  startTestServer,
  type TestServer,
  type TestSession,
} from '../support/application/web-server.ts';
import { isPosix } from '../support/skips/posix.ts';

const TYPE = 'application/octet-stream';
const LIMIT_BYTES = 1024 * 1024;

let running: TestServer;
let session: TestSession;
beforeEach(async () => {
  running = await startTestServer();
  session = await launch(running);
});
afterEach(() => running.stop());

function send(
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${running.origin}/api/imports`, {
    method: 'POST',
    headers: { ...session.headers, 'content-type': TYPE, ...headers },
    body,
  });
}
const listUploads = (): Promise<string[]> =>
  readdir(join(running.folder, 'uploads')).catch((): string[] => []);

describe('a file that the page sends', () => {
  it('is written for its owner only, taken once, and removed when it was read', async () => {
    const answer = await send('Date;Id\n', { 'x-channelscope-file-name': encodeURIComponent('Año 1.CSV') });
    expect(answer.status).toBe(200);
    const { uploadId } = (await answer.json()) as { uploadId: string };
    const file = running.uploads.take(uploadId)!;
    expect(file.name).toBe('Año 1.CSV');
    expect(file.path).toMatch(/\.csv$/u);
    expect(await readFile(file.path, 'utf8')).toBe('Date;Id\n');
    if (isPosix) expect((await stat(file.path)).mode & 0o777).toBe(0o600);
    expect(running.uploads.take(uploadId)).toBeNull();
    await file.release();
    expect(await listUploads()).toEqual([]);
  });

  it('goes the way of the real backend of the browser', async () => {
    const backend = createWebBackend({
      fetch: (input, init) =>
        fetch(input, { ...init, headers: { ...(init?.headers as object), ...session.headers } }),
      origin: running.origin,
      token: session.token,
      onSessionLost: () => undefined,
    });
    const uploadId = await backend.upload!(new File(['{}'], 'records.json'), new AbortController().signal);
    expect(running.uploads.take(uploadId)).toMatchObject({ name: 'records.json' });
    const large = new File([new Uint8Array(LIMIT_BYTES + 1)], 'large.json');
    await expect(backend.upload!(large, new AbortController().signal)).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:local-service\.file-too-large|app\.host-gone)$/u) as string,
    });
  });

  it('never names its path, whatever it is called', async () => {
    for (const name of ['../../evil.csv', '..\\evil.csv', '%2e%2e%2fevil.csv', 'a\u202egnp.csv', '%zz', '']) {
      const answer = await send('x', { 'x-channelscope-file-name': encodeURIComponent(name) });
      const { uploadId } = (await answer.json()) as { uploadId: string };
      const file = running.uploads.take(uploadId)!;
      expect(file.path.startsWith(join(running.folder, 'uploads'))).toBe(true);
      expect(file.path.slice(join(running.folder, 'uploads').length)).toMatch(/^[\\/][\w-]{43}(?:\.csv)?$/u);
      expect(file.name).not.toMatch(/[\\/\p{Cc}\p{Cf}]/u);
    }
  });

  it('gets an answer when the disk is full, with words of its own, and nothing stays', async ({ skip }) => {
    await send('x');
    const unmount = mountSmallDisk(join(running.folder, 'uploads'), 64 * 1024);
    skip(unmount === null, 'no file system can be mounted');
    try {
      const bytes = new Uint8Array(LIMIT_BYTES - 1);
      expect((await send(bytes)).status).toBe(507);
      expect(await listUploads()).toEqual([]);
      const backend = createWebBackend({
        fetch: (input, init) =>
          fetch(input, { ...init, headers: { ...(init?.headers as object), ...session.headers } }),
        origin: running.origin,
        token: session.token,
        onSessionLost: () => undefined,
      });
      const { signal } = new AbortController();
      await expect(backend.upload!(new File([bytes], 'large.json'), signal)).rejects.toMatchObject({
        code: 'local-service.disk-full',
      });
      expect(running.bugs).toEqual([]);
    } finally {
      unmount?.();
    }
  });

  it("is replaced by the next when it wasn't taken", async () => {
    const { uploadId } = (await (await send('first')).json()) as { uploadId: string };
    await send('second');
    expect(running.uploads.take(uploadId)).toBeNull();
    expect(await listUploads()).toHaveLength(1);
  });

  it('is refused when it is too large, said beforehand or not, and nothing stays', async () => {
    expect((await send(new Uint8Array(LIMIT_BYTES + 1)).catch(() => null))?.status ?? 413).toBe(413);
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(256 * 1024)),
    });
    // Streams need it, and the types of the window's fetch don't know it.
    const init: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      headers: { ...session.headers, 'content-type': TYPE },
      body: endless,
      duplex: 'half',
    };
    const answer = await fetch(`${running.origin}/api/imports`, init).catch(() => null);
    expect(answer?.status ?? 413).toBe(413);
    expect(await listUploads()).toEqual([]);
  });

  it('is refused without the session, from another origin, and as a form', async () => {
    const without = (name: string): Record<string, string> =>
      Object.fromEntries(Object.entries(session.headers).filter(([key]) => key !== name));
    const post = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${running.origin}/api/imports`, { method: 'POST', headers, body: 'x' });
    expect((await post({ ...without('cookie'), 'content-type': TYPE })).status).toBe(401);
    expect((await post({ ...without('x-channelscope-session'), 'content-type': TYPE })).status).toBe(401);
    expect((await post({ ...without('origin'), 'content-type': TYPE })).status).toBe(403);
    expect((await send('x', { origin: 'http://127.0.0.1:1' })).status).toBe(403);
    expect((await send('x', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await send('x', { 'content-type': 'multipart/form-data; boundary=x' })).status).toBe(415);
    expect(await listUploads()).toEqual([]);
    expect(running.bugs).toEqual([]);
  });
});
