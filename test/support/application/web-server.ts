import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createExportDownloads,
  createImportUploads,
  type ExportDownloads,
  type ImportUploads,
} from '../../../src-main/web/transfers.ts';
import { startWebServer, type Launch, type WebServer } from '../../../src-main/web/web-server.ts';
import { createStubCore, type StubCore } from '../fakes/stub-core.ts';

/** A real server over a stub core and a small window, with a clock that the test moves. */
export interface TestServer {
  readonly server: WebServer;
  /** The first way in. */
  readonly way: Launch;
  readonly core: StubCore;
  readonly downloads: ExportDownloads;
  readonly uploads: ImportUploads;
  readonly folder: string;
  readonly origin: string;
  readonly clock: { nowMs: number };
  readonly bugs: unknown[];
  stop(): Promise<void>;
}

const PAGE =
  '<!doctype html><head><meta name="csp-nonce" content="__CSP_NONCE__"><title>shell</title></head>';

export async function startTestServer(
  answers: Record<string, (input: never) => unknown> = {},
  options: { developmentServer?: string; dataFolder?: string } = {},
): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'channelscope-web-'));
  await mkdir(join(folder, 'window/assets'), { recursive: true });
  await writeFile(join(folder, 'window/index.html'), PAGE);
  await writeFile(join(folder, 'window/assets/app-1a2b.js'), 'export {};');
  await writeFile(join(folder, 'window/.hidden.js'), 'secret');
  await writeFile(join(folder, 'outside.js'), 'secret');
  const core = createStubCore(answers);
  const downloads = createExportDownloads(join(folder, 'exports'));
  const uploads = createImportUploads(join(folder, 'uploads'), { maxBytes: 1024 * 1024 });
  const clock = { nowMs: 1_800_000_000_000 };
  const bugs: unknown[] = [];
  const server = await startWebServer({
    core: Promise.resolve(core),
    call: core.callFromWindow,
    downloads,
    uploads,
    languages: { note: () => undefined },
    windowFolder: join(folder, 'window'),
    hasOwnFolder: false,
    iconFolder: fileURLToPath(new URL('../../../resources/icons/linux', import.meta.url)),
    developmentServer: options.developmentServer ?? null,
    dataFolder: options.dataFolder ?? folder,
    port: 0,
    now: () => clock.nowMs,
    onError: (error) => bugs.push(error),
    onAnswered: () => undefined,
  });
  return {
    server,
    way: server.createLaunch(),
    core,
    downloads,
    uploads,
    folder,
    origin: `http://127.0.0.1:${server.port}`,
    clock,
    bugs,
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** What a browser holds after the launch. */
export interface TestSession {
  readonly cookie: string;
  readonly token: string;
  readonly headers: Record<string, string>;
}

export async function launch(running: Pick<TestServer, 'way' | 'origin'>): Promise<TestSession> {
  const answer = await fetch(running.way.url, { redirect: 'manual' });
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0]!;
  const token = (answer.headers.get('location') ?? '').slice('/#session='.length);
  return { cookie, token, headers: { cookie, 'x-channelscope-session': token, origin: running.origin } };
}
