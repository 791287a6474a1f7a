import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { AppError } from '../../../common/contract/errors.ts';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import { isDetailKind } from '../../../common/reporting/reports.ts';
import { tryToRemove } from '../../../node/files.ts';
import type { FileProgress } from '../../analysis/engine/files/write-file.ts';
import type { Cache } from '../../cache/cache.ts';
import type { PortablePage, PortableSource } from '../../cache/imports.ts';
import {
  pickSharedRules,
  type SavedConnection,
  type SharedRules,
} from '../../connections/connection-file.ts';
import { toCertificate } from '../../downloads/certificate.ts';
import type { TaskHandle } from '../../tasks/task-registry.ts';
import { createZipWriter } from '../formats/xlsx/zip-writer.ts';
import type { PartialFile } from '../partial-file.ts';
import { prepareRecords, type RecordParts } from '../prepare-records.ts';
import type { PreparedDocument } from '../export-subject.ts';
import {
  LEFT_OUT,
  MANIFEST_ENTRY,
  MAX_PAGES,
  PORTABLE_FORMAT,
  PORTABLE_VERSION,
  SEAL_ENTRY,
  type PortableManifest,
  type PortableRecords,
  type PortableSnapshot,
} from './portable-manifest.ts';

/** What portable files are made from. */
export interface PortableParts extends RecordParts {
  readonly cache: RecordParts['cache'] &
    Pick<Cache, 'getSnapshot' | 'getDownload' | 'readJournalFigures' | 'readPortable' | 'readPageBytes'>;
  /** The application's version. */
  readonly version: string;
  /** Undefined for a connection that is gone. */
  findConnection(
    connectionId: string,
  ): Pick<SavedConnection, 'name' | 'baseAddress' | keyof SharedRules> | undefined;
  now(): number;
}

/** A portable file that only needs a target. */
export type PreparedPortable = Omit<PreparedDocument, 'format' | 'preview'> & { readonly format: 'portable' };

/**
 * Prepares a file that brings snapshots to another computer: their pages as received, with all that proves them, and their
 * records as Parquet. Throws `cache.snapshot-not-found`, and `exports.not-portable` for what is still being downloaded or
 * is damaged.
 */
export async function preparePortable(
  parts: PortableParts,
  snapshotIds: readonly number[],
): Promise<PreparedPortable> {
  const { cache } = parts;
  const found: { readonly snapshot: Snapshot; readonly source: PortableSource }[] = [];
  for (const snapshotId of snapshotIds) {
    const snapshot = await cache.getSnapshot(snapshotId);
    const source = await cache.readPortable(snapshotId);
    requirePortable(snapshot, source);
    found.push({ snapshot, source });
  }
  const [first] = found;
  // An import counts them in this order (decision 33).
  found.sort((a, b) => a.snapshot.fetchedOrder - b.snapshot.fetchedOrder);
  if (first === undefined) throw new AppError('app.invalid-input', 'There is no snapshot to share.');
  const pageCount = found.reduce((sum, { source }) => sum + source.pages.length, 0);
  if (pageCount > MAX_PAGES) throw toNotPortable('too-many-pages');
  const recordCount = found.reduce((sum, { snapshot }) => sum + snapshot.recordCount, 0);
  const { connectionId, report, period } = first.snapshot;
  return {
    format: 'portable',
    connectionId,
    snapshotId: first.snapshot.id,
    recordCount,
    // Its snapshots say themselves what they lack.
    missing: [],
    suggestedName: `${report}_${toNamePart(period.startDate)}_${toNamePart(period.endDate)}.channelscope`,
    async write({ write: put }, task) {
      const file = createZipFile(put, new Date(parts.now()));
      const snapshots: PortableSnapshot[] = [];
      let done = 0;
      for (const [place, { snapshot, source }] of found.entries()) {
        const described = await describe(parts, snapshot, source, place);
        for (const [number, page] of source.pages.entries()) {
          task.signal.throwIfAborted();
          const bytes = await cache.readPageBytes({ snapshotId: snapshot.id, pageNumber: page.pageNumber });
          if (createHash('sha256').update(bytes).digest('hex') !== page.sha256)
            throw toNotPortable('damaged');
          await file.begin(described.pages[number]?.path ?? '');
          await file.write(bytes);
          done += page.recordCount / 2;
          task.progress(Math.floor(done), recordCount);
        }
        const path = `snapshots/${place}/records.parquet`;
        const records = await writePortableRecords(
          parts,
          snapshot,
          { path, file },
          {
            signal: task.signal,
            onProgress: (written) => task.progress(Math.floor(done + written / 2), recordCount),
          },
        );
        done += records.recordCount / 2;
        snapshots.push({ ...described, records });
      }
      const text = JSON.stringify(toManifest(parts, connectionId, snapshots), null, 1);
      await file.begin(MANIFEST_ENTRY);
      await file.write(text);
      await file.begin(SEAL_ENTRY);
      await file.write(createHash('sha256').update(text).digest('hex'));
      await file.end();
      return { recordCount };
    },
  };
}

