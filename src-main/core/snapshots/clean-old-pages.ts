import { toErrorInfo } from '../../common/contract/errors.ts';
import type { Emit } from '../../common/contract/index.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { Cache } from '../cache/cache.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { FileLogger } from '../logging/create-file-logger.ts';
import type { Logger } from '../logging/logger.ts';
import { createKnownSecrets } from '../secrets/secret-cleaner.ts';

/**
 * Searches pages that were kept before what services send back was cleaned, for the secrets of their connection that the
 * keychain holds now, and the logs with them: once for each cache and connection. Where they can't be read, a later start does it. Never rejects.
 */
export async function cleanOldPages(parts: {
  readonly cache: Pick<Cache, 'listCleaned' | 'cleanPages' | 'getSnapshot'>;
  readonly connections: Pick<ConnectionStore, 'list' | 'readSecrets'>;
  readonly engine: Pick<Engine, 'restart'>;
  readonly emit: Emit;
  readonly logger: Logger;
  readonly logs: Pick<FileLogger, 'rewrite'>;
}): Promise<void> {
  const { cache, connections, engine, emit, logger, logs } = parts;
  try {
    const cleaned = new Set(await cache.listCleaned());
    let isChanged = false;
    for (const { id: connectionId } of await connections.list()) {
      if (cleaned.has(connectionId)) continue;
      try {
        const { accessToken, accessTokenSecret } = await connections.readSecrets(connectionId);
        const secrets = [accessToken, accessTokenSecret];
        const cleaner = createKnownSecrets().createCleaner();
        for (const secret of secrets) cleaner.note(secret);
        await logs.rewrite(cleaner.cleanText);
        const done = await cache.cleanPages({ connectionId, secrets });
        const { searchedPages, cleanedPages, snapshotIds } = done;
        logger.info('kept pages searched for secrets', { connectionId, searchedPages, cleanedPages });
        isChanged ||= done.isChanged;
        for (const id of snapshotIds) emit('snapshots/changed', await cache.getSnapshot(id));
      } catch (error) {
        const { code } = toErrorInfo(error);
        if (code === 'app.cancelled') return;
        logger.info('kept pages not searched for secrets', { connectionId, code });
      }
    }
    if (isChanged) await engine.restart();
  } catch (error) {
    logger.warn('kept pages not searched for secrets', { error });
  }
}
