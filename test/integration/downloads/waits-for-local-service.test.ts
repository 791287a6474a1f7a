import { expect, it, onTestFinished } from 'vitest';
import type { Input, OperationName, Output } from '../../../src-main/common/contract/index.ts';
import { createCore, type Core } from '../../../src-main/core/create-core.ts';
import { createInMemorySecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import { createTestHost } from '../../support/application/test-host.ts';
import { lastDays } from './download-rig.ts';

it('a download that is resumed before the local service has started waits for it, not "Credentials missing"', async () => {
  let isHeld = true;
  const { host, remove } = await createTestHost({
    fetch: async (input, init) => {
      const url = input instanceof Request ? input.url : input.toString();
      if (!isHeld || !url.includes('ExecuteReport')) return globalThis.fetch(input, init);
      const { promise, reject } = Promise.withResolvers<never>();
      init?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
      return promise;
    },
  });
  onTestFinished(remove);
  // Secrets that last as long as the application, as where there is no keychain.
  const open = (): Promise<Core> =>
    createCore(host, {
      openSecretStore: () => Promise.resolve({ store: createInMemorySecretStore(), failure: null }),
    });
  let core = await open();
  onTestFinished(() => core.stop());
  const ask = async <Name extends OperationName>(name: Name, input: Input<Name>): Promise<Output<Name>> => {
    const answer = await core.call(name, input);
    if (!answer.ok) throw new Error(`${name}: ${answer.error.code}`);
    return answer.value as Output<Name>;
  };
  await ask('local-service/start', null);
  const [connection] = await ask('connections/list', null);
  const connectionId = connection!.id;
  const { snapshotId } = await ask('downloads/start', {
    connectionId,
    report: 'inbound-detail',
    period: lastDays(1),
  });
  await expect.poll(async () => (await ask('downloads/list', { connectionId }))[0]?.state).toBe('running');
  await core.stop();

  isHeld = false;
  core = await open();
  const states: string[] = [];
  core.on((name, payload) => {
    if (name === 'downloads/changed' && payload.snapshotId === snapshotId) states.push(payload.state);
  });
  await expect
    .poll(async () => (await ask('snapshots/get', { snapshotId })).state, { timeout: 60_000 })
    .toBe('complete');
  expect(states).not.toContain('paused');
  expect(states).not.toContain('waiting');
});
