import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { CsvDialect, type ImportedFormat } from '../../../common/model/exports/export-options.ts';
import { isSensibleInstant, type Period } from '../../../common/model/period.ts';
import { isJsonObject } from '../../../common/reporting/reading/read-json.ts';
import { REPORT_KINDS, type ReportKind } from '../../../common/reporting/reports.ts';
import { fromWireDate } from '../../../common/reporting/wire-documents.ts';
import { isTimeZone } from '../../../common/time/civil-time.ts';
import { toUnreadable } from '../../../common/words/to-unreadable.ts';
import { findErrorCode } from '../../../node/error-text.ts';
import {
  type CsvFormat,
  detectFormat,
  type Encoding,
  hasCells,
  HEAD_BYTES,
  type ReadingLimits,
  toUtf8,
} from '../../../node/record-files.ts';
import {
  type DatasetDay,
  type DatasetManifest,
  readManifest as readDatasetManifest,
} from '../../datasets/update-dataset.ts';

const CHUNK_BYTES = 256 * 1024;
/** Longest record that is read. */
const MAX_RECORD_BYTES = 64 * 1024 * 1024;
const MAX_MANIFEST_BYTES = 16 * 1024 * 1024;

/** A file to import, and what it is by its content; its name tells nothing. */
export interface RecordFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  readonly format: ImportedFormat | 'portable';
  readonly encoding: Encoding;
  /** Of a CSV file; null of any other. */
  readonly csv: CsvFormat | null;
  /** The manifest beside it, where there is one and it is of this very file. */
  readonly manifest: Manifest | null;
}

/** Reads a file piece by piece; `onBytes` is called with the size of each. Throws when the signal is aborted. */
async function* readChunks(
  path: string,
  signal: AbortSignal,
  onBytes: (bytes: number) => void = () => undefined,
): AsyncGenerator<Buffer> {
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    signal.throwIfAborted();
    onBytes(chunk.length);
    yield chunk;
  }
}

/** The same as text in UTF-8. */
export function readText(
  path: string,
  encoding: Encoding,
  ...reading: [AbortSignal, ((bytes: number) => void)?]
): AsyncGenerator<Buffer> {
  return toUtf8(readChunks(path, ...reading), encoding, LIMITS.toError);
}

/** Computes the SHA-256 of a file, in hex. */
async function hashFile(
  path: string,
  signal: AbortSignal,
  onBytes?: (bytes: number) => void,
): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of readChunks(path, signal, onBytes)) hash.update(chunk);
  return hash.digest('hex');
}

/**
 * Finds out what a file is. Throws `imports.unreadable` for one that can't be imported, and for one that is not the
 * file which the manifest beside it describes.
 */
export async function openRecordFile(
  path: string,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<RecordFile> {
  const { head, size } = await readHead(path);
  const { format: found, encoding } = detectFormat(head, LIMITS.toError);
  const format = found.kind === 'zip' ? 'portable' : found.kind;
  const sha256 = await hashFile(path, signal, onBytes);
  const manifest = format === 'portable' ? null : await findManifest(path, format, sha256);
  const csv = hasCells(found) ? found : null;
  return { path, size, sha256, format, encoding, csv, manifest };
}

async function readHead(path: string): Promise<{ readonly head: Buffer; readonly size: number }> {
  const found = await stat(path).catch((error: unknown) => {
    throw toUnopened(error);
  });
  if (!found.isFile()) throw toUnreadable('no-file');
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw toUnopened(error);
  });
  try {
    const buffer = Buffer.alloc(Math.min(HEAD_BYTES, found.size));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return { head: buffer.subarray(0, bytesRead), size: found.size };
  } finally {
    await handle.close();
  }
}

function toUnopened(error: unknown): Error {
  const code = findErrorCode(error) ?? 'unknown';
  return toUnreadable('unopened', { system: code }, error);
}

