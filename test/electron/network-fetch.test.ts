import { once } from 'node:events';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { createNetworkFetch } from '../../src-main/electron/network-fetch.ts';
import { requestSent, resetFakeElectron, type FakeClientRequest } from '../support/fake-electron.ts';

beforeEach(resetFakeElectron);

const session = { name: 'requests' };
const fetchNetwork = createNetworkFetch(session as never);

/** Asks, and hands over the request as Chromium would have got it. */
async function ask(init?: RequestInit): Promise<{ answer: Promise<Response>; sent: FakeClientRequest }> {
  const sending = once(requestSent, 'sent');
  const answer = fetchNetwork('https://reports.example/api', init);
  answer.catch(() => undefined);
  const [sent] = (await sending) as [FakeClientRequest];
  return { answer, sent };
}

describe('fetch over the system network', () => {
  it('sends method, headers and body, and never credentials', async () => {
    const { sent } = await ask({ method: 'POST', headers: { 'x-a': '1' }, body: '{"a":1}' });
    expect(sent.options).toEqual({
      session,
      method: 'POST',
      url: 'https://reports.example/api',
      credentials: 'omit',
      useSessionCookies: false,
      cache: 'no-store',
      redirect: 'manual',
    });
    expect(sent.headers.get('x-a')).toBe('1');
    expect(sent.body?.toString()).toBe('{"a":1}');
  });

  it('returns status, headers and body', async () => {
    const { answer, sent } = await ask();
    const message = Object.assign(Readable.from([Buffer.from('{"b":'), Buffer.from('2}')]), {
      statusCode: 200,
      statusMessage: 'OK',
      headers: { 'content-type': 'application/json', 'x-two': ['a', 'b'] },
    });
    sent.emit('response', message);
    const response = await answer;
    expect(response.headers.get('x-two')).toBe('a, b');
    expect(await response.json()).toEqual({ b: 2 });
  });

  it('returns a status without a body', async () => {
    const { answer, sent } = await ask();
    sent.emit('response', { statusCode: 204, statusMessage: '', headers: {} });
    expect((await answer).status).toBe(204);
  });

  it('decision 29, client: does not follow a redirect, and says where it points', async () => {
    const { answer, sent } = await ask();
    sent.emit('redirect', 302, 'GET', 'https://login.example/', {});
    const response = await answer;
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe('https://login.example/');
    expect(sent.aborted).toBe(true);
  });

  it('fails as the fetch of Node does, with the reason as the cause', async () => {
    const { answer, sent } = await ask();
    const reason = new Error('net::ERR_NAME_NOT_RESOLVED');
    sent.emit('error', reason);
    await expect(answer).rejects.toMatchObject({ name: 'TypeError', message: 'fetch failed', cause: reason });
  });

  it('ends with its signal', async () => {
    const controller = new AbortController();
    const { answer, sent } = await ask({ signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(answer).rejects.toThrow('enough');
    expect(sent.aborted).toBe(true);
  });
});
