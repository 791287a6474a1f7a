import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventListener } from '../../../src-main/core/host.ts';
import type { Input, OperationName, Output } from '../../../src-main/common/contract/index.ts';
import { SHARED_KINDS, type SharedWork } from '../../../src-main/common/model/shared/shared-work.ts';
import { createCore } from '../../../src-main/core/create-core.ts';
import { createInMemorySecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../../src-main/common/reporting/reports.ts';
import { createTestHost } from '../../support/application/test-host.ts';

/** What no file of shared work may hold. */
export const CANARIES = [
  'canary-token-7391',
  'canary-secret-2264',
  'canary-hook-5518',
  'canary-key-8842',
] as const;
const [TOKEN, SECRET, HOOK, KEY] = CANARIES;

/** An application with a connection to the same service as the others, and with secrets. */
export interface SharedApp {
  readonly name: string;
  readonly connectionId: string;
  readonly dataFolder: string;
  call<Name extends OperationName>(name: Name, input: Input<Name>): Promise<Output<Name>>;
  /** Links a folder; `sharedId` is the connection there that is the one here. */
  link(folder: string, sharedId?: string): Promise<SharedWork>;
  look(): Promise<SharedWork>;
  on(listener: EventListener): void;
  close(): Promise<void>;
}

/** Starts an application whose clock is so far off. */
export async function startApp(
  name: string,
  { offMs = 0, byItself = 'nothing' }: { offMs?: number; byItself?: 'everything' | 'nothing' } = {},
): Promise<SharedApp> {
  const { host, remove } = await createTestHost();
  const store = { ...createInMemorySecretStore(), kind: 'keychain' as const };
  const core = await createCore(host, {
    byItself,
    now: () => Date.now() + offMs,
    openSecretStore: () => Promise.resolve({ store, failure: null }),
  });
  const call: SharedApp['call'] = async (operation, input) => {
    const answer = await core.call(operation, input);
    if (!answer.ok) throw Object.assign(new Error(`${operation}: ${answer.error.message}`), answer.error);
    return answer.value as Output<typeof operation>;
  };
  const { id: connectionId } = await call('connections/save', {
    connectionId: null,
    draft: {
      name: `Support of ${name}`,
      baseAddress: 'https://127.0.0.1:9',
      tenant: 12,
      serviceZone: 'UTC',
      reportIdentifiers: { ...SPECIFIED_REPORT_IDENTIFIERS },
      pageSize: 100,
    },
    secrets: { accessToken: TOKEN, accessTokenSecret: SECRET },
  });
  await call('destinations/save', {
    destinationId: null,
    draft: { name: 'Hook', isActive: true, kind: 'webhook', connectionId, text: '', remindMinutes: null },
    address: `https://127.0.0.1:9/${HOOK}`,
    key: KEY,
  });
  return {
    name,
    connectionId,
    dataFolder: host.dataFolder,
    call,
    link: (folder, sharedId = connectionId) =>
      call('shared-work/link', {
        folder,
        kinds: [...SHARED_KINDS],
        connections: [{ connectionId, sharedId }],
      }),
    look: () => call('shared-work/look', null),
    on: (listener) => void core.on(listener),
    close: async () => {
      await core.stop();
      await remove();
    },
  };
}

/** A folder that a drive carries. */
export async function makeFolder(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'shared work-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Every file below a folder by its path, with its text. */
export async function readTexts(folder: string): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile())
      texts.set(path.slice(folder.length + 1), await readFile(path, 'utf8').catch(() => ''));
  }
  return texts;
}

/** What an application shares, as the files that it would be written to; connections under one id. */
export async function readShared(app: SharedApp, sharedId: string): Promise<Map<string, string>> {
  const { folder, remove } = await makeFolder();
  const choice = {
    folder,
    kinds: [...SHARED_KINDS],
    connections: [{ connectionId: app.connectionId, sharedId }],
  };
  await app.call('shared-work/export', { choice, replace: [] });
  const texts = await readTexts(folder);
  await remove();
  for (const file of texts.keys()) if (file.startsWith('connections')) texts.delete(file);
  return new Map([...texts].map(([file, text]) => [toItemName(file), text]));
}

/** What tells items apart: the name before it is the one that the item had first, the one behind it a sync program's. */
export function toItemName(file: string): string {
  return file.replace(/\/.*--([0-9a-f]{10}).*/u, '/$1');
}
