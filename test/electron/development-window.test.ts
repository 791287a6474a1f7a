import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { respondFromServer } from '../../src-main/electron/app-protocol.ts';
import { fetchDevelopmentFile } from '../../src-main/node/http/fetch-development-file.ts';
import { startFaultServer, type FaultServer } from '../support/network/fault-server.ts';
import { launch, startTestServer } from '../support/application/web-server.ts';

const PAGE =
  '<meta name="csp-nonce" content="__CSP_NONCE__"><script type="module" src="/@vite/client"></script>';

/** Stands in for the server that rebuilds the window. */
let server: FaultServer;
beforeAll(async () => {
  server = await startFaultServer(({ path }, response) => {
    if (path === '/') response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
    else if (path === '/main.ts?t=1')
      response.writeHead(200, { 'content-type': 'text/javascript' }).end('1;');
    else response.writeHead(404, { 'content-type': 'text/plain' }).end('none');
  });
});
afterAll(() => server.close());

const readPolicy = (response: Response): string => response.headers.get('content-security-policy') ?? '';
const socketAddress = (): string => server.address.replace('http', 'ws');

describe('npm run dev shows what was just changed, not a stale build', () => {
  it('in the desktop window: under its own origin, with the socket for reloading and nothing else', async () => {
    const page = await respondFromServer(new Request('app://channelscope/index.html'), server.address);
    const nonce = /'nonce-([^']+)'/u.exec(readPolicy(page))?.[1] ?? '-';
    expect(await page.text()).toBe(PAGE.replace('__CSP_NONCE__', nonce));
    expect(readPolicy(page)).toContain(`connect-src ${socketAddress()};`);
    expect(readPolicy(page)).toContain("script-src 'self';");
    const script = await respondFromServer(new Request('app://channelscope/main.ts?t=1'), server.address);
    expect([script.headers.get('content-type'), await script.text()]).toEqual(['text/javascript', '1;']);
    expect((await respondFromServer(new Request('app://channelscope/none'), server.address)).status).toBe(
      404,
    );
  });

  it('in the browser: behind the same session as ever', async () => {
    const running = await startTestServer({}, { developmentServer: server.address });
    await launch(running);
    const page = await fetch(`${running.origin}/`);
    expect(readPolicy(page)).toContain(`connect-src 'self' ${socketAddress()};`);
    expect(await page.text()).toContain('/@vite/client');
    expect(await (await fetch(`${running.origin}/main.ts?t=1`)).text()).toBe('1;');
    expect((await fetch(`${running.origin}/api/operations`, { method: 'POST' })).status).toBeGreaterThan(399);
    await running.stop();
  });

  it('takes nothing from another computer', async () => {
    await expect(fetchDevelopmentFile('http://window.example', '/')).rejects.toThrow('on this computer');
    expect((await fetchDevelopmentFile(server.address, '//window.example/x')).status).toBe(404);
  });
});
