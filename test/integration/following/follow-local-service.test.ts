import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Following } from '../../../src-main/common/contract/operations/cache.ts';
import type { Connection } from '../../../src-main/common/model/connections/connection.ts';
import { createCore } from '../../../src-main/core/create-core.ts';
import { createInMemorySecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import { createTestHost } from '../../support/application/test-host.ts';

it('the built-in service is followed from the start, until a person switches it off', async () => {
  const { host, remove } = await createTestHost();
  await writeFile(join(host.dataFolder, 'settings.json'), '{}');
  const store = createInMemorySecretStore();
  const core = await createCore(host, { openSecretStore: () => Promise.resolve({ store, failure: null }) });
  onTestFinished(async () => {
    await core.stop();
    await remove();
  });
  const ask = async <Value>(name: string, input: unknown): Promise<Value> => {
    const answer = await core.call(name, input);
    if (!answer.ok) throw Object.assign(new Error(answer.error.code), answer.error);
    return answer.value as Value;
  };
  const { connection } = await ask<{ connection: Connection }>('local-service/start', null);
  expect(connection).toMatchObject({ kind: 'local', followed: true });
  const readState = async () => (await ask<Following[]>('following/list', null))[0]?.state;
  await expect.poll(readState, { timeout: 60_000 }).toMatch(/^(catching-up|following)$/);
  const days = await ask<{ recordCount: number; settledToMs?: number }[]>('snapshots/list', {
    connectionId: null,
  });
  expect(days[0]?.settledToMs).toBeDefined();
  await ask('following/switch', { connectionId: connection.id, followed: false });
  expect(await readState()).toBe('off');
  // A service that starts again doesn't switch it on.
  await ask('local-service/stop', null);
  const again = await ask<{ connection: Connection }>('local-service/start', null);
  expect(again.connection.followed).toBe(false);
}, 120_000);
