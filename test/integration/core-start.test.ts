import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCore } from '../../src-main/core/create-core.ts';
import { createInMemorySecretStore } from '../../src-main/core/secrets/in-memory-secret-store.ts';
import { createTestHost } from '../support/test-host.ts';

test('a start that failed leaves nothing behind that the next one could meet', async () => {
  const { host, remove } = await createTestHost();
  const store = createInMemorySecretStore();
  const start = () => createCore(host, { openSecretStore: () => Promise.resolve({ store, failure: null }) });
  const inTheWay = join(host.dataFolder, 'connections.json');
  await mkdir(inTheWay);
  await expect(start()).rejects.toMatchObject({ code: 'EISDIR' });
  await rm(inTheWay, { recursive: true });
  const core = await start();
  await core.stop();
  await remove();
});
