import { createHash } from 'node:crypto';
import { AppError } from '../../../common/contract/errors.ts';
import {
  MAX_READING_EXAMPLES,
  type ReadingExample,
  type Snapshot,
  type SnapshotReading,
} from '../../../common/model/cache/snapshot.ts';
import { toRecordId } from '../../../common/model/records/record.ts';
import { countContent } from '../../../common/reporting/field-names.ts';
import { readPage, type ReadPage, type SetAside } from '../../../common/reporting/reading/read-page.ts';
import { DETAIL_KINDS, isDetailKind, mapKinds } from '../../../common/reporting/reports.ts';
import type { Database } from '../../../node/open-database.ts';
import { isDamage, isDamagedPage, toCacheError } from '../file/open-database.ts';
import { LEFT_OUT_REASONS } from '../read/download-rows.ts';
import { GROUP_COLUMNS, RECORD_TABLES, selectValues } from '../read/record-tables.ts';
import { createStoredPages, type PageRange } from '../read/stored-pages.ts';
import {
  createRowDigest,
  toDigested,
  SELECT_DIGEST_GROUPS,
  type StoredValue,
  toPayloadPreview,
} from '../write/insert-records.ts';
import { leaveOut } from '../write/left-out.ts';

/** A page of the journal, as far as reading it again takes. */
export interface StoredPage extends PageRange {
  readonly entryCount: number;
  readonly knownEntries: number;
  readonly sha256: string;
  readonly recordsSha256: string | null;
}

/** What of a page belongs to its snapshot, as it is read today. */
export interface FreshPage {
  readonly records: ReadPage['records'];
  readonly groups: ReadPage['groups'];
  readonly setAside: readonly SetAside[];
  readonly recordsSha256: string;
}

/** `other-entries`: today's reader takes more or fewer of the page for its entries. */
type UnreadState = 'damaged' | 'other-entries';

type PageReading =
  | { readonly state: UnreadState }
  | {
      readonly state: 'read';
      readonly read: ReadPage;
      readonly fresh: FreshPage;
      readonly change: ReadingChange;
      readonly isChanged: boolean;
    };

type Owner = Pick<Snapshot, 'id' | 'report'>;

const GROUP_NAMES = GROUP_COLUMNS.map(({ name }) => name);
const RECORD_NAMES = mapKinds(DETAIL_KINDS, (kind) => [
  ...RECORD_TABLES[kind].columns.map(({ name }) => name),
  'payload',
  'textLength',
]);

interface PageReader {
  /** Reads a stored page with today's reader, and compares it with the rows that are stored of it. */
  compare(owner: Owner, page: StoredPage, zone: string): PageReading;
  /** Only reads it. Throws what any reading of it throws. */
  read(owner: Owner, page: StoredPage, zone: string): FreshPage;
}

