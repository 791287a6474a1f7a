import { startWorker, type RunningWorker } from '../../calls/start-worker.ts';
import type { Logger } from '../../logging/logger.ts';

/** Starts a thread that writes one file of what a cache holds. */
export function startRowThread(script: URL, cacheFile: string, logger: Logger): RunningWorker<unknown> {
  return startWorker(script, { name: 'export-rows', data: cacheFile }, logger);
}
