import { existsSync } from 'node:fs';
import { writeFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch, startTestServer, type TestServer } from '../../support/application/web-server.ts';
import { sendRaw } from '../../support/network/raw-socket.ts';
import { isPosix } from '../../support/skips/posix.ts';

let running: TestServer;
beforeAll(async () => {
  running = await startTestServer();
  if (isPosix) await symlink(join(running.folder, 'outside.js'), join(running.folder, 'window/link.js'));
});
afterAll(() => running.stop());

/** Splits a policy; fails on a directive that browsers don't know, since they would ignore it. */
function parsePolicy(policy: string): Map<string, string[]> {
  const known = new Set(
    'default-src script-src style-src font-src img-src connect-src manifest-src frame-src object-src base-uri form-action frame-ancestors'.split(
      ' ',
    ),
  );
  const directives = policy.split(';').map((part) => part.trim().split(/\s+/u));
  for (const [name] of directives) expect(known).toContain(name);
  return new Map(directives.map(([name, ...values]) => [name!, values]));
}

describe('W-13: headers', () => {
  it.each(['/', '/assets/app-1a2b.js', '/nowhere', '/api/events', '/launch', '/come-back'])(
    'are on the response of %s',
    async (path) => {
      const answer = await fetch(running.origin + path);
      const policy = parsePolicy(answer.headers.get('content-security-policy') ?? '');
      const nonce = policy.get('style-src')?.[1] ?? '';
      expect(nonce).toMatch(/^'nonce-[\w+/]{22}=='$/u);
      expect(Object.fromEntries(policy)).toEqual({
        'default-src': ["'none'"],
        'script-src': ["'self'"],
        'style-src': ["'self'", nonce],
        'font-src': ["'self'"],
        'img-src': ["'self'", 'data:'],
        'connect-src': ["'self'"],
        'manifest-src': ["'self'"],
        'frame-src': ["'none'"],
        'object-src': ["'none'"],
        'base-uri': ["'none'"],
        'form-action': ["'none'"],
        'frame-ancestors': ["'none'"],
      });
      expect(answer.headers.get('x-frame-options')).toBe('DENY');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
      expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(answer.headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(answer.headers.get('server')).toBeNull();
      expect(answer.headers.get('x-powered-by')).toBeNull();
      expect(answer.headers.get('cache-control')).toBe(
        path.startsWith('/assets/') ? 'private, max-age=31536000, immutable' : 'no-store',
      );
    },
  );

  it('carry a nonce of their own for each page, which stands in the page too', async () => {
    const nonces = new Set<string>();
    for (let visit = 0; visit < 3; visit += 1) {
      const answer = await fetch(`${running.origin}/`);
      const nonce = /'nonce-([^']+)'/u.exec(answer.headers.get('content-security-policy') ?? '')?.[1] ?? '';
      expect(await answer.text()).toContain(`content="${nonce}"`);
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(3);
  });
});

describe('W-16: files', () => {
  it.each([
    '/../outside.js',
    '/..%2foutside.js',
    '/%2e%2e/outside.js',
    '/%2e%2e%2foutside.js',
    '/assets/../../outside.js',
    '/assets/..%5c..%5coutside.js',
    '/%252e%252e/outside.js',
    '/..%c0%afoutside.js',
    '/.hidden.js',
    '/assets',
    '/assets/',
    '/assets//app-1a2b.js',
    '/C:/outside.js',
    '/link.js',
    '/node_modules/x.js',
    '/index.html%00.js',
    '/%',
    '/index.html/',
    '/favicon.ico',
  ])('hold nothing at %s', async (path) => {
    const { port } = running.server;
    const answer = await sendRaw(
      port,
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer.status).toBe(404);
    expect(answer.body).not.toContain('secret');
  });
});

describe('exports', () => {
  it('are downloaded by a path that is a secret, with the cookie', async () => {
    const session = await launch(running);
    const target = running.downloads.chooseTarget('../../Inbound "día" 1.csv');
    expect(target.startsWith(join(running.folder, 'exports'))).toBe(true);
    await writeFile(target, 'a,b\n');
    expect(running.downloads.chooseTarget('../../Inbound "día" 1.csv')).not.toBe(target);
    const path = running.downloads.offer(target);
    const answer = await fetch(running.origin + path, { headers: { cookie: session.cookie } });
    expect(await answer.text()).toBe('a,b\n');
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+\.csv"$/u);
    expect((await fetch(running.origin + path)).status).toBe(401);
    // Once it was delivered, the file is gone.
    await expect.poll(() => existsSync(target)).toBe(false);
    const again = await fetch(running.origin + path, { headers: { cookie: session.cookie } });
    expect(again.status).toBe(404);
    const guess = await fetch(`${running.origin}/api/exports/guess`, { headers: { cookie: session.cookie } });
    expect(guess.status).toBe(404);
  });
});

describe('the web app manifest', () => {
  it('is linked from the page, and names the application and icons that are there', async () => {
    const page = await (await fetch(running.origin)).text();
    const link = /<link rel="manifest" href="([^"]+)"/u.exec(page)?.[1] ?? '';
    const answer = await fetch(running.origin + link);
    expect(answer.headers.get('content-type')).toMatch(/^application\/manifest\+json/u);
    const manifest = (await answer.json()) as { icons: { src: string; sizes: string }[] };
    expect(manifest).toMatchObject({ name: 'Channelscope', start_url: '/', display: 'standalone' });
    expect(manifest.icons.map(({ sizes }) => sizes)).toContain('512x512');
    for (const { src } of manifest.icons) {
      const icon = await fetch(running.origin + src);
      expect(icon.headers.get('content-type')).toBe('image/png');
      expect((await icon.arrayBuffer()).byteLength).toBeGreaterThan(100);
    }
    expect((await fetch(`${running.origin}/icons/..%2fchannelscope.svg`)).status).toBe(404);
    expect((await fetch(`${running.origin}/icons/16x16.png`)).status).toBe(404);
  });
});
