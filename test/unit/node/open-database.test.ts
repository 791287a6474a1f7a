import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../../../src-main/node/open-database.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'open-database-'));
  file = join(folder, 'test.sqlite');
});
afterEach(() => rm(folder, { recursive: true }));

it('sets the given pragmas and the common ones', () => {
  const database = openDatabase(file, { busyTimeoutMs: 700, pragmas: [['journal_mode', 'wal', 'wal']] });
  const read = (name: string): unknown => database.pragma(name, { simple: true });
  expect(['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout', 'trusted_schema'].map(read)).toEqual(
    ['wal', 2, 1, 700, 0],
  );
  database.close();
});

it('A6: a flush reaches the disk on macOS too, at a commit and at a checkpoint', () => {
  const database = openDatabase(file, { busyTimeoutMs: 0, pragmas: [] });
  const read = (name: string): unknown => database.pragma(name, { simple: true });
  expect(['fullfsync', 'checkpoint_fullfsync'].map(read)).toEqual([1, 1]);
  database.close();
});

it('fails, with the file closed, when a pragma does not hold', () => {
  const open = (expected: string) =>
    openDatabase(file, { busyTimeoutMs: 0, pragmas: [['locking_mode', 'exclusive', expected]] });
  expect(() => open('normal')).toThrow('The database setting locking_mode is exclusive, not normal.');
  // The lock of a handle that stayed open would be in the way.
  const database = open('exclusive');
  database.exec('CREATE TABLE t (a INTEGER) STRICT');
  database.close();
});

it('checks a pragma without setting it where no value is given', () => {
  openDatabase(file, { busyTimeoutMs: 0, pragmas: [['journal_mode', 'wal', 'wal']] }).close();
  const journal = ['journal_mode', null, 'delete'] as const;
  expect(() => openDatabase(file, { busyTimeoutMs: 0, pragmas: [journal] })).toThrow('is wal, not delete');
});
