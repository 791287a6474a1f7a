import { expect } from 'vitest';
import type { Input, OperationName, Output } from '../../../src-main/common/contract/index.ts';
import { createCore } from '../../../src-main/core/create-core.ts';
import type { Host } from '../../../src-main/core/host.ts';
import type { SqlResult } from '../../../src-main/common/model/records/sql.ts';
import { createInMemorySecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import { startUtilityProcess } from '../../../src-main/electron/utility-process.ts';
import { createTestHost } from '../application/test-host.ts';

/** Starts the core on built threads, and has each of them work: the service, the cache, the engine and the writer of files. */
export async function checkThreads(workers: Host['workers']): Promise<void> {
  const { host, remove } = await createTestHost({ workers, startProcess: startUtilityProcess });
  const store = createInMemorySecretStore();
  const core = await createCore(host, {
    openSecretStore: () => Promise.resolve({ store, failure: null }),
  });
  const ask = async <Name extends OperationName>(name: Name, input: Input<Name>): Promise<Output<Name>> => {
    const answer = await core.call(name, input);
    if (!answer.ok) throw new Error(`${name}: ${JSON.stringify(answer.error)}`);
    return answer.value as Output<Name>;
  };
  try {
    const { connection } = await ask('local-service/start', null);
    expect(await ask('status/refresh', { connectionId: connection.id })).toMatchObject({ failure: null });
    const outcome = await ask('sql/run', {
      runId: 'one',
      connectionId: connection.id,
      fromMs: 0,
      toMs: 1000,
      zone: 'UTC',
      text: 'SELECT 6 * 7',
    });
    expect(outcome).toMatchObject({ kind: 'rows' });
    const { resultId, columns, rowCount, hasMore } = outcome as SqlResult;
    expect(await ask('sql/read-rows', { resultId, offset: 0, limit: 1, whole: true })).toEqual([[42]]);
    const { taskId } = await ask('exports/start-result', {
      resultId,
      columns,
      rowCount,
      hasMore,
      statement: 'SELECT 6 * 7',
      format: 'xlsx',
      connectionId: connection.id,
      fromMs: 0,
      toMs: 1000,
      zone: 'UTC',
    });
    const task = await ask('tasks/wait', { taskId: taskId ?? '' });
    expect(task).toMatchObject({ state: 'done', done: 1 });
  } finally {
    await core.stop();
    await remove();
  }
}
