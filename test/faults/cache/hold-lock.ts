/**
 * Holds a lock on a cache file for a time, as another program might. Arguments: `write` or `read`, the file,
 * milliseconds; says `held` once it has it.
 */
import { writeSync } from 'node:fs';
import Database from 'better-sqlite3';

const [kind, file = '', holdMs = '0'] = process.argv.slice(2);
const database = new Database(file);
database.exec(kind === 'write' ? 'BEGIN IMMEDIATE' : 'BEGIN');
database.prepare('SELECT count(*) FROM snapshots').get();
writeSync(1, 'held');
setTimeout(() => {
  database.exec('ROLLBACK');
  database.close();
}, Number(holdMs));
