import type { Handlers } from '../../common/contract/index.ts';
import { areAtHand } from '../../common/model/connections/connection.ts';
import type { Download } from '../../common/model/cache/download.ts';
import type { Cache } from '../cache/cache.ts';
import type { Events } from '../events.ts';
import type { Logger } from '../logging/logger.ts';

/** Codes of failures for lack of credentials: not stored, or not to be read. */
const LACKS_SECRETS = /^secrets\./u;

/**
 * Resumes downloads that paused by themselves, once what they lacked is there: those of a full disk when the cache can be
 * written again, those of missing credentials when the credentials of their connection are at hand.
 */
export function resumeOncePossible(parts: {
  readonly cache: Pick<Cache, 'watchState'>;
  readonly events: Pick<Events, 'on'>;
  readonly downloads: Pick<Handlers, 'downloads/list' | 'downloads/resume'>;
  readonly logger: Logger;
}): void {
  const { cache, events, downloads, logger } = parts;
  const resumeAll = async (isDue: (download: Download) => boolean): Promise<void> => {
    const list = await downloads['downloads/list']({ connectionId: null });
    for (const download of list) {
      const { snapshotId, state, failure } = download;
      if (state !== 'paused' || failure === null || !isDue(download)) continue;
      try {
        await downloads['downloads/resume']({ snapshotId });
        logger.info('download resumed by itself', { snapshotId, code: failure.code });
      } catch (error) {
        // The user may have resumed or removed it meanwhile; the others are still resumed.
        logger.warn('download not resumed', { snapshotId, error });
      }
    }
  };
  const begin = (isDue: (download: Download) => boolean): void => {
    resumeAll(isDue).catch((error: unknown) => logger.warn('downloads not resumed', { error }));
  };

  let wasFull = false;
  cache.watchState(({ mode }) => {
    if (mode === 'out-of-space') wasFull = true;
    if (mode !== 'ready' || !wasFull) return;
    wasFull = false;
    begin(({ failure }) => failure?.code === 'cache.disk-full');
  });

  /** Connections whose credentials were at hand when they were last heard of. */
  let ready: ReadonlySet<string> = new Set();
  events.on('connections/changed', (connections) => {
    const before = ready;
    ready = new Set(connections.filter(({ secrets }) => areAtHand(secrets)).map(({ id }) => id));
    const found = new Set([...ready].filter((id) => !before.has(id)));
    if (found.size === 0) return;
    begin(({ connectionId, failure }) => found.has(connectionId) && LACKS_SECRETS.test(failure?.code ?? ''));
  });
}
