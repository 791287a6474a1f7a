import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { EVENT_POSITION_HEADER } from '../../src-main/common/contract/operation.ts';
import { createWebBackend } from '../../src-renderer/backend/web-backend.ts';
import {
  takeSessionToken,
  leaveWithoutSession,
  type SessionPage,
} from '../../src-renderer/backend/choose-backend.ts';

function toStream(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

/** A backend over a host that responds as told; `stop` ends the host, `end` the backend. */
async function connectTo(respond: RequestListener) {
  const server = createServer(respond).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const ending = new AbortController();
  const backend = createWebBackend({
    fetch,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: 'x',
    onSessionLost: () => undefined,
    signal: ending.signal,
  });
  return {
    backend,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
    end: () => ending.abort(),
  };
}

describe('the stream of events', () => {
  it('is read the same wherever the network cuts it', async () => {
    const bytes = new TextEncoder().encode(
      ': open\n\nevent: tasks/changed\ndata: {"a":"é€😀"}\n\n: open\n\nevent: snapshots/removed\ndata: {"snapshotIds":[1]}\n\n',
    );
    for (let size = 1; size <= bytes.length; size += 1) {
      const chunks: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.slice(at, at + size));
      const ending = new AbortController();
      const backend = createWebBackend({
        fetch: () => Promise.resolve(new Response(toStream(chunks))),
        origin: '',
        token: 'x',
        onSessionLost: () => undefined,
        signal: ending.signal,
      });
      const changed = new Promise((resolve) => backend.on('tasks/changed', resolve));
      const removed = new Promise((resolve) => backend.on('snapshots/removed', resolve));
      expect(await changed).toEqual({ a: 'é€😀' });
      expect(await removed).toEqual({ snapshotIds: [1] });
      ending.abort();
    }
  });

  it('begins before the first call, so that no later change is missed', async () => {
    const requested: string[] = [];
    const { promise: opening, resolve: open } = Promise.withResolvers<Response>();
    const ending = new AbortController();
    const backend = createWebBackend({
      fetch: (input) => {
        const path = new URL(input as string).pathname;
        requested.push(path);
        if (path === '/api/events') return opening;
        return Promise.resolve(new Response('{"ok":true,"value":[]}'));
      },
      origin: 'http://127.0.0.1',
      token: 'x',
      onSessionLost: () => undefined,
      signal: ending.signal,
    });
    backend.on('tasks/changed', () => undefined);
    const listed = backend.call('tasks/list', null);
    await new Promise(setImmediate);
    expect(requested).toEqual(['/api/events']);
    open(new Response(new ReadableStream()));
    expect(await listed).toEqual([]);
    expect(requested).toEqual(['/api/events', '/api/call/tasks/list']);
    ending.abort();
  });

  it('is requested again when it ends', async () => {
    let visits = 0;
    const { backend, stop, end } = await connectTo((_request, response) => {
      visits += 1;
      response.end(`event: snapshots/removed\ndata: {"snapshotIds":[${visits}]}\n\n`);
    });
    const received: unknown[] = [];
    backend.on('snapshots/removed', (payload) => received.push(payload));
    await expect.poll(() => received.length, { timeout: 5000 }).toBeGreaterThanOrEqual(2);
    end();
    stop();
    expect(received.slice(0, 2)).toEqual([{ snapshotIds: [1] }, { snapshotIds: [2] }]);
  });
});

describe('a host that is gone', () => {
  it('is reported by a code', async () => {
    const backend = createWebBackend({
      fetch: () => Promise.reject(new TypeError('Failed to fetch')),
      origin: '',
      token: 'x',
      onSessionLost: () => undefined,
    });
    await expect(backend.call('tasks/list', null)).rejects.toMatchObject({ code: 'app.host-gone' });
  });

  it('differs from a session that is lost', async () => {
    const onSessionLost = vi.fn();
    const backend = createWebBackend({
      fetch: () => Promise.resolve(new Response(null, { status: 401 })),
      origin: '',
      token: 'x',
      onSessionLost,
    });
    await expect(backend.call('tasks/list', null)).rejects.toMatchObject({ code: 'app.host-gone' });
    expect(onSessionLost).toHaveBeenCalledOnce();
  });
});

