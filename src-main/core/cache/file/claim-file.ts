import { accessSync, chmodSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { AppError } from '../../../common/contract/errors.ts';

/**
 * Claims a cache file for this process with a lock that the system takes back by itself, also from a process that
 * was killed: an exclusive transaction on `<file>.lock`, held until the answer is called. Throws AppError
 * `cache.locked` while another process holds it, and errors of the system where the folder can't be written.
 */
export function claimFile(file: string): () => void {
  const path = `${file}.lock`;
  accessSync(dirname(file), constants.W_OK);
  const claim = new Sqlite(path, { timeout: 0 });
  try {
    // Nothing is ever written to it, so a journal would only be one more file.
    claim.pragma('journal_mode = memory');
    claim.exec('BEGIN EXCLUSIVE');
    chmodSync(path, 0o600);
  } catch (error) {
    claim.close();
    if (error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      throw new AppError('cache.locked', 'Another program has the cache open.', { file }, error);
    }
    throw error;
  }
  return () => void claim.close();
}
