import type { Handlers } from '../../common/contract/index.ts';
import type { Logger } from '../logging/logger.ts';
import type { Cache } from '../cache/cache.ts';

/** Resumes the downloads that a full disk paused, once the cache can be written again. */
export function resumeAfterFullDisk(
  cache: Pick<Cache, 'watchState'>,
  downloads: Pick<Handlers, 'downloads/list' | 'downloads/resume'>,
  logger: Logger,
): void {
  const resumeAll = async (): Promise<void> => {
    const list = await downloads['downloads/list']({ connectionId: null });
    for (const { snapshotId, state, failure } of list) {
      if (state !== 'paused' || failure?.code !== 'cache.disk-full') continue;
      try {
        await downloads['downloads/resume']({ snapshotId });
        logger.info('download resumed after a full disk', { snapshotId });
      } catch (error) {
        // The user may have resumed or removed it meanwhile; the others are still resumed.
        logger.warn('download not resumed', { snapshotId, error });
      }
    }
  };
  let wasFull = false;
  cache.watchState(({ mode }) => {
    if (mode === 'out-of-space') wasFull = true;
    if (mode !== 'ready' || !wasFull) return;
    wasFull = false;
    resumeAll().catch((error: unknown) => logger.warn('downloads not resumed', { error }));
  });
}
