import { hash } from 'node:crypto';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import { isPlainObject } from '../../common/json.ts';
import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import {
  type Dataset,
  DatasetReport,
  type DatasetUpdate,
} from '../../common/model/exports/export-options.ts';
import { Nullable } from '../../common/model/nullable.ts';
import { toEndMs } from '../../common/model/period.ts';
import { listFields } from '../../common/reporting/reports.ts';
import { OTHER_FIELDS_COLUMN, UTC_COLUMN } from '../../common/sql/sql-tables.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import { findErrorCode } from '../../node/error-text.ts';
import {
  moveAnywhere,
  removePatiently,
  replaceFile,
  retryWhileHeld,
  tryToRemove,
  writeFileAtomically,
} from '../../node/files.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { FileColumn } from '../analysis/engine/files/line-sql.ts';
import type { EngineFile } from '../analysis/engine/files/write-file.ts';
import type { Cache } from '../cache/cache.ts';
import type { SavedConnection } from '../connections/connection-file.ts';
import type { Ledger } from '../coverage/ledger.ts';
import type { CoverageSpan } from '../coverage/read-holdings.ts';
import { guardWriting } from '../exports/partial-file.ts';
import type { PartialList } from '../exports/write-manifest.ts';
import type { TaskHandle } from '../tasks/task-registry.ts';

/** New days that are written before the manifest names them; a day that is replaced is named at once. */
const DAYS_A_MANIFEST = 16;

/** What datasets are written from. */
export interface DatasetParts {
  readonly cache: Pick<Cache, 'listSnapshots'>;
  readonly engine: Pick<Engine, 'writeRecords'>;
  readonly ledger: Pick<Ledger, 'read'>;
  readonly partials: PartialList;
  /** The application's version. */
  readonly version: string;
  now(): number;
}

/** A dataset to bring up to the cache. */
interface DatasetQuestion {
  readonly dataset: Dataset;
  readonly connection: Pick<SavedConnection, 'id' | 'name' | 'baseAddress' | 'tenant'>;
}

/** A day to write, with the one that its folder has of it. */
interface DayTask {
  readonly folder: string;
  readonly connectionId: string;
  readonly planned: CachedDay;
  readonly before: DatasetDay | undefined;
}

/**
 * Brings a dataset up to the cache: writes days that are new, replaces those that changed, and leaves the others alone,
 * also those that the cache no longer has; a complete day is never replaced by less. Throws `exports.write-failed`,
 * `cache.*` and `analysis.*`; what was written until then stays, and is whole.
 */
export async function updateDataset(
  parts: DatasetParts,
  { dataset, connection }: DatasetQuestion,
  task: Pick<TaskHandle, 'signal' | 'progress'>,
): Promise<DatasetUpdate> {
  const { cache, now } = parts;
  const folder = await findConnectionFolder(dataset.folder, connection);
  const known = new Map<string, DatasetDay>();
  const manifest = await guardWriting(() => readManifest(folder));
  for (const day of manifest?.days ?? []) known.set(toKey(day), day);
  const save = (): Promise<void> =>
    guardWriting(() =>
      writeDatasetManifest(folder, {
        format: 'channelscope-dataset',
        version: 1,
        applicationVersion: parts.version,
        connection: {
          id: connection.id,
          name: connection.name,
          address: connection.baseAddress,
          tenant: connection.tenant,
        },
        updatedAt: new Date(now()).toISOString(),
        days: [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, day]) => day),
      }),
    );
  // A folder says whose it is before anything else is in it.
  await save();
  const snapshots = await cache.listSnapshots(connection.id);
  const planned: CachedDay[] = [];
  for (const report of dataset.reports) {
    const subject = { connectionId: connection.id, report };
    const readSpans = async (span: TimeSpan) => (await parts.ledger.read(subject, span)).spans;
    planned.push(...(await planDays(snapshots, report, readSpans)));
  }
  let written = 0;
  let unnamed = 0;
  for (const [place, day] of planned.entries()) {
    task.signal.throwIfAborted();
    task.progress(place, planned.length);
    const before = known.get(toKey(day));
    if (await isUpToDate(folder, day, before)) continue;
    const work = { folder, connectionId: connection.id, planned: day, before };
    const after = await writeDay(parts, work, task.signal);
    known.set(toKey(day), after.day);
    unnamed += 1;
    if (after.isChanged) written += 1;
    if (before !== undefined || unnamed >= DAYS_A_MANIFEST) {
      await save();
      unnamed = 0;
    }
  }
  await save();
  task.progress(planned.length, planned.length);
  return summarise([...known.values()], written, now());
}

