import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { launch, startTestServer, type TestServer } from '../../support/application/web-server.ts';

let running: TestServer;
beforeEach(async () => {
  running = await startTestServer({ 'tasks/list': () => [] });
});
afterEach(() => running.stop());

function call(headers: Record<string, string>): Promise<Response> {
  return fetch(`${running.origin}/api/call/tasks/list`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: 'null',
  });
}

describe('W-04: the launch token', () => {
  it('swaps the token for a cookie and a header token, once', async () => {
    const answer = await fetch(running.way.url, { redirect: 'manual' });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toMatch(/^\/#session=[\w-]{43}$/u);
    expect(answer.headers.get('set-cookie')).toMatch(
      new RegExp(`^channelscope-${running.server.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`, 'u'),
    );
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const again = await fetch(running.way.url, { redirect: 'manual' });
    expect(again.status).toBe(403);
    expect(again.headers.get('set-cookie')).toBeNull();
  });

  it('is over after ten minutes', async () => {
    running.clock.nowMs += 10 * 60_000;
    expect((await fetch(running.way.url, { redirect: 'manual' })).status).toBe(403);
  });

  it.each(['', '?token=', '?token=wrong', '?token=a&token=b', '?other=x'])(
    'refuses /launch%s',
    async (query) => {
      const answer = await fetch(`${running.origin}/launch${query}`, { redirect: 'manual' });
      expect(answer.status).toBe(403);
      expect(answer.headers.get('set-cookie')).toBeNull();
    },
  );

  it('refuses the right token beside anything else, and keeps it valid', async () => {
    const extra = await fetch(`${running.way.url}&next=//evil.example`, { redirect: 'manual' });
    expect(extra.status).toBe(403);
    expect((await launch(running)).token).toHaveLength(43);
  });

  it('is one of many: whoever lost a way in gets another, and those from before stay valid', async () => {
    const second = running.server.createLaunch();
    expect(second.isUsed()).toBe(false);
    const { headers } = await launch({ way: second, origin: running.origin });
    expect(second.isUsed()).toBe(true);
    expect(running.way.isUsed()).toBe(false);
    expect((await launch(running)).token).toHaveLength(43);
    expect((await call(headers)).status).toBe(200);
  });

  it('of those that wait, only the newest twenty are kept', async () => {
    for (let count = 0; count < 20; count += 1) running.server.createLaunch();
    expect((await fetch(running.way.url, { redirect: 'manual' })).status).toBe(403);
  });

  it('is not spent by HEAD or POST', async () => {
    for (const method of ['HEAD', 'POST']) {
      const answer = await fetch(running.way.url, { method, redirect: 'manual' });
      expect(answer.status).toBe(405);
    }
    expect((await launch(running)).token).toHaveLength(43);
  });
});

describe('session', () => {
  it('W-07: needs both the cookie and the token of the tab', async () => {
    const { cookie, headers } = await launch(running);
    const { origin } = running;
    expect((await call(headers)).status).toBe(200);
    expect((await call({ origin, cookie })).status).toBe(401);
    expect(
      (await call({ origin, 'x-channelscope-session': headers['x-channelscope-session']! })).status,
    ).toBe(401);
    expect((await call({ ...headers, 'x-channelscope-session': 'x'.repeat(43) })).status).toBe(401);
    expect((await call({ ...headers, cookie: `${cookie}; ${cookie}` })).status).toBe(401);
  });

  it('W-06: ends after twelve idle hours, not while it is used', async () => {
    const { headers } = await launch(running);
    for (let turn = 0; turn < 3; turn += 1) {
      running.clock.nowMs += 11 * 3_600_000;
      expect((await call(headers)).status).toBe(200);
    }
    running.clock.nowMs += 12 * 3_600_000;
    expect((await call(headers)).status).toBe(401);
  });

  it('W-06: ends after seven days however much it is used', async () => {
    const { headers } = await launch(running);
    for (let hours = 0; hours < 7 * 24 - 8; hours += 8) {
      running.clock.nowMs += 8 * 3_600_000;
      expect((await call(headers)).status).toBe(200);
    }
    running.clock.nowMs += 8 * 3_600_000;
    expect((await call(headers)).status).toBe(401);
  });

  it('W-06: ends with a logout', async () => {
    const { headers } = await launch(running);
    const answer = await fetch(`${running.origin}/api/logout`, { method: 'POST', headers });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('clear-site-data')).toContain('cookies');
    expect((await call(headers)).status).toBe(401);
  });

  it('W-15: slows down guessing from the eleventh failure on, and never locks out who is in', async () => {
    const { headers } = await launch(running);
    const wrong = { ...headers, 'x-channelscope-session': 'wrong' };
    for (let attempt = 0; attempt < 10; attempt += 1) expect((await call(wrong)).status).toBe(401);
    const slowed = await call(wrong);
    expect(slowed.status).toBe(429);
    expect(Number(slowed.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await call(headers)).status).toBe(200);
    running.clock.nowMs += 60_000;
    expect((await call(wrong)).status).toBe(401);
  });

  it('wrong launch tokens from elsewhere do not lock the right one out', async () => {
    const wrong = `${running.origin}/launch?token=wrong`;
    for (let attempt = 0; attempt < 30; attempt += 1) await fetch(wrong, { redirect: 'manual' });
    expect((await fetch(wrong, { redirect: 'manual' })).status).toBe(429);
    const { headers } = await launch(running);
    expect((await call(headers)).status).toBe(200);
  });

  it('calls that the window makes by itself do not prolong the session', async () => {
    const { headers } = await launch(running);
    const hours = 3_600_000;
    for (let idle = 1; idle < 12; idle += 1) {
      running.clock.nowMs += hours;
      const own = { ...headers, 'x-channelscope-idle-ms': String(idle * hours) };
      expect((await call(own)).status).toBe(200);
    }
    running.clock.nowMs += hours;
    expect((await call(headers)).status).toBe(401);
  });

  it('accepts none of many random launch tokens', async () => {
    const statuses = new Set<number>();
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const token = Buffer.from(`guess ${attempt}`).toString('base64url');
      statuses.add((await fetch(`${running.origin}/launch?token=${token}`, { redirect: 'manual' })).status);
    }
    expect([...statuses].toSorted((a, b) => a - b)).toEqual([403, 429]);
  });
});