/** Prepares the reading of stored pages; nothing is written. Dates that carry no zone are in the one that is given. */
export function preparePageReading(database: Database): PageReader {
  const bodies = createStoredPages(database);
  const records = mapKinds(DETAIL_KINDS, (kind) =>
    database
      .prepare<[number, number], ValueRow>(
        `${selectValues(kind, ', r.payload_preview, r.text_length')} WHERE r.record_id >= ? AND r.record_id < ? ORDER BY r.record_id`,
      )
      .raw(),
  );
  const groups = database.prepare<[number, number, number], ValueRow>(SELECT_DIGEST_GROUPS).raw();
  const setAside = database.prepare<[number, number], SetAside>(
    'SELECT place AS "index", reason, text FROM set_aside WHERE snapshot_id = ? AND page_number = ? ORDER BY place',
  );

  const readStored = ({ id, report }: Owner, { firstSeq, recordCount }: StoredPage): ValueRow[] => {
    const end = firstSeq + recordCount;
    if (!isDetailKind(report)) return groups.all(id, firstSeq, end);
    return records[report].all(toRecordId(id, firstSeq), toRecordId(id, end));
  };
  const readWhole = (owner: Owner, page: StoredPage, zone: string): ReadPage | UnreadState => {
    const bytes = bodies.readBody(owner.id, page.pageNumber);
    if (createHash('sha256').update(bytes).digest('hex') !== page.sha256) return 'damaged';
    const read = readPage(bytes, { report: owner.report, zone });
    if (read.recordCount !== page.entryCount) return 'other-entries';
    const leftOut: readonly string[] = Object.values(LEFT_OUT_REASONS);
    return leaveOut(
      read,
      setAside.all(owner.id, page.pageNumber).filter(({ reason }) => leftOut.includes(reason)),
    );
  };

  const compare = (owner: Owner, page: StoredPage, zone: string): PageReading => {
    const attempt = attemptReading(() => ({
      read: readWhole(owner, page, zone),
      rows: readStored(owner, page),
    }));
    if (attempt === null) return { state: 'damaged' };
    const { read, rows } = attempt;
    if (typeof read === 'string') return { state: read };
    const aside = setAside.all(owner.id, page.pageNumber);
    const before: PlacedRows = { places: toPlaces(owner, page, aside, rows.length), rows };
    // Rows are missing, or the journal does not fit them.
    if (rows.length !== page.recordCount || before.places.length !== rows.length) return { state: 'damaged' };
    const fresh = toFresh(owner, page, read);
    const after = toPlacedRows(owner, page, fresh);
    const change = createReadingChange();
    const names = isDetailKind(owner.report) ? RECORD_NAMES[owner.report] : GROUP_NAMES;
    const differs = compareRows(change, names, { pageNumber: page.pageNumber, before, after });
    const isChanged =
      differs || fresh.recordsSha256 !== page.recordsSha256 || !isSameAside(aside, fresh.setAside);
    return { state: 'read', read, fresh, change, isChanged };
  };

  return {
    compare,
    read(owner, page, zone) {
      const read = readWhole(owner, page, zone);
      if (typeof read === 'string')
        throw new Error(`Page ${page.pageNumber} reads otherwise than a moment ago.`);
      return toFresh(owner, page, read);
    },
  };
}

/** Null where SQLite finds damage, or the page can't be opened or read. */
function attemptReading<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    const isRefused = error instanceof AppError && error.code.startsWith('client.');
    if (isRefused || isDamage(toCacheError(error)) || isDamagedPage(error)) return null;
    throw error;
  }
}

/** Leaves out what an earlier walk stored, as the storing of the page did. */
function toFresh({ report }: Owner, { knownEntries }: StoredPage, read: ReadPage): FreshPage {
  const known = knownEntries - read.setAside.filter(({ index }) => index < knownEntries).length;
  const setAside = read.setAside.filter(({ index }) => index >= knownEntries);
  const records = read.records.slice(known);
  const digest = createRowDigest();
  if (isDetailKind(report)) {
    const table = RECORD_TABLES[report];
    for (const record of records)
      digest.add(
        toDigested(
          table,
          table.columns.map(({ name }) => record[name]),
          record,
        ),
      );
  } else
    for (const group of read.groups) digest.add({ values: GROUP_COLUMNS.map(({ name }) => group[name]) });
  for (const { index, reason, text } of setAside) digest.add({ values: [index, reason, text] });
  return { records, groups: read.groups, setAside, recordsSha256: digest.finish() };
}

function toPlacedRows(owner: Owner, page: StoredPage, { records, groups, setAside }: FreshPage): PlacedRows {
  const { report } = owner;
  if (!isDetailKind(report)) {
    const rows = groups.map((group) => GROUP_COLUMNS.map(({ name }) => group[name]));
    return { places: [...rows.keys()], rows };
  }
  const names = RECORD_TABLES[report].columns.map(({ name }) => name);
  const rows = records.map((record) => [
    ...names.map((name) => record[name]),
    toPayloadPreview(record.payload),
    countContent(record),
  ]);
  return { places: toPlaces(owner, page, setAside, rows.length), rows };
}

/** Places of a page's records among its entries; groups of a summary are counted by themselves. */
function toPlaces(
  { report }: Owner,
  { entryCount, knownEntries }: StoredPage,
  aside: readonly SetAside[],
  count: number,
): number[] {
  if (!isDetailKind(report)) return Array.from({ length: count }, (_none, place) => place);
  const unreadable = new Set(aside.map(({ index }) => index));
  const places = Array.from({ length: entryCount - knownEntries }, (_none, at) => knownEntries + at);
  return places.filter((place) => !unreadable.has(place));
}

