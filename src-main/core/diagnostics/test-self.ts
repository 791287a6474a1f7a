import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toErrorInfo } from '../../common/contract/errors.ts';
import type { SelfTest } from '../../common/contract/operations/diagnostics.ts';
import { tryToRemove } from '../../node/move-and-remove.ts';
import { PRIVATE_FILE_MODE } from '../../node/private-files.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { Cache } from '../cache/cache.ts';
import type { Host } from '../host.ts';
import type { Monitor } from '../monitor/create-monitor.ts';
import type { Keychain } from '../secrets/create-keychain.ts';
import type { SettingsStore } from '../settings/create-settings.ts';

interface TestedParts {
  readonly host: Pick<Host, 'dataFolder'>;
  readonly keychain: Pick<Keychain, 'read' | 'store'>;
  readonly cache: Pick<Cache, 'retry'>;
  readonly engine: Pick<Engine, 'closeView'>;
  readonly monitor: Pick<Monitor, 'check'>;
  readonly settings: Pick<SettingsStore, 'get'>;
}

/** Stands for a part that there is nothing to test with. */
const SKIPPED = Symbol('skipped');
/** No connection has it. */
const TEST_ENTRY = 'self-test';

/** A test resolves to the code of what it found, or to null where all is well. */
function toOutcome(result: string | null | typeof SKIPPED): SelfTest['outcome'] {
  if (result === SKIPPED) return 'skipped';
  return result === null ? 'passed' : 'failed';
}

async function testKeychain({ keychain }: TestedParts): Promise<string | null> {
  const { kind, failure } = keychain.read();
  if (kind === 'session') return failure ?? 'secrets.no-keychain';
  const value = randomUUID();
  await keychain.store.set(TEST_ENTRY, 'accessToken', value);
  const read = await keychain.store.get(TEST_ENTRY, 'accessToken');
  await keychain.store.delete(TEST_ENTRY, 'accessToken');
  return read === value ? null : 'secrets.no-keychain';
}

async function testDisk({ host }: TestedParts): Promise<string | null> {
  const path = join(host.dataFolder, `self-test-${randomUUID()}.tmp`);
  const text = randomUUID();
  try {
    await writeFile(path, text, { mode: PRIVATE_FILE_MODE, flush: true });
    return (await readFile(path, 'utf8')) === text ? null : 'cache.damaged';
  } finally {
    await tryToRemove(path, () => undefined);
  }
}

async function testCache({ cache }: TestedParts): Promise<string | null> {
  const { mode } = await cache.retry();
  if (mode === 'ready') return null;
  if (mode === 'folder-gone') return 'cache.folder-gone';
  return mode === 'out-of-space' ? 'cache.disk-full' : 'cache.io-failed';
}

async function testEngine({ engine }: TestedParts): Promise<null> {
  // Any call starts it; this one finds nothing, and changes nothing.
  await engine.closeView(TEST_ENTRY);
  return null;
}

async function testNetwork({ monitor, settings }: TestedParts): Promise<string | null | typeof SKIPPED> {
  const { lastConnectionId } = settings.get();
  if (lastConnectionId === null) return SKIPPED;
  return (await monitor.check(lastConnectionId)).failure;
}

/** Uses each part of the application once, and says which of them fail, and why. Never rejects. */
export function testSelf(parts: TestedParts): Promise<SelfTest[]> {
  const tests = {
    keychain: testKeychain,
    disk: testDisk,
    cache: testCache,
    engine: testEngine,
    network: testNetwork,
  };
  return Promise.all(
    Object.entries(tests).map(async ([part, test]): Promise<SelfTest> => {
      const startedMs = performance.now();
      const result = await test(parts).catch((error: unknown) => toErrorInfo(error).code);
      return {
        part: part as SelfTest['part'],
        outcome: toOutcome(result),
        code: typeof result === 'string' ? result : null,
        tookMs: Math.round(performance.now() - startedMs),
      };
    }),
  );
}