/** The state of what is over. Throws `exports.not-portable` for anything else. */
function toEndedState(state: Snapshot['state']): PortableSnapshot['state'] {
  if (state === 'downloading' || state === 'paused') throw toNotPortable('not-over');
  return state;
}

function requirePortable({ state, pageCount }: Snapshot, { pages }: PortableSource): void {
  toEndedState(state);
  if (pageCount !== pages.length || pages.some(({ isDamaged }) => isDamaged)) throw toNotPortable('damaged');
}

function toManifest(
  { version, findConnection, now }: PortableParts,
  connectionId: string,
  snapshots: PortableSnapshot[],
): PortableManifest {
  const connection = findConnection(connectionId);
  return {
    format: PORTABLE_FORMAT,
    version: PORTABLE_VERSION,
    application: 'Channelscope',
    applicationVersion: version,
    madeAtMs: now(),
    connection: connection === undefined ? null : toSource(connection),
    snapshots,
  };
}

type Source = NonNullable<ReturnType<PortableParts['findConnection']>>;

function toSource({ name, baseAddress, ...connection }: Source): PortableManifest['connection'] {
  return { name, address: baseAddress, ...pickSharedRules(connection) };
}

async function describe(
  { cache }: PortableParts,
  snapshot: Snapshot,
  { pages, slices }: PortableSource,
  place: number,
): Promise<Omit<PortableSnapshot, 'records'>> {
  const isDetail = isDetailKind(snapshot.report);
  const row = isDetail ? await cache.getDownload(snapshot.id) : null;
  return {
    tenant: snapshot.tenant,
    report: snapshot.report,
    period: snapshot.period,
    state: toEndedState(snapshot.state),
    recordCount: snapshot.recordCount,
    totalDocument: snapshot.totalDocument,
    startedAtMs: snapshot.startedAtMs,
    fetchedAtMs: snapshot.fetchedAtMs,
    stillOpen: snapshot.stillOpen,
    settledToMs: snapshot.settledToMs ?? null,
    failure: snapshot.failure,
    name: snapshot.name,
    note: snapshot.note,
    remarks: snapshot.remarks,
    download:
      row === null
        ? null
        : {
            queuedAtMs: row.queuedAtMs,
            endedAtMs: row.endedAtMs,
            sliceDays: row.sliceDays,
            askedStart: row.askedStart,
            baseAddress: row.baseAddress,
            reportIdentifier: row.reportIdentifier,
            pageSize: row.pageSize,
            forecastTotal: row.forecastTotal,
            resumedCount: row.resumedCount,
            failure: row.failure,
            slices: [...slices],
          },
    certificate: row === null ? null : toCertificate(row, await cache.readJournalFigures(snapshot.id)),
    pages: pages.map((page) => toPage(page, place)),
  };
}

