import { join } from 'node:path';
import { tryToRemoveSync } from '../../../../node/files.ts';

/** The folder beside the engine's file in which files lie until they are whole and moved to where they are wanted. */
export function findFilesFolder(engineFile: string): string {
  return join(engineFile, '..', 'analysis-files');
}

/** Removes what an application that was killed left there. What stays is tried again at the next start. */
export function emptyFilesFolder(engineFile: string): void {
  tryToRemoveSync(findFilesFolder(engineFile), { isFolder: true, maxWaitMs: 1000 });
}