describe('a host that goes and comes back', () => {
  it('is noticed within five seconds, also when it only falls silent, and again when it is back', async () => {
    let isSilent = false;
    const { backend, stop, end } = await connectTo((_request, response) => {
      const beat = (): void => {
        if (!isSilent) response.write(': open\n\n');
      };
      if (!isSilent) response.writeHead(200, { [EVENT_POSITION_HEADER]: '7' });
      beat();
      const timer = setInterval(beat, 500);
      response.once('close', () => clearInterval(timer));
    });
    const said: boolean[] = [];
    const missed: boolean[] = [];
    backend.watchHost!((isThere, hasMissed) => {
      said.push(isThere);
      missed.push(hasMissed);
    });
    backend.on('tasks/changed', () => undefined);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(said).toEqual([]);
    isSilent = true;
    await expect.poll(() => said, { timeout: 5_000 }).toEqual([false]);
    isSilent = false;
    await expect.poll(() => said.at(-1), { timeout: 15_000 }).toBe(true);
    // Its events go on where they were.
    expect(missed).toEqual(said.map(() => false));
    stop();
    await expect.poll(() => said.at(-1), { timeout: 5_000 }).toBe(false);
    end();
  });

  it('fails nothing that is asked for while it is silent for a short time, and has missed nothing then', async () => {
    let isSilent = false;
    const ending = new AbortController();
    const openStream = (signal: AbortSignal | null | undefined): Response => {
      const beats = new ReadableStream<Uint8Array<ArrayBuffer>>({
        start: (stream) => {
          const timer = setInterval(() => {
            if (!isSilent) stream.enqueue(new TextEncoder().encode(': open\n\n'));
          }, 200);
          signal?.addEventListener('abort', () => {
            clearInterval(timer);
            stream.error(signal.reason);
          });
        },
      });
      return new Response(beats, { headers: { [EVENT_POSITION_HEADER]: '7' } });
    };
    const backend = createWebBackend({
      fetch: (input, init) => {
        if (!(input as string).endsWith('/api/events'))
          return Promise.resolve(new Response('{"ok":true,"value":[]}'));
        return isSilent
          ? Promise.reject(new TypeError('Failed to fetch'))
          : Promise.resolve(openStream(init?.signal));
      },
      origin: '',
      token: 'x',
      onSessionLost: () => undefined,
      proveHost: () => Promise.resolve(isSilent ? 'gone' : 'proven'),
      signal: ending.signal,
    });
    const heard: (readonly [isThere: boolean, hasMissed: boolean])[] = [];
    backend.watchHost?.((isThere, hasMissed) => heard.push([isThere, hasMissed]));
    backend.on('tasks/changed', () => undefined);
    expect(await backend.call('tasks/list', null)).toEqual([]);
    isSilent = true;
    await expect.poll(() => heard.length, { timeout: 8_000 }).toBeGreaterThan(0);
    const asked = backend.call('tasks/list', null);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    isSilent = false;
    expect(await asked).toEqual([]);
    await expect.poll(() => heard.at(-1), { timeout: 8_000 }).toEqual([true, false]);
    ending.abort();
  });
});

describe('the session of a tab', () => {
  function createPage(hash: string): SessionPage & { kept: Map<string, string>; left: string[] } {
    const kept = new Map<string, string>();
    const left: string[] = [];
    return {
      kept,
      left,
      location: { hash, pathname: '/', replace: (url) => left.push(String(url)) },
      history: { replaceState: (_state, _title, url) => left.push(`address ${String(url)}`) },
      sessionStorage: {
        getItem: (key) => kept.get(key) ?? null,
        setItem: (key, value) => kept.set(key, value),
        removeItem: (key) => kept.delete(key),
      },
    };
  }

  it('comes from the address once, leaves it, and outlives a reload', () => {
    const page = createPage('#session=abc');
    expect(takeSessionToken(page)).toBe('abc');
    expect(page.left).toEqual(['address /']);
    const reloaded = { ...page, location: { ...page.location, hash: '#/overview' } };
    expect(takeSessionToken(reloaded)).toBe('abc');
  });

  it('is missing in a tab that was opened by its address', () => {
    const page = createPage('#/overview');
    expect(takeSessionToken(page)).toBeNull();
    leaveWithoutSession(page);
    expect(page.left).toEqual(['/come-back']);
  });
});