/** The manifest that describes the file; null where there is none. Throws for one that describes another content. */
async function findManifest(
  path: string,
  format: RecordFile['format'],
  sha256: string,
): Promise<Manifest | null> {
  const beside = await readManifestBeside(path);
  if (beside !== null && beside.sha256 !== sha256) {
    throw toUnreadable('not-of-manifest');
  }
  if (beside !== null || format !== 'parquet') return beside;
  const listed = await readDatasetBeside(path);
  if (listed !== null && listed.sha256 !== sha256) {
    throw toUnreadable('not-of-dataset');
  }
  return listed;
}

/**
 * What the manifest of a dataset says of a file that lies in its folder; null where it is of none. Throws
 * `imports.unreadable` for a manifest that can't be used.
 */
async function readDatasetBeside(path: string): Promise<Manifest | null> {
  const folder = join(path, '../../..');
  const name = relative(folder, path).split(sep).join('/');
  const unfit: string[] = [];
  const manifest = await readDatasetManifest(folder, () => void unfit.push(folder)).catch(() => null);
  if (unfit.length > 0) {
    throw toUnreadable('bad-dataset');
  }
  const day = manifest?.days.find(({ file }) => file === name);
  if (manifest === null || day === undefined || day.sha256 === null) return null;
  return { sha256: day.sha256, facts: toDatasetFacts(manifest, day) };
}

/** Null where there is none, or where what is there is none. Throws as `readManifest`. */
async function readManifestBeside(path: string): Promise<Manifest | null> {
  const beside = `${path}.manifest.json`;
  const found = await stat(beside).catch(() => null);
  if (found === null || !found.isFile() || found.size > MAX_MANIFEST_BYTES) return null;
  return readManifest(await readFile(beside, 'utf8'));
}

/** How the reader of files treats those that are imported. */
export const LIMITS: ReadingLimits = {
  maxBytes: MAX_RECORD_BYTES,
  toError: (fault, values = {}) => toUnreadable(fault, { ...values, most: MAX_RECORD_BYTES / 1024 ** 2 }),
};

/** What an export says about itself: in its own head, or in the manifest beside it; with the limits of where it ends up. */
const Stated = Type.Object({
  report: Type.Optional(Type.String()),
  tenant: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  /** Of a file of a dataset: the day that it is of. */
  date: Type.Optional(Type.Union([Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }), Type.Null()])),
  startDate: Type.Optional(Type.String()),
  endDate: Type.Optional(Type.String()),
  zone: Type.Optional(Type.String()),
  state: Type.Optional(Type.String()),
  stateBy: Type.Optional(Type.String()),
  source: Type.Optional(Type.String()),
  statement: Type.Optional(Type.String()),
  recordCount: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  exportedAt: Type.Optional(Type.String()),
});
const MANIFEST_FORMAT = 'channelscope-export-manifest';
const StatedByManifest = Type.Object({
  format: Type.Literal(MANIFEST_FORMAT),
  version: Type.Integer(),
  sha256: Type.String(),
  columns: Type.Array(Type.String()),
  content: Type.Object({ csv: Type.Optional(CsvDialect) }),
  connection: Type.Union([
    Type.Object({
      name: Type.String({ minLength: 1, maxLength: 80 }),
      address: Type.String({ minLength: 1, maxLength: 2048 }),
    }),
    Type.Null(),
  ]),
});

/** What is known of a file before its records are read. */
export interface StatedFacts {
  readonly report: ReportKind | null;
  readonly tenant: number | null;
  readonly period: Period | null;
  /** The zone of the period, and of dates that carry none. */
  readonly zone: string | null;
  readonly state: string | null;
  /** What it says was a person's word, where it was exported. */
  readonly isStated: boolean;
  readonly recordCount: number | null;
  readonly exportedAtMs: number | null;
  readonly connection: { readonly name: string; readonly address: string } | null;
  /** It is a result of SQL, or a summary that was computed. */
  readonly isDerived: boolean;
  /** The file's own columns, where they are known. */
  readonly columns: readonly string[] | null;
  /** How the file's CSV was written, where that is known. */
  readonly csv: CsvDialect | null;
}

