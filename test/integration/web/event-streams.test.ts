import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  launch,
  startTestServer,
  type TestServer,
  type TestSession,
} from '../../support/application/web-server.ts';

let running: TestServer;
let session: TestSession;
let ending: AbortController;
beforeEach(async () => {
  running = await startTestServer();
  session = await launch(running);
  ending = new AbortController();
});
afterEach(async () => {
  ending.abort();
  await running.stop();
  vi.useRealTimers();
});

/** Opens a stream whose own clock stands still: the test lets it go on. */
function openWithHeldClock(): Promise<Response> {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  return open();
}

function open(): Promise<Response> {
  return fetch(`${running.origin}/api/events`, { headers: session.headers, signal: ending.signal });
}

describe('the stream of events', () => {
  it('sends each event with its name and its id', async () => {
    const response = await open();
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const [run, number] = response.headers.get('x-channelscope-event-id')!.split('-');
    expect(number).toBe('0');
    running.core.send('snapshots/removed', { snapshotIds: [1] });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('}')) text += (await reader.read()).value ?? '';
    expect(text).toBe(`: open\n\nid: ${run}-1\nevent: snapshots/removed\ndata: {"snapshotIds":[1]}\n\n`);
  });

  it('goes on after the event that a page has, and says where it begins for one that it does not know', async () => {
    const openAfter = (id: string): Promise<Response> =>
      fetch(`${running.origin}/api/events`, {
        headers: { ...session.headers, 'last-event-id': id },
        signal: ending.signal,
      });
    const position = (await open()).headers.get('x-channelscope-event-id')!;
    const run = position.split('-')[0]!;
    for (const id of [1, 2, 3]) running.core.send('snapshots/removed', { snapshotIds: [id] });
    const resumed = await openAfter(`${run}-1`);
    expect(resumed.headers.get('x-channelscope-event-id')).toBe(`${run}-1`);
    const reader = resumed.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('[3]')) text += (await reader.read()).value ?? '';
    expect(text).not.toContain('[1]');
    expect(text).toContain('[2]');
    for (const unknown of [`${run}-4`, 'another-1', '-1', `${run}-`, `${run}-1e1`, 'x']) {
      const fresh = await openAfter(unknown);
      expect(fresh.headers.get('x-channelscope-event-id')).toBe(`${run}-3`);
      await fresh.body!.cancel();
    }
    for (let more = 0; more < 1_001; more += 1) running.core.send('snapshots/removed', { snapshotIds: [] });
    expect((await openAfter(`${run}-3`)).headers.get('x-channelscope-event-id')).toBe(`${run}-1004`);
  });

  it('is refused to the ninth page, until one of the eight is closed', async () => {
    const first = new AbortController();
    const headers = { headers: session.headers, signal: first.signal };
    await fetch(`${running.origin}/api/events`, headers);
    await Promise.all(Array.from({ length: 7 }, open));
    const ninth = await open();
    expect(ninth.status).toBe(429);
    expect(ninth.headers.get('retry-after')).toBe('15');
    first.abort();
    await expect.poll(async () => (await open()).status).toBe(200);
  });

  it('an open stream does not prolong the session, and ends with it', async () => {
    const text = (await openWithHeldClock()).text();
    running.clock.nowMs += 11 * 3_600_000;
    // It looks whether it may go on.
    vi.advanceTimersByTime(5_000);
    running.clock.nowMs += 3_600_000;
    vi.advanceTimersByTime(5_000);
    expect(await text).toContain(': open');
    expect((await open()).status).toBe(401);
  });

  it('ends at once with a logout', async () => {
    // It would look for the end of its session only later.
    const text = (await openWithHeldClock()).text();
    await fetch(`${running.origin}/api/logout`, { method: 'POST', headers: session.headers });
    expect(await text).toContain(': open');
  });

  it('says something within five seconds, so that a page notices when the host is gone', async () => {
    const reader = (await openWithHeldClock()).body!.getReader();
    await reader.read();
    vi.advanceTimersByTime(5_000);
    expect((await reader.read()).done).toBe(false);
  });

  it('ends when the host stops', async () => {
    const response = await open();
    const text = response.text();
    await running.server.stop();
    await expect(text).rejects.toThrow(TypeError);
  });
});

describe('methods and protocols that no route knows', () => {
  it.each(['PROPFIND', 'PUT', 'DELETE'])('%s is refused with 405', async (method) => {
    for (const path of ['/', '/api/events', '/nowhere']) {
      const response = await fetch(running.origin + path, { method, headers: session.headers });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toContain('GET, HEAD');
    }
  });
});
