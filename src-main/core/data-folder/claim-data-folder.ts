import { claimFolder, holdFolder } from '../../node/claim-folder.ts';
import { toCacheError } from '../cache/file/open-database.ts';

/**
 * Claims a data folder for this process and returns what gives it up. Throws an AppError: `cache.locked`, or
 * `cache.read-only` for a folder that can't be written to.
 */
export function claimDataFolder(folder: string): () => void {
  try {
    const release = claimFolder(folder);
    const letGo = holdFolder(folder);
    return () => {
      letGo();
      release();
    };
  } catch (error) {
    throw toCacheError(error);
  }
}