function toKey({ report, date }: Pick<DatasetDay, 'report' | 'date'>): string {
  return `${report} ${date ?? ''}`;
}

async function isUpToDate(folder: string, day: CachedDay, before: DatasetDay | undefined): Promise<boolean> {
  if (before === undefined) return false;
  const isWhole = before.file === null || (await isThere(folder, before.file, before.bytes));
  if (!isWhole) return false;
  // What the cache lost since is kept here.
  const isLess = before.state === 'complete' && day.state === 'incomplete' && before.date !== null;
  return isLess || (before.source === day.source && before.state === day.state);
}

interface WrittenDay {
  readonly day: DatasetDay;
  readonly isChanged: boolean;
}

async function writeDay(parts: DatasetParts, work: DayTask, signal: AbortSignal): Promise<WrittenDay> {
  const { connectionId, planned } = work;
  const { report, date, fromMs, toMs, state } = planned;
  const undated = { field: 'dateMs' as const, values: [null] };
  const whole = await parts.engine.writeRecords(
    {
      scope: { connectionId, report, fromMs, toMs },
      filter: { conditions: [date === null ? undated : { ...undated, exclude: true }] },
      order: [{ column: date === null ? 'received' : 'dateMs', descending: false }],
      columns: listColumns(report),
      format: { kind: 'parquet' },
      about: JSON.stringify({ report, date, zone: 'UTC', state }),
    },
    { signal },
  );
  if (whole === null) throw new Error('The engine did not write Parquet.');
  try {
    return await keepDay(parts, work, whole);
  } finally {
    // What was not kept is of no use.
    await tryToRemove(whole.path, () => undefined);
  }
}

/** Puts what was written of a day in its place. */
async function keepDay(
  { partials, now }: Pick<DatasetParts, 'partials' | 'now'>,
  { folder, planned, before }: DayTask,
  whole: EngineFile,
): Promise<WrittenDay> {
  const { report, date, state, source } = planned;
  // Nobody can say which of the records without a date the cache lost since.
  if (before !== undefined && date === null && whole.rowCount < before.records)
    return { day: { ...before, source, state }, isChanged: false };
  const file = toDayFile(report, date);
  const writtenAt = new Date(now()).toISOString();
  if (whole.rowCount > 0) {
    await putDayFile(folder, file, whole, partials);
    const { rowCount: records, bytes, sha256 } = whole;
    const day = { report, date, file, records, bytes, sha256, state, source, writtenAt };
    return { day, isChanged: true };
  }
  await removeDayFile(folder, file);
  const empty = { file: null, records: 0, bytes: 0, sha256: null };
  return { day: { report, date, ...empty, state, source, writtenAt }, isChanged: (before?.records ?? 0) > 0 };
}

/** The columns of the SQL screen, so that statements can be carried over; `date` is the day that a file is of. */
function listColumns(report: DatasetReport): FileColumn[] {
  const fields = listFields(report).map(([name, { column }]): FileColumn => ({
    name: column,
    value: { kind: 'field', name },
  }));
  return [
    { name: UTC_COLUMN, value: { kind: 'moment', zone: 'UTC', hasText: false } },
    ...fields,
    { name: OTHER_FIELDS_COLUMN, value: { kind: 'other-fields' } },
  ];
}