export const NOTHING_STATED: StatedFacts = {
  report: null,
  tenant: null,
  period: null,
  zone: null,
  state: null,
  isStated: false,
  recordCount: null,
  exportedAtMs: null,
  connection: null,
  isDerived: false,
  columns: null,
  csv: null,
};

/** Reads the head of a JSON export: its text up to the list of records. What doesn't fit counts as not stated. */
export function readStatedHead(head: string): StatedFacts {
  try {
    return toFacts(JSON.parse(`${head}[]}`));
  } catch {
    return NOTHING_STATED;
  }
}

/** Reads what a Parquet file says in its own metadata; the number of its rows is always stated. */
export function readStatedParquet({
  about,
  rowCount,
}: {
  readonly about: string | null;
  readonly rowCount: number;
}): StatedFacts {
  return { ...toFacts(about === null ? null : tryParse(about)), recordCount: rowCount };
}

/** What the manifest of a dataset says of one of its files. */
function toDatasetFacts(
  { connection }: Pick<DatasetManifest, 'connection'>,
  { report, date, state, records, writtenAt }: DatasetDay,
): StatedFacts {
  const { name, address, tenant } = connection;
  const stated = { report, date, zone: 'UTC', state, tenant, recordCount: records, exportedAt: writtenAt };
  return { ...toFacts(stated), connection: { name, address } };
}

/** A manifest that describes a file, with the file's SHA-256 in hex. */
interface Manifest {
  readonly sha256: string;
  readonly facts: StatedFacts;
}

/** Reads a manifest; null for anything else. Throws `imports.unreadable` for one that says what can't be. */
function readManifest(text: string): Manifest | null {
  const value = tryParse(text);
  if (!isJsonObject(value) || value['format'] !== MANIFEST_FORMAT) return null;
  if (!Value.Check(StatedByManifest, value) || !Value.Check(Stated, value) || !hasRealPeriod(value)) {
    throw toUnreadable('bad-manifest-beside');
  }
  const { sha256, columns, content, connection } = value;
  return { sha256, facts: { ...toFacts(value), columns, csv: content.csv ?? null, connection } };
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** True where a period is stated in full, or not at all. */
function hasRealPeriod(stated: Static<typeof Stated>): boolean {
  const { startDate, endDate, zone } = stated;
  if (zone !== undefined && !isTimeZone(zone)) return false;
  if (startDate === undefined && endDate === undefined) return true;
  return toPeriod(stated, zone ?? null) !== null;
}

function toFacts(value: unknown): StatedFacts {
  if (!Value.Check(Stated, value)) return NOTHING_STATED;
  const { report, tenant, state, stateBy, source, statement, recordCount, exportedAt } = value;
  const zone = value.zone !== undefined && isTimeZone(value.zone) ? value.zone : null;
  const exportedAtMs = exportedAt === undefined ? NaN : Date.parse(exportedAt);
  return {
    ...NOTHING_STATED,
    report: REPORT_KINDS.find((kind) => kind === report) ?? null,
    tenant: tenant ?? null,
    period: toPeriod(value, zone),
    zone,
    state: state ?? null,
    isStated: stateBy !== undefined,
    recordCount: recordCount ?? null,
    exportedAtMs: Number.isFinite(exportedAtMs) ? exportedAtMs : null,
    isDerived: statement !== undefined || source === 'computed',
  };
}

function toPeriod({ date = null, ...stated }: Static<typeof Stated>, zone: string | null): Period | null {
  if (zone === null) return null;
  const day = date === null ? {} : { startDate: `${date} 00:00:00`, endDate: `${date} 23:59:59` };
  const { startDate = '', endDate = '' } = { ...day, ...stated };
  const fromMs = fromWireDate(startDate, zone);
  const toMs = fromWireDate(endDate, zone);
  if (typeof fromMs !== 'number' || typeof toMs !== 'number' || toMs < fromMs) return null;
  if (!isSensibleInstant(fromMs) || !isSensibleInstant(toMs)) return null;
  return { startDate, endDate, fromMs, toMs, zone };
}
