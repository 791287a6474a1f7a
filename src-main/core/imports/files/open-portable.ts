import { createHash } from 'node:crypto';
import { Value } from 'typebox/value';
import { openPromise, type Entry, type ZipFile } from 'yauzl';
import { findJsonExcess } from '../../../common/json.ts';
import { isJsonObject } from '../../../common/reporting/reading/read-json.ts';
import {
  MANIFEST_ENTRY,
  MAX_PAGES,
  PORTABLE_FORMAT,
  PORTABLE_VERSION,
  PortableManifest,
  SEAL_ENTRY,
  type PortableRecords,
} from '../../exports/portable/portable-manifest.ts';
import { fromWireDate, toWireDate } from '../../../common/reporting/wire-documents.ts';
import { isTimeZone } from '../../../common/time/civil-time.ts';
import { toUnreadable } from '../../../common/words/to-unreadable.ts';

/** Pages, the records beside them, the manifest and its seal. */
const MAX_ENTRIES = MAX_PAGES + 1_000 + 2;
const MAX_MANIFEST_BYTES = 256 * 1024 * 1024;
/** Beyond what any manifest needs; a parser would take gigabytes for more. */
const MANIFEST_LIMITS = { depth: 20, parts: 10_000_000 };
const MAX_PAGE_BYTES = 256 * 1024 * 1024;
/** A file that promises more than this many times its own size is no portable snapshot, beyond some megabytes. */
const MAX_RATIO = 100;
const FREE_BYTES = 512 * 1024 * 1024;

/** An open portable file whose entries are those that its manifest names. */
export interface PortableFile {
  readonly manifest: PortableManifest;
  /** Checks the SHA-256 of the records beside the pages. Throws `imports.unreadable`, and when the signal is aborted. */
  checkRecords(
    records: PortableRecords,
    signal: AbortSignal,
    onBytes: (bytes: number) => void,
  ): Promise<void>;
  /** Reads a page, and checks its SHA-256. Throws `imports.unreadable`. */
  readPage(page: PortableManifest['snapshots'][number]['pages'][number]): Promise<Uint8Array<ArrayBuffer>>;
  close(): void;
}

/**
 * Opens a portable file of `size` bytes. Throws `imports.unreadable` for one that is damaged, changed, or made by a newer
 * version, and for a ZIP that is none or would fill the disk.
 */
export async function openPortable(path: string, size: number): Promise<PortableFile> {
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false, strictFileNames: true }).catch(
    (error: unknown) => {
      throw toUnreadable('damaged', {}, error);
    },
  );
  try {
    const entries = await readEntries(zip, size);
    const manifest = await readManifest(zip, entries);
    requireSameEntries(manifest, entries);
    requireConsistent(manifest);
    return {
      manifest,
      async readPage({ path: name, sha256 }) {
        const bytes = await readEntry(zip, entries.get(name), MAX_PAGE_BYTES);
        if (toSha256(bytes) !== sha256) throw toUnreadable('other-page', { name });
        return bytes;
      },
      async checkRecords({ path: name, sha256 }, signal, onBytes) {
        const hash = createHash('sha256');
        for await (const piece of readPieces(zip, entries.get(name))) {
          signal.throwIfAborted();
          hash.update(piece);
          onBytes(piece.length);
        }
        if (hash.digest('hex') !== sha256) throw toUnreadable('other-records', { name });
      },
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error;
  }
}

/** The directory of the ZIP; nothing is unpacked for it. */
async function readEntries(zip: ZipFile, size: number): Promise<ReadonlyMap<string, Entry>> {
  const entries = new Map<string, Entry>();
  if (zip.entryCount > MAX_ENTRIES) throw toUnreadable('many-files');
  let total = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      if (entries.has(entry.fileName)) throw toUnreadable('entry-twice', { name: entry.fileName });
      total += entry.uncompressedSize;
      entries.set(entry.fileName, entry);
    }
  } catch (error) {
    throw toReadable(error);
  }
  if (total > FREE_BYTES && total > size * MAX_RATIO) {
    throw toUnreadable('unpacks-large');
  }
  return entries;
}