function summarise(days: readonly DatasetDay[], written: number, endedAtMs: number): DatasetUpdate {
  const filled = days.filter(({ records }) => records > 0);
  return {
    endedAtMs,
    days: filled.filter(({ date }) => date !== null).length,
    records: filled.reduce((sum, { records }) => sum + records, 0),
    bytes: filled.reduce((sum, { bytes }) => sum + bytes, 0),
    written,
    incomplete: days.filter(({ date, state }) => date !== null && state === 'incomplete').length,
  };
}

/** Hive's name for the part whose value is nothing: readers see null. */
const NO_DATE = '__HIVE_DEFAULT_PARTITION__';

/** Path of a day's file within the folder of its connection, with slashes. */
function toDayFile(report: string, date: string | null): string {
  return `report=${report}/date=${date ?? NO_DATE}/part-0.parquet`;
}

/**
 * Replaces the file of a day in one step: readers find the previous file or this one. Until then its name begins with
 * a dot, which readers of data skip. Throws AppError `exports.write-failed`.
 */
async function putDayFile(
  folder: string,
  file: string,
  whole: EngineFile,
  partials: PartialList,
): Promise<void> {
  const target = join(folder, file);
  const unfinished = join(target, '..', '.part-0.parquet');
  await partials.add(unfinished);
  try {
    await guardWriting(async () => {
      await mkdir(join(target, '..'), { recursive: true, mode: 0o700 });
      await moveAnywhere(whole.path, `${unfinished}.part`);
      await replaceFile(`${unfinished}.part`, target);
    });
  } finally {
    // What stays is removed at the next start.
    if (await tryToRemove(`${unfinished}.part`, () => undefined)) await partials.remove(unfinished);
  }
}

/** Removes the file of a day that has no records any more. Throws AppError `exports.write-failed`. */
async function removeDayFile(folder: string, file: string): Promise<void> {
  await guardWriting(() => removePatiently(join(folder, file)));
}

/** True where a day's file has as many bytes as were written. */
async function isThere(folder: string, file: string, bytes: number): Promise<boolean> {
  const found = await stat(join(folder, file)).catch(() => null);
  return found?.isFile() === true && found.size === bytes;
}

/**
 * Returns the folder of a connection inside a dataset's: the one whose manifest names it, else one that is free. Its
 * name is a Hive partition, such as `connection=Production_1001`. Throws AppError `exports.write-failed`.
 */
async function findConnectionFolder(
  folder: string,
  connection: { readonly id: string; readonly name: string; readonly tenant: number },
): Promise<string> {
  return guardWriting(async () => {
    await mkdir(folder, { recursive: true });
    const taken = (await readdir(folder)).filter((name) => name.startsWith('connection='));
    for (const name of taken) {
      const manifest = await readManifest(join(folder, name));
      if (manifest?.connection.id === connection.id) return join(folder, name);
    }
    const plain = connection.name.normalize('NFKD').replace(/[^A-Za-z0-9.-]+/g, '_');
    const base = `connection=${plain.slice(0, 60)}_${connection.tenant}`;
    const isTaken = (name: string): boolean =>
      taken.some((other) => other.toLowerCase() === name.toLowerCase());
    let own = base;
    for (let number = 2; isTaken(own); number += 1) own = `${base}-${number}`;
    await mkdir(join(folder, own), { mode: 0o700 });
    return join(folder, own);
  });
}

/** Raised when the same records would be written otherwise: every day is written anew then. */
const LAYOUT = 1;

/** A day that the cache has something of. */
interface CachedDay extends TimeSpan {
  readonly report: DatasetReport;
  /** The day in UTC, such as `2026-11-20`; null for records without a date that could be read. */
  readonly date: string | null;
  readonly state: 'complete' | 'incomplete';
  /** Changes with what the cache holds of the day. */
  readonly source: string;
}

/**
 * Lists the days that the snapshots of a connection hold of a report, then what has no day. A day is complete once nothing
 * of it can change any more.
 */