function isSameAside(stored: readonly SetAside[], fresh: readonly SetAside[]): boolean {
  const toText = (entries: readonly SetAside[]): string =>
    JSON.stringify(entries.map(({ index, reason, text }) => [index, reason, text.toWellFormed()]));
  return toText(stored) === toText(fresh);
}

/** Of one field in one page, so that others are shown too. */
const MAX_FIELD_EXAMPLES = 10;
const MAX_EXAMPLE_CHARACTERS = 200;

/** Values of a record, or of a group of a summary, by the places of `names`. */
type ValueRow = readonly StoredValue[];

/** Rows of a page, each with the place of its entry. */
interface PlacedRows {
  readonly places: readonly number[];
  readonly rows: readonly ValueRow[];
}

/** A page as it was read before, and as it is read now. */
interface ComparedPage {
  readonly pageNumber: number;
  readonly before: PlacedRows;
  readonly after: PlacedRows;
}

/** What changed in some pages. */
export interface ReadingChange {
  readonly fields: Map<string, number>;
  readonly examples: ReadingExample[];
  changedRecords: number;
  newlyReadable: number;
  noLongerReadable: number;
}

/** Nothing has changed yet. */
export function createReadingChange(): ReadingChange {
  return { fields: new Map(), examples: [], changedRecords: 0, newlyReadable: 0, noLongerReadable: 0 };
}

/** Adds what differs between two readings of a page. Returns true where anything does. */
function compareRows(
  change: ReadingChange,
  names: readonly string[],
  { pageNumber, before, after }: ComparedPage,
): boolean {
  const known = new Map(before.places.map((place, at) => [place, before.rows[at]]));
  let isSame = true;
  for (const [at, place] of after.places.entries()) {
    const [old, row] = [known.get(place), after.rows[at]];
    known.delete(place);
    if (old === undefined) change.newlyReadable += 1;
    const isChanged =
      row !== undefined &&
      addDifferences(change, names, { pageNumber, place, before: old ?? row, after: row });
    if (isChanged) change.changedRecords += 1;
    if (isChanged || old === undefined) isSame = false;
  }
  change.noLongerReadable += known.size;
  return !isSame || known.size > 0;
}

interface ComparedRow {
  readonly pageNumber: number;
  readonly place: number;
  readonly before: ValueRow;
  readonly after: ValueRow;
}

function addDifferences(
  change: ReadingChange,
  names: readonly string[],
  { pageNumber, place, before, after }: ComparedRow,
): boolean {
  let isChanged = false;
  for (const [at, field] of names.entries()) {
    const [old, value] = [before[at] ?? null, after[at] ?? null];
    // What is new is compared with itself.
    if (before === after || old === toWritten(value)) continue;
    isChanged = true;
    const count = (change.fields.get(field) ?? 0) + 1;
    change.fields.set(field, count);
    if (count > MAX_FIELD_EXAMPLES || change.examples.length >= MAX_READING_EXAMPLES) continue;
    change.examples.push({ pageNumber, place, field, before: toShort(old), after: toShort(value) });
  }
  return isChanged;
}

/** A half character is written as a replacement character. */
function toWritten(value: StoredValue): StoredValue {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

function toShort(value: StoredValue): StoredValue {
  return typeof value === 'string' ? value.slice(0, MAX_EXAMPLE_CHARACTERS).toWellFormed() : value;
}

/** Adds one change to another. */
export function addChange(sum: ReadingChange, more: ReadingChange): void {
  for (const [field, count] of more.fields) sum.fields.set(field, (sum.fields.get(field) ?? 0) + count);
  sum.examples.push(...more.examples.slice(0, MAX_READING_EXAMPLES - sum.examples.length));
  sum.changedRecords += more.changedRecords;
  sum.newlyReadable += more.newlyReadable;
  sum.noLongerReadable += more.noLongerReadable;
}

/** A change as part of a snapshot's reading; the field of the most changes first. */
export function toReadingCounts(
  change: ReadingChange,
): Pick<SnapshotReading, 'fields' | 'examples' | 'changedRecords' | 'newlyReadable' | 'noLongerReadable'> {
  const fields = [...change.fields].map(([field, count]) => ({ field, count }));
  return { ...change, fields: fields.sort((a, b) => b.count - a.count) };
}
