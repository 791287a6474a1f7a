import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { respondToAppRequest, serveAppFiles } from '../../src-main/electron/app-protocol.ts';
import { FakeSession } from '../support/electron/session.ts';
import { HOSTILE_URLS } from '../support/samples/hostile-urls.ts';
import { isPosix } from '../support/skips/posix.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-files-'));
  await mkdir(join(folder, 'window/assets'), { recursive: true });
  await writeFile(join(folder, 'window/index.html'), '<meta content="__CSP_NONCE__">');
  await writeFile(join(folder, 'window/assets/a-1.js'), 'export {};');
  await writeFile(join(folder, 'secret.js'), 'secret');
  if (isPosix) await symlink(join(folder, 'secret.js'), join(folder, 'window/link.js'));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

/** A request whose URL is exactly this text, as a hostile page might get it past a parser. */
function ask(url: string, method = 'GET'): Promise<Response> {
  return Promise.resolve(respondToAppRequest({ url, method } as Request, join(folder, 'window')));
}

it('what a page asks of the file system is refused', async () => {
  const session = new FakeSession('');
  serveAppFiles(session as never, join(folder, 'window'), null);
  const file = await session.protocolHandlers.get('file')?.({ url: 'file:///etc/hosts' } as Request);
  expect([file?.status, await file?.text()]).toEqual([403, '']);
});

it('the page may load what is its own, and nothing else', async () => {
  const answer = await ask('app://channelscope/index.html');
  const policy = answer.headers.get('content-security-policy')?.replace(/'nonce-[\w+/=]{24}'/u, "'nonce'");
  expect(policy?.split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'nonce'",
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'none'",
    "manifest-src 'self'",
    "frame-src 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);
});

describe('E-18: the application scheme', () => {
  it('serves the page with a fresh nonce that its policy names', async () => {
    const answer = await ask('app://channelscope/index.html');
    const policy = answer.headers.get('content-security-policy') ?? '';
    const nonce = /'nonce-([^']+)'/u.exec(policy)?.[1] ?? '';
    expect(await answer.text()).toBe(`<meta content="${nonce}">`);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const script = await ask('app://channelscope/assets/a-1.js?x#y');
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    // Compiled once for all starts; the page names the scripts of its version.
    expect(script.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await script.text()).toBe('export {};');
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('serves no %s', async (method) => {
    expect((await ask('app://channelscope/index.html', method)).status).toBe(404);
  });

  // These two name the page itself, beside something that files don't look at.
  const pages = [
    'app://channelscope/',
    'app://channelscope/index.html?next=//evil',
    'app://channelscope/%69ndex.html',
  ];
  it.each(HOSTILE_URLS.filter((url) => !pages.includes(url)))('holds nothing at %j', async (url) => {
    const answer = await ask(url);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it.each([
    '../secret.js',
    '%2e%2e/secret.js',
    '..%2fsecret.js',
    '..%5csecret.js',
    'link.js',
    'assets',
    './index.html',
  ])('does not reach outside by %s', async (path) => {
    expect((await ask(`app://channelscope/${path}`)).status).toBe(404);
  });
});