function toPage(page: PortablePage, place: number): PortableSnapshot['pages'][number] {
  const { pageNumber, sizeBytes, leftOut, sha256, cursorSent, status, requestedAtMs, receivedAtMs } = page;
  const { sliceNumber, walkNumber, sizeAsked, entryCount, recordCount, knownEntries } = page;
  return {
    path: `snapshots/${place}/pages/${String(pageNumber).padStart(6, '0')}.json`,
    bytes: sizeBytes,
    sha256,
    cursorSent,
    status,
    requestedAtMs,
    receivedAtMs,
    sliceNumber,
    walkNumber,
    sizeAsked,
    entryCount,
    recordCount,
    knownEntries,
    leftOut: leftOut.flatMap(({ index, reason, text }) =>
      isLeftOutReason(reason) ? [{ index, reason, text }] : [],
    ),
  };
}

function isLeftOutReason(reason: string): reason is (typeof LEFT_OUT)[number] {
  return LEFT_OUT.some((known) => known === reason);
}

/** A date with characters that every system takes in a name. */
function toNamePart(date: string): string {
  return date.replaceAll(/[^0-9]+/g, '-');
}

/** Nothing of a portable file is masked: it is proven by what was received. */
const NO_KEY = new Uint8Array(0);
const PIECE_BYTES = 1024 * 1024;
/** An entry of a ZIP without its longer forms holds less. */
const MAX_ENTRY_BYTES = 0xffff_fffe;

/**
 * Writes the records of a snapshot into a portable file as Parquet: every field as received, and nothing of a person's
 * own. Throws `exports.not-portable` where they are others than the snapshot says, `cache.*` and `analysis.*`.
 */
async function writePortableRecords(
  parts: RecordParts & { now(): number },
  { id: snapshotId, recordCount }: Snapshot,
  { path, file }: { readonly path: string; readonly file: ZipFile },
  { signal, onProgress }: { readonly signal: TaskHandle['signal']; onProgress(records: number): void },
): Promise<PortableRecords> {
  const { inEngine, describe } = await prepareRecords(
    parts,
    {
      scope: { snapshotId },
      format: 'parquet',
      filter: { conditions: [] },
      order: [{ column: 'received', descending: false }],
      includePayload: true,
    },
    'parquet',
    NO_KEY,
  );
  const about = { ...describe(recordCount, parts.now()), recordCount: undefined };
  const written = await inEngine?.write(JSON.stringify(about), {
    signal,
    onProgress: (progress) => onProgress((progress as FileProgress).done),
  });
  if (written === null || written === undefined) {
    throw new AppError('app.invalid-input', 'Parquet is written by the engine.', {});
  }
  try {
    const { bytes, sha256, rowCount } = written;
    if (rowCount !== recordCount) throw toNotPortable('changed');
    if (bytes > MAX_ENTRY_BYTES) throw toNotPortable('too-large');
    await file.begin(path);
    const pieces = createReadStream(written.path, { highWaterMark: PIECE_BYTES, signal });
    for await (const piece of pieces as AsyncIterable<Buffer>) await file.write(piece);
    return { path, bytes, sha256, recordCount };
  } finally {
    await tryToRemove(written.path, () => undefined);
  }
}

const REASONS = {
  'not-over': 'It is still being downloaded. Wait for its end, or cancel it.',
  damaged: 'A page of it is damaged, or missing. Download it again.',
  changed: 'It changed while the file was written. Share it again.',
  'too-many-pages': `Together they have more than ${MAX_PAGES} pages. Share fewer of them at a time.`,
  'too-large': 'Its records take more than 4 GB. Download shorter periods, and share those.',
};

/** An AppError `exports.not-portable` that says why snapshots can't be shared, and what to do. */
function toNotPortable(reason: keyof typeof REASONS): AppError {
  return new AppError('exports.not-portable', 'The snapshot can not be shared.', { reason: REASONS[reason] });
}

/** A ZIP that is written into a file, entry by entry. */
interface ZipFile {
  /** Ends the entry before, and begins another one. */
  begin(path: string): Promise<void>;
  write(piece: string | Uint8Array): Promise<void>;
  end(): Promise<void>;
}

/** Begins a ZIP whose bytes go to `put` as they are ready. */
function createZipFile(put: PartialFile['write'], modified: Date): ZipFile {
  const zip = createZipWriter(modified);
  return {
    begin: async (path) => put(await zip.begin(path)),
    write: async (piece) => put(await zip.write(piece)),
    end: async () => put(await zip.end()),
  };
}