async function readManifest(zip: ZipFile, entries: ReadonlyMap<string, Entry>): Promise<PortableManifest> {
  if (entries.has('xl/workbook.xml')) {
    throw toUnreadable('workbook');
  }
  if (!entries.has(MANIFEST_ENTRY)) {
    throw toUnreadable('plain-zip');
  }
  const bytes = await readEntry(zip, entries.get(MANIFEST_ENTRY), MAX_MANIFEST_BYTES);
  const seal = await readEntry(zip, entries.get(SEAL_ENTRY), 1024);
  if (Buffer.from(seal).toString('latin1').trim() !== toSha256(bytes)) {
    throw toUnreadable('other-manifest');
  }
  const value = tryParse(bytes);
  if (
    isJsonObject(value) &&
    value['format'] === PORTABLE_FORMAT &&
    Number(value['version']) > PORTABLE_VERSION
  ) {
    throw toUnreadable('newer');
  }
  if (!Value.Check(PortableManifest, value)) throw toUnreadable('bad-manifest');
  return value;
}

function tryParse(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return findJsonExcess(text, MANIFEST_LIMITS) === null ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

function requireSameEntries({ snapshots }: PortableManifest, entries: ReadonlyMap<string, Entry>): void {
  const parts = snapshots.flatMap(({ pages, records }) => [...pages, records]);
  const named = new Set([MANIFEST_ENTRY, SEAL_ENTRY, ...parts.map(({ path }) => path)]);
  const strange = [...entries.keys()].find((name) => !named.has(name));
  if (strange !== undefined) throw toUnreadable('strange-entry', { name: strange });
  for (const { path, bytes } of parts) {
    const entry = entries.get(path);
    if (entry === undefined) throw toUnreadable('lacks-entry', { name: path });
    if (entry.uncompressedSize !== bytes) throw toUnreadable('other-size', { name: path });
  }
  if (named.size !== parts.length + 2) throw toUnreadable('named-twice');
}

/** Counts, and the certificate, have to be those of the pages. */
function requireConsistent({ snapshots }: PortableManifest): void {
  for (const { recordCount, certificate, pages, records, period } of snapshots) {
    const isCounted = recordCount === pages.reduce((sum, page) => sum + page.recordCount, 0);
    const sums = createHash('sha256');
    for (const { sha256 } of pages) sums.update(`${sha256}\n`);
    const isCertified =
      certificate === null ||
      (certificate.pagesSha256 === sums.digest('hex') &&
        certificate.pageCount === pages.length &&
        certificate.recordCount === recordCount);
    const isTwice = pages.some(
      ({ leftOut }) => new Set(leftOut.map(({ index }) => index)).size < leftOut.length,
    );
    if (isTwice) throw toUnreadable('left-out-twice');
    if (!isTimeZone(period.zone) || period.toMs < period.fromMs) throw toUnreadable('no-period');
    if (
      !isSame(period.startDate, period.fromMs, period.zone) ||
      !isSame(period.endDate, period.toMs, period.zone)
    )
      throw toUnreadable('other-dates');
    if (!isCounted || !isCertified) throw toUnreadable('other-certificate');
    if (records.recordCount !== recordCount) throw toUnreadable('other-count');
  }
}

/** A clock that is put forward or back has two ways of showing an instant. */
function isSame(date: string, atMs: number, zone: string): boolean {
  return toWireDate(atMs, zone) === date || fromWireDate(date, zone) === atMs;
}

async function readEntry(
  zip: ZipFile,
  entry: Entry | undefined,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (entry === undefined) throw toUnreadable('damaged');
  if (entry.uncompressedSize > maxBytes) throw toUnreadable('large-page', { name: entry.fileName });
  try {
    // A buffer of its own: it is handed over to another thread. No more than the stated size is ever unpacked.
    const bytes = new Uint8Array(entry.uncompressedSize);
    let at = 0;
    for await (const piece of readPieces(zip, entry)) {
      bytes.set(piece, at);
      at += piece.length;
    }
    if (at !== bytes.length) throw toUnreadable('damaged');
    return bytes;
  } catch (error) {
    throw toReadable(error);
  }
}

async function* readPieces(zip: ZipFile, entry: Entry | undefined): AsyncGenerator<Buffer> {
  if (entry === undefined) throw toUnreadable('damaged');
  try {
    yield* (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>;
  } catch (error) {
    throw toReadable(error);
  }
}

/** What the reader of ZIP files complains about is damage, or a name that leads out of the file. */
function toReadable(error: unknown): unknown {
  return error instanceof Error && error.name === 'AppError' ? error : toUnreadable('damaged', {}, error);
}

function toSha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
