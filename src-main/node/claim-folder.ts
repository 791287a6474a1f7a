import { accessSync, chmodSync, constants } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { AppError } from '../common/contract/errors.ts';
import { findErrorCode } from './error-text.ts';
import { PRIVATE_FILE_MODE } from './private-files.ts';

/**
 * Claims a data folder for this process and returns a function that releases it. The claim is an exclusive
 * transaction on `folder.lock`, so the system itself ends that of a process that was killed. Throws AppError
 * `cache.locked` while another process holds the folder, and the system's error when it can't be written to.
 */
export function claimFolder(folder: string): () => void {
  accessSync(folder, constants.W_OK);
  const path = join(folder, 'folder.lock');
  const claim = new Sqlite(path, { timeout: 0 });
  try {
    // Nothing is ever written to it, so a journal would only be one more file.
    claim.pragma('journal_mode = memory');
    claim.exec('BEGIN EXCLUSIVE');
    chmodSync(path, PRIVATE_FILE_MODE);
  } catch (error) {
    claim.close();
    if (findErrorCode(error)?.startsWith('SQLITE_BUSY') !== true) throw error;
    throw new AppError(
      'cache.locked',
      `Channelscope is already open with the folder ${folder}.`,
      { folder },
      error,
    );
  }
  return () => void claim.close();
}
