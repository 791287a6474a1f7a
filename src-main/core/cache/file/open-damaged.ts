import { closeSync, constants, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { findErrorCode } from '../../../node/error-text.ts';
import { copyPatientlySync, isTaken, removePatientlySync, tryToRemoveSync } from '../../../node/files.ts';
import type { Database } from '../../../node/open-database.ts';
import { APPLICATION_ID, isDamage, openCacheDatabase, readPragma, toCacheError } from './open-database.ts';
import { applyMigration, MIGRATIONS } from './schema.ts';
import { hasTornPages, mendTrees } from './mend-trees.ts';
import { COMPANIONS } from './put-aside.ts';

/** Where each field of the first page's header lies (SQLite's file format, section 1.3). */
const PAGE_SIZE_AT = 16;
const WRITE_VERSION_AT = 18;
const READ_VERSION_AT = 19;
const CHANGE_COUNTER_AT = 24;
const PAGE_COUNT_AT = 28;
const FREE_PAGES_AT = 32;
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;
const VALID_FOR_AT = 92;
const HEADER_BYTES = 100;

const READABLE = '.readable';
const SELECT_ROOTS =
  "SELECT rootpage, type = 'index' OR sql LIKE '%WITHOUT ROWID' AS isIndex FROM sqlite_schema WHERE rootpage > 0";
const PAGE_BYTES = 4_096;
const ROLLBACK = 1;
const WAL = 2;
/** Kinds of pages of a b-tree, by their first byte. */
const INTERIOR_TABLE = 0x05;
const LEAF_TABLE = 0x0d;
const KINDS_OF_TABLE: readonly (number | undefined)[] = [INTERIOR_TABLE, LEAF_TABLE];
const KINDS_OF_INDEX: readonly (number | undefined)[] = [0x02, 0x0a];
/** Root pages that may be damaged themselves where the others show that the file is laid out as ours. */
const MAX_DAMAGED_ROOTS = 2;
const MAX_DAMAGED_CHARACTERS = 2;

/** The header's fields that every cache has alike, by their place and their bytes. */
const FIXED: readonly (readonly [name: string, at: number, bytes: readonly number[]])[] = [
  ['page size', PAGE_SIZE_AT, [PAGE_BYTES >> 8, PAGE_BYTES & 0xff]],
  ['reserved space', 20, [0]],
  ['payload fractions', 21, [64, 32, 32]],
  ['schema format', 44, [0, 0, 0, 4]],
  ['text encoding', 56, [0, 0, 0, 1]],
  ['incremental vacuum', 64, [0, 0, 0, 1]],
  ['expansion space', 72, Array.from({ length: 20 }, () => 0)],
];

/** Each table and index with the statement that made it. */
export function readSchema(database: Database): ReadonlyMap<string, string> {
  const rows = database
    .prepare<[], { name: string; sql: string | null }>(
      "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'",
    )
    .all();
  return new Map(rows.map(({ name, sql }) => [name, sql ?? '']));
}

/**
 * Names of the header's fields that no cache has so. SQLite opens a file with some of them as one that can't be written,
 * or reads other texts in it.
 */
export function listHeaderFaults(file: string): string[] {
  const header = readBytes(file, 0, HEADER_BYTES);
  const faults = FIXED.filter(([, at, bytes]) => bytes.some((byte, place) => header[at + place] !== byte));
  const journals = [header[WRITE_VERSION_AT], header[READ_VERSION_AT]];
  const isKnownJournal =
    journals.every((each) => each === ROLLBACK) || journals.every((each) => each === WAL);
  return [...faults.map(([name]) => name), ...(isKnownJournal ? [] : ['file format version'])];
}

/** True where SQLite refuses the format that a header names, for which it has no code of its own. */
export function isUnknownFormat(error: unknown, file: string): boolean {
  return findErrorCode(error) === 'SQLITE_ERROR' && listHeaderFaults(file).length > 0;
}

/** True for numbers that differ in one bit only, which is what a disk or a memory makes of one by itself. */
export function isBitFlip(found: number, wanted: number): boolean {
  const changed = (found ^ wanted) >>> 0;
  return changed !== 0 && (changed & (changed - 1)) === 0;
}

/** Where the copy of a damaged file is that can be read where the file itself can't. */
function toCopyPath(damagedFile: string): string {
  return `${damagedFile}${READABLE}`;
}

/**
 * Opens a damaged cache for reading. Where its header, its list of tables or, with `hasMendedTrees`, a page between the
 * root of a table and its rows is what is damaged, a copy of it is opened in which these are as this application makes
 * them, since all else may be sound; the file itself is left as it is. Null for a file that isn't ours. Throws as opening
 * does, and errors of the file system.
 */
export function openDamaged(damagedFile: string, { hasMendedTrees = false } = {}): Database | null {
  const model = makeModel();
  const copy = toCopyPath(damagedFile);
  try {
    const plain = tryToOpen(damagedFile, model);
    if (plain === null) return null;
    if (plain !== 'unreadable') return hasMendedTrees ? withMendedTrees(plain, damagedFile, model) : plain;
    for (const part of ['header', 'list of tables'] as const) {
      if (!makeCopy(damagedFile, copy, model, part)) break;
      const repaired = tryToOpen(copy, model);
      if (repaired !== 'unreadable' && repaired !== null)
        return hasMendedTrees ? withMendedTrees(repaired, copy, model) : repaired;
    }
    removeReadableCopy(damagedFile);
    return null;
  } finally {
    model.close();
  }
}

/** The database, or a copy of it in which all that is sound can be found. */
function withMendedTrees(database: Database, file: string, model: Database): Database {
  const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const roots = database
    .prepare<[], { rootpage: number; isIndex: number }>(SELECT_ROOTS)
    .all()
    .map(({ rootpage, isIndex }) => ({ rootpage, isIndex: isIndex === 1 }));
  if (!hasLog && !hasTornPages(file, roots)) return database;
  database.close();
  const isCopy = file.endsWith(READABLE);
  const copy = isCopy ? file : toCopyPath(file);
  if (!isCopy) copyWithLog(file, copy);
  bringOverLog(copy);
  mendTrees(copy, roots);
  const mended = tryToOpen(copy, model);
  return mended === null || mended === 'unreadable' ? openCacheDatabase(file, 'read-any') : mended;
}

/** Removes the copy that `openDamaged` may have made. */
export function removeReadableCopy(damagedFile: string): void {
  for (const suffix of ['', ...COMPANIONS]) tryToRemoveSync(toCopyPath(damagedFile) + suffix);
}

/** An empty cache in memory. Its tables begin at the same pages as those of every file that was made by these steps. */
function makeModel(): Database {
  const model = new Sqlite(':memory:');
  model.pragma('auto_vacuum = incremental');
  for (const migration of MIGRATIONS) applyMigration(model, migration);
  return model;
}

/** Null for a file with tables of another application, or of another schema. */
function tryToOpen(file: string, model: Database): Database | null | 'unreadable' {
  let database: Database | null = null;
  try {
    database = openCacheDatabase(file, 'read-any');
    const hasAllPages = readPragma(database, 'page_count') >= Math.floor(statSync(file).size / PAGE_BYTES);
    const found = compareTables(database, model);
    if (found === 'ours' && hasAllPages && listHeaderFaults(file).length === 0) return database;
    database.close();
    return found === 'others' ? null : 'unreadable';
  } catch (error) {
    database?.close();
    if (isDamage(toCacheError(error)) || isUnknownFormat(error, file)) return 'unreadable';
    throw error;
  }
}

/** Whether the list of tables is ours, but for what was dropped; somebody else's; or ours with a fault in it. */
function compareTables(database: Database, model: Database): 'ours' | 'others' | 'damaged' {
  const [found, own] = [listTables(database), listTables(model)];
  const statements = own.map(({ sql }) => sql);
  if (found.some(({ sql }) => !statements.some((each) => isAlmost(each, sql)))) return 'others';
  const same = found.filter(({ name, sql }) => own.some((each) => each.name === name && each.sql === sql));
  const areInPlace = same.every(({ name, rootpage }) =>
    own.some((each) => each.name === name && each.rootpage === rootpage),
  );
  if (same.length < found.length || found.length === 0) return 'damaged';
  // Where a table is dropped, another one takes its place.
  if (same.length < own.length) return areInPlace ? 'damaged' : 'ours';
  return areInPlace ? 'ours' : 'damaged';
}

function listTables(database: Database): { name: string; sql: string; rootpage: number }[] {
  return database
    .prepare<[], { name: string; sql: string; rootpage: number }>(
      "SELECT name, coalesce(sql, '') AS sql, rootpage FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'",
    )
    .all();
}

/** True for texts that differ in a few characters only: another version changes more. */
function isAlmost(wanted: string, found: string): boolean {
  if (wanted.length !== found.length) return false;
  let others = 0;
  for (let at = 0; at < wanted.length; at += 1) if (wanted[at] !== found[at]) others += 1;
  return others <= MAX_DAMAGED_CHARACTERS;
}

/** False for a file in which nothing lies where it would in ours. */
function makeCopy(
  damagedFile: string,
  copy: string,
  model: Database,
  part: 'header' | 'list of tables',
): boolean {
  const pageCount = countPages(damagedFile);
  if (pageCount === 0 || !isLaidOutAs(damagedFile, pageCount, model)) return false;
  copyWithLog(damagedFile, copy);
  const pages = model.serialize();
  if (isTaken(`${copy}-wal`)) {
    // Readable by its header, so that SQLite brings over what the log holds: newer pages, and more of them.
    mendFirstPage(copy, pages.subarray(0, HEADER_BYTES), []);
    bringOverLog(copy);
  }
  if (part === 'header') mendFirstPage(copy, pages.subarray(0, HEADER_BYTES), []);
  else mendFirstPage(copy, pages.subarray(0, PAGE_BYTES), listSchemaPages(pages, model));
  return true;
}

function copyWithLog(file: string, copy: string): void {
  for (const suffix of ['', ...COMPANIONS]) removePatientlySync(copy + suffix);
  copyPatientlySync(file, copy);
  if (isTaken(`${file}-wal`)) copyPatientlySync(`${file}-wal`, `${copy}-wal`);
}

function countPages(file: string): number {
  return Math.floor(statSync(file).size / PAGE_BYTES);
}

/** Replaces the beginning of the first page, and appends the pages that it points to. */
function mendFirstPage(copy: string, wanted: Buffer, added: ReturnType<typeof listSchemaPages>): void {
  const pageCount = countPages(copy);
  const file = openSync(copy, 'r+');
  try {
    for (const [place, { bytes }] of added.entries())
      writeSync(file, bytes, 0, PAGE_BYTES, (pageCount + place) * PAGE_BYTES);
    const first = Buffer.from(wanted);
    for (const [place, { pointerAt }] of added.entries())
      first.writeUInt32BE(pageCount + place + 1, pointerAt);
    writeHeader(first, pageCount + added.length, isTaken(`${copy}-wal`) ? WAL : ROLLBACK);
    writeSync(file, first, 0, first.length, 0);
  } finally {
    closeSync(file);
  }
}

/** SQLite copies the log into the file when the last connection closes, also where no table can be read in it. */
function bringOverLog(copy: string): void {
  const database = new Sqlite(copy);
  try {
    database.pragma('wal_checkpoint(TRUNCATE)');
  } catch {
    // What is read shows what is damaged in it.
  } finally {
    database.close();
  }
}

/** Free pages are left alone: nothing is written into the copy. */
function writeHeader(page: Buffer, pageCount: number, journal: number): void {
  page[WRITE_VERSION_AT] = journal;
  page[READ_VERSION_AT] = journal;
  page.writeUInt32BE(page.readUInt32BE(CHANGE_COUNTER_AT), VALID_FOR_AT);
  page.writeUInt32BE(pageCount, PAGE_COUNT_AT);
  page.fill(0, FREE_PAGES_AT, FREE_PAGES_AT + 8);
  page.writeUInt32BE(MIGRATIONS.at(-1)?.version ?? 0, USER_VERSION_AT);
  page.writeUInt32BE(APPLICATION_ID, APPLICATION_ID_AT);
}

/** True where tables and indexes begin at the pages at which ours do. */
function isLaidOutAs(file: string, pageCount: number, model: Database): boolean {
  const roots = model.prepare<[], { rootpage: number; isIndex: number }>(SELECT_ROOTS).all();
  const others = roots.filter(({ rootpage, isIndex }) => {
    if (rootpage > pageCount) return true;
    const [kind] = readBytes(file, (rootpage - 1) * PAGE_BYTES, 1);
    return !(isIndex === 1 ? KINDS_OF_INDEX : KINDS_OF_TABLE).includes(kind);
  });
  return others.length <= MAX_DAMAGED_ROOTS;
}

/**
 * The pages below the first one that list the tables, and where in the first page each is pointed to. Throws where they
 * lie deeper than that.
 */
function listSchemaPages(pages: Buffer, model: Database): { bytes: Buffer; pointerAt: number }[] {
  if (pages[HEADER_BYTES] === LEAF_TABLE) return [];
  const cells = pages.readUInt16BE(HEADER_BYTES + 3);
  const pointers = Array.from({ length: cells }, (_, cell) =>
    pages.readUInt16BE(HEADER_BYTES + 12 + 2 * cell),
  );
  return [...pointers, HEADER_BYTES + 8].map((pointerAt) => {
    const start = (pages.readUInt32BE(pointerAt) - 1) * PAGE_BYTES;
    const bytes = pages.subarray(start, start + PAGE_BYTES);
    if (bytes[0] !== LEAF_TABLE || hasLongStatements(model))
      throw new Error('The list of tables is too large.');
    return { bytes, pointerAt };
  });
}

/** A statement that fills a page goes on in another one. */
function hasLongStatements(model: Database): boolean {
  return Number(model.prepare('SELECT max(length(sql)) FROM sqlite_schema').pluck().get()) > PAGE_BYTES - 200;
}

function readBytes(path: string, from: number, length: number): Buffer {
  const file = openSync(path, constants.O_RDONLY);
  try {
    const bytes = Buffer.alloc(Math.min(length, Math.max(0, fstatSync(file).size - from)));
    readSync(file, bytes, 0, bytes.length, from);
    return bytes;
  } finally {
    closeSync(file);
  }
}