export async function planDays(
  snapshots: readonly Snapshot[],
  report: DatasetReport,
  readSpans: (span: TimeSpan) => Promise<readonly CoverageSpan[]>,
): Promise<CachedDay[]> {
  const own = snapshots.filter((snapshot) => snapshot.report === report);
  const dates = new Set<number>();
  for (const { period } of own) {
    for (let atMs = startOfDay(period.fromMs); atMs < toEndMs(period); atMs += DAY_MS) dates.add(atMs);
  }
  const days = [...dates].sort((a, b) => a - b);
  const [first] = days;
  const last = days.at(-1);
  if (first === undefined || last === undefined) return [];
  const spans = await readSpans({ fromMs: first, toMs: last + DAY_MS });
  const unsettled = spans.filter(({ state }) => state !== 'settled');
  const toDay = (date: string | null, fromMs: number, toMs: number): CachedDay => {
    const within = own.filter(({ period }) => period.fromMs < toMs && toEndMs(period) > fromMs);
    const isOpen = unsettled.some((span) => span.fromMs < toMs && span.toMs > fromMs);
    const state = isOpen ? 'incomplete' : 'complete';
    return { report, date, fromMs, toMs, state, source: toSource(within) };
  };
  return [
    ...days.map((fromMs) => toDay(new Date(fromMs).toISOString().slice(0, 10), fromMs, fromMs + DAY_MS)),
    toDay(null, first, last + DAY_MS),
  ];
}

function startOfDay(atMs: number): number {
  return Math.floor(atMs / DAY_MS) * DAY_MS;
}

function toSource(snapshots: readonly Snapshot[]): string {
  const parts = snapshots.map(({ id, recordCount, reading, state, startedAtMs, period }) => [
    ...[id, recordCount, reading, state, startedAtMs, period.fromMs, period.toMs],
  ]);
  return hash('sha256', JSON.stringify([LAYOUT, parts.map(String).sort()])).slice(0, 32);
}

/** Readers of data leave files alone whose names begin with an underscore. */
const FILE_NAME = '_channelscope.json';

/** A day of a report, in UTC; `date` is null for records without a date that could be read. */
const DatasetDay = Type.Object({
  report: DatasetReport,
  date: Nullable(Type.String()),
  /** Path of the file within the folder, with slashes; null for a day without records. */
  file: Nullable(Type.String()),
  records: Type.Integer(),
  bytes: Type.Integer(),
  sha256: Nullable(Type.String()),
  /** Of an incomplete day something is not cached, or not settled yet. */
  state: Type.Enum(['complete', 'incomplete']),
  /** Changes with what the cache holds of the day. */
  source: Type.String(),
  writtenAt: Type.String(),
});
export type DatasetDay = Static<typeof DatasetDay>;

/** What a folder of a connection holds. */
const FORMAT = 'channelscope-dataset';
const DatasetManifest = Type.Object({
  format: Type.Literal(FORMAT),
  version: Type.Literal(1),
  applicationVersion: Type.String(),
  connection: Type.Object({
    id: Type.String(),
    name: Type.String({ minLength: 1, maxLength: 80 }),
    address: Type.String({ minLength: 1, maxLength: 2048 }),
    tenant: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  }),
  updatedAt: Type.String(),
  days: Type.Array(DatasetDay),
});
export type DatasetManifest = Static<typeof DatasetManifest>;

/**
 * Reads the manifest of a folder; null where there is none that can be read. `onUnfit` is called for one that is ours and
 * says what can't be. Throws the system's errors.
 */
export async function readManifest(
  folder: string,
  onUnfit: () => void = () => undefined,
): Promise<DatasetManifest | null> {
  const path = join(folder, FILE_NAME);
  try {
    const text = await retryWhileHeld({ path, action: 'open' }, () => readFile(path, 'utf8'));
    const value: unknown = JSON.parse(text);
    if (Check(DatasetManifest, value)) return value;
    if (isPlainObject(value) && value['format'] === FORMAT) onUnfit();
    return null;
  } catch (error) {
    if (error instanceof SyntaxError || findErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Replaces the manifest in one step. */
async function writeDatasetManifest(folder: string, manifest: DatasetManifest): Promise<void> {
  await writeFileAtomically(join(folder, FILE_NAME), `${JSON.stringify(manifest, null, 2)}\n`);
}
