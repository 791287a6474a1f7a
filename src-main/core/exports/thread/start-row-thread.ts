import { type RunningWorker, startWorker } from '../../calls/calls.ts';
import type { Logger } from '../../logging/logger.ts';
import type { RowThreadStarted } from './create-row-writer.ts';

/** What a thread that writes a file is started with. */
export interface RowThreadData {
  readonly cacheFile: string;
  /** Where files lie that are no part of another one yet; it is emptied at each start of the application. */
  readonly scratchFolder: string;
}

/** Starts a thread that writes one file of what a cache holds. */
export function startRowThread(
  script: URL,
  data: RowThreadData,
  logger: Logger,
): RunningWorker<RowThreadStarted> {
  return startWorker(script, { name: 'export-rows', data }, logger);
}
