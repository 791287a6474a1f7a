import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Emit } from '../../../src-main/common/contract/index.ts';
import type { Envelope } from '../../../src-main/common/contract/operation.ts';
import {
  connectControl,
  type Control,
  type RemoteCore,
  serveControl,
} from '../../../src-main/node/control.ts';
import { readControlPlace } from '../../../src-main/node/control-place.ts';

const posix = process.platform !== 'win32';

let folder: string;
let control: Control | null;
const listeners = new Set<Emit>();
const seen: unknown[] = [];

async function serve(inFolder = folder): Promise<void> {
  control = await serveControl({
    folder: inFolder,
    version: '1.2.3',
    call: (name, input, files) => {
      seen.push([name, input, files]);
      const result: Envelope<unknown> = { ok: true, value: { text: `${String(input)}\n` } };
      return name === 'never' ? new Promise(() => undefined) : Promise.resolve(result);
    },
    on: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
}
const connect = async (): Promise<RemoteCore> => {
  const remote = await connectControl(folder);
  if (remote === null) throw new Error('not reached');
  return remote;
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'control-'));
  control = null;
  seen.length = 0;
});
afterEach(async () => {
  await control?.close();
  await expect.poll(() => listeners.size).toBe(0);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

describe('the channel of the command line', () => {
  it('carries calls with the files they name, and events', async () => {
    await serve();
    const remote = await connect();
    expect(remote.version).toBe('1.2.3');
    const files = { exportTarget: '/tmp/é.csv' };
    expect(await remote.call('one', 'ü\u2028', files)).toEqual({ ok: true, value: { text: 'ü\u2028\n' } });
    expect(seen).toEqual([['one', 'ü\u2028', files]]);
    const event = new Promise((resolve) => remote.on((...given) => resolve(given)));
    for (const tell of listeners) tell('app/proxy-challenge-changed', null);
    expect(await event).toEqual(['app/proxy-challenge-changed', null]);
    remote.close();
    await control!.drain();
  });

  it('tells a caller that the application ended', async () => {
    await serve();
    const remote = await connect();
    const waiting = remote.call('never', null, {});
    await control!.close();
    expect(await waiting).toMatchObject({ ok: false, error: { code: 'app.host-gone' } });
    expect(await remote.call('one', null, {})).toMatchObject({ ok: false, error: { code: 'app.host-gone' } });
    expect(await connectControl(folder)).toBeNull();
  });

  it.skipIf(!posix)('is open to its owner only', async () => {
    await serve();
    const { address } = (await readControlPlace(folder))!;
    for (const path of [address, join(folder, 'control.json')]) {
      expect((await stat(path)).mode & 0o077, path).toBe(0);
    }
  });

  it.skipIf(!posix)(
    'is found in a folder whose path is too long for a socket, and leaves nothing there',
    async () => {
      const long = join(folder, 'x'.repeat(120));
      await mkdir(long);
      await serve(long);
      const { address } = (await readControlPlace(long))!;
      expect(Buffer.byteLength(address)).toBeLessThan(104);
      expect((await stat(dirname(address))).mode & 0o077).toBe(0);
      const remote = await connectControl(long);
      expect(await remote?.call('one', 1, {})).toMatchObject({ ok: true });
      await control!.close();
      await expect(stat(dirname(address))).rejects.toThrow('ENOENT');
    },
  );

  it('takes the place of one that was killed', async () => {
    await serve();
    await control!.close();
    await writeFile(join(folder, 'control.json'), '{"address":"/nowhere/control.sock","token":"old"}');
    expect(await connectControl(folder)).toBeNull();
    await serve();
    const remote = await connect();
    expect(await remote.call('one', 1, {})).toMatchObject({ ok: true });
  });

  it.each([
    ['says nothing that is a message', 'hello\n'],
    ['has another token', '{"token":"guessed"}\n'],
    ['calls before it gave the token', '{"id":1,"name":"one","input":null,"files":{}}\n'],
    ['sends a line without an end', 'x'.repeat(1024 * 1024 + 1)],
  ])('disconnects a caller that %s', async (_title, text) => {
    await serve();
    const { address } = (await readControlPlace(folder))!;
    const socket = createConnection(address);
    socket.on('error', () => undefined);
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    socket.write(text);
    await once(socket, 'close');
    expect(received).toBe('');
    expect(seen).toEqual([]);
  });

  it('disconnects a caller whose message is no call', async () => {
    await serve();
    const { address, token } = (await readControlPlace(folder))!;
    const socket = createConnection(address);
    socket.on('error', () => undefined);
    socket.write(`${JSON.stringify({ token })}\n{"id":1,"name":"one","input":1,"files":{"other":"x"}}\n`);
    socket.resume();
    await once(socket, 'close');
    expect(seen).toEqual([]);
    expect(await readFile(join(folder, 'control.json'), 'utf8')).toContain(token);
  });
});
