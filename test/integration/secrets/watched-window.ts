import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Input, OperationName, Output } from '../../../src-main/common/contract/index.ts';
import { createCore } from '../../../src-main/core/create-core.ts';
import { locateDataFolder } from '../../../src-main/core/data-folder/locate-data-folder.ts';
import { createInMemorySecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import { findSourceWorkers } from '../../../src-main/node/worker-scripts.ts';
import { startWebApplication } from '../../../src-main/web/start-web-application.ts';
import { launch } from '../../support/application/web-server.ts';

/** The real host and core over a folder of their own, and a page of which every byte that it is sent is kept. */
export interface WatchedWindow {
  readonly dataFolder: string;
  /** Answers with their headers, files, and, once the page has gone, the lines of the event stream. */
  readonly traffic: readonly string[];
  /** Calls an operation as the page does; null for an error. */
  call<Name extends OperationName>(name: Name, input: Input<Name>): Promise<Output<Name> | null>;
  /** Opens an address of the host; resolves with what it sent. */
  open(path: string): Promise<string>;
  /** Closes the event stream. */
  leave(): Promise<void>;
  stop(): Promise<void>;
  remove(): Promise<void>;
}

export async function openWatchedWindow(): Promise<WatchedWindow> {
  const traffic: string[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'channelscope-hunt-'));
  const dataFolder = join(folder, 'data');
  const windowFolder = join(folder, 'window');
  await mkdir(windowFolder);
  await writeFile(join(windowFolder, 'index.html'), '<!doctype html><title>shell</title>');
  const running = await startWebApplication({
    platform: 'linux',
    version: '0.0.0-test',
    location: locateDataFolder(dataFolder, null),
    windowFolder,
    iconFolder: windowFolder,
    developmentServer: null,
    port: 0,
    now: Date.now,
    workers: findSourceWorkers(),
    onError: (error) => void traffic.push(String(error)),
    createCore: (host) =>
      createCore(host, {
        openSecretStore: () => Promise.resolve({ store: createInMemorySecretStore(), failure: null }),
      }),
  });
  const origin = `http://127.0.0.1:${running.port}`;
  const { headers } = await launch({ way: running.createLaunch(), origin });
  const ending = new AbortController();

  const keep = async (response: Response): Promise<string> => {
    const text = Buffer.from(await response.arrayBuffer()).toString('utf8');
    traffic.push(JSON.stringify([...response.headers]), text);
    return text;
  };
  const follow = async (): Promise<void> => {
    const { body } = await fetch(`${origin}/api/events`, { headers, signal: ending.signal });
    const decoder = new TextDecoder();
    let text = '';
    try {
      for await (const bytes of body!) text += decoder.decode(bytes, { stream: true });
    } catch {
      // The page has gone.
    }
    traffic.push(...text.split('\n').map((line) => line.replace(/^data: /, '')));
  };
  const stream = follow();
  const open = async (path: string): Promise<string> => keep(await fetch(`${origin}${path}`, { headers }));
  await open('/');

  return {
    dataFolder,
    traffic,
    async call<Name extends OperationName>(name: Name, input: Input<Name>) {
      const response = await fetch(`${origin}/api/call/${name}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(input),
      });
      const answer = JSON.parse(await keep(response)) as { ok: boolean; value: Output<Name> };
      return answer.ok ? answer.value : null;
    },
    open,
    leave: () => {
      ending.abort();
      return stream;
    },
    stop: () => running.stop(),
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
