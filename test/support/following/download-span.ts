import { DETAIL_KINDS } from '../../../src-main/common/reporting/reports.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import type { ConnectionStore } from '../../../src-main/core/connections/create-connections.ts';
import { createDownloads } from '../../../src-main/core/downloads/downloads-handlers.ts';
import { toPeriod } from '../../../src-main/core/downloads/slice-period.ts';
import { createTaskRegistry } from '../../../src-main/core/tasks/task-registry.ts';
import { createSilentLogger } from '../fakes/silent-logger.ts';

/** Downloads [fromMs, toMs) of both directions of the connection `one`. */
export async function downloadSpan(
  parts: {
    readonly cache: Cache;
    readonly connections: Pick<ConnectionStore, 'get' | 'clientFor'>;
    now(): number;
  },
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<void> {
  const shared = { ...parts, emit: () => undefined, logger: createSilentLogger() };
  const tasks = createTaskRegistry(shared);
  const { starter } = createDownloads({
    ...shared,
    connections: parts.connections as ConnectionStore,
    tasks,
    clock: { now: parts.now, wait: () => Promise.resolve() },
  });
  const period = toPeriod({ fromMs, toMs: toMs - 1000 }, 'UTC');
  const more = { sliceDays: null, askedStart: '', refreshOf: null };
  for (const report of DETAIL_KINDS) {
    const { taskId } = await starter.begin({ connectionId: 'one', report, period, ...more });
    await tasks.whenEnded(taskId);
  }
  await tasks.stop();
}
