import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

/**
 * True where SQLite works in a folder: what one connection writes another reads, and a lock of one keeps the other out.
 * Disks of other computers may promise that and not keep it. Leaves a file `probe.sqlite` with its log.
 */
export function canKeepDatabases(folder: string): boolean {
  const path = join(folder, 'probe.sqlite');
  const open: Sqlite.Database[] = [];
  try {
    const first = new Sqlite(path, { timeout: 0 });
    open.push(first);
    if (first.pragma('journal_mode = wal', { simple: true }) !== 'wal') return false;
    first.exec('CREATE TABLE probe (value INTEGER) STRICT; INSERT INTO probe VALUES (42)');
    const second = new Sqlite(path, { timeout: 0 });
    open.push(second);
    if (second.prepare('SELECT value FROM probe').pluck().get() !== 42) return false;
    first.exec('BEGIN IMMEDIATE');
    return !canBegin(second);
  } catch {
    return false;
  } finally {
    for (const database of open) database.close();
  }
}

function canBegin(database: Sqlite.Database): boolean {
  try {
    database.exec('BEGIN IMMEDIATE');
    return true;
  } catch {
    return false;
  }
}
