import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { tryToRemoveSync } from '../../../../node/files.ts';

/** The folder beside the engine's file in which files lie until they are whole and moved to where they are wanted. */
export function findFilesFolder(engineFile: string): string {
  return join(engineFile, '..', 'analysis-files');
}

/** Removes what an application that was killed left there. What stays is tried again at the next start. */
export function emptyFilesFolder(engineFile: string): void {
  const folder = findFilesFolder(engineFile);
  const isEmpty = existsSync(folder) && readdirSync(folder).length === 0;
  if (!isEmpty) tryToRemoveSync(folder, { isFolder: true, maxWaitMs: 1000 });
}
