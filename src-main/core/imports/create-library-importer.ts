import { stat } from 'node:fs/promises';
import { AppError } from '../../common/contract/errors.ts';
import type { Emit, HandlersOf, Input, Output } from '../../common/contract/index.ts';
import type { ImportedFrom, Snapshot } from '../../common/model/cache/snapshot.ts';
import { isTimeZone } from '../../common/time/civil-time.ts';
import { toUnreadable } from '../../common/words/to-unreadable.ts';
import { createGate } from '../../node/gate.ts';
import type { ParquetReader, ReadParquet } from '../analysis/parquet/create-parquet-reader.ts';
import type { ImportedPage } from '../cache/imports.ts';
import { type ImportedPlace, pickSharedRules, type SavedConnection } from '../connections/connection-file.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { PortableManifest, PortableSnapshot } from '../exports/portable/portable-manifest.ts';
import type { Host, ImportFile } from '../host.ts';
import type { Logger } from '../logging/logger.ts';
import type { TaskHandle, TaskRegistry } from '../tasks/task-registry.ts';
import type { RecordFile } from './files/open-record-file.ts';
import {
  type ImportCache,
  type Importing,
  importRecords,
  type ImportRun,
  withImport,
} from './import-records.ts';
import { type FileReader, withImportThread } from './reading/with-import-thread.ts';

/** A file is read from end to end for its checksum, to see that it is whole, and to be stored. */
const PASSES = 3;

/** What a person has to know at once: how dates were read, and what could not be. */
const SAID_AT_ONCE = new Set([
  'import-dates-converted',
  'import-dates-unread',
  'import-zone-assumed',
  'date-empty',
  'number-not-understood',
]);

type ImportInput = Input<'imports/start'>;

/** What came of a file. */
interface Imported {
  readonly place: SavedConnection;
  readonly snapshots: readonly Snapshot[];
  readonly leftOut: readonly string[];
}

/** One import: the file, what was said about it, and how far it is. */
interface Import {
  readonly reader: FileReader;
  readonly file: RecordFile & { readonly name: string };
  readonly input: ImportInput;
  readonly task: TaskHandle;
  readonly count: ByteCount;
}

interface LibraryImporter {
  /** Asks the host for the file, and starts; taskId is null when nothing was chosen. */
  start(input: ImportInput): Promise<Output<'imports/start'>>;
}

/** Imports files into the Library: all of a file, or nothing. */
export function createLibraryImporter(options: {
  readonly cache: ImportCache;
  readonly connections: Pick<ConnectionStore, 'get' | 'findImportedPlace' | 'keepImportedPlace'>;
  readonly tasks: TaskRegistry;
  readonly host: Pick<Host, 'chooseImportFile' | 'workers'>;
  readonly parquet: ParquetReader;
  readonly emit: Emit;
  readonly logger: Logger;
  now(): number;
}): LibraryImporter {
  const { cache, connections, tasks, host, parquet, emit, logger, now } = options;

  const enter = createGate(1);
  const findPlace = ({ connectionId }: ImportInput, place: ImportedPlace): SavedConnection =>
    connectionId === null ? connections.findImportedPlace(place) : connections.get(connectionId);
  /** The person may have removed a connection meanwhile; a new place appears with its records. */
  const keepPlace = async ({ connectionId }: ImportInput, place: SavedConnection): Promise<void> => {
    if (connectionId === null) await connections.keepImportedPlace(place);
    else connections.get(connectionId);
  };

  const toImportedFrom = (
    { name: fileName, format, sha256: fileSha256 }: Import['file'],
    { name: connectionName, address: serviceAddress }: { name: string | null; address: string | null },
    exportedAtMs: number | null,
  ): ImportedFrom => ({
    fileName,
    format,
    fileSha256,
    importedAtMs: now(),
    connectionName,
    serviceAddress,
    exportedAtMs,
  });

  const importLines = async (
    { reader, file, input, task, count }: Import,
    lines: ReadParquet | null,
  ): Promise<Imported> => {
    const { signal } = task;
    const { connectionId, report = null, dateOrder = null, complete } = input;
    const zone = input.zone ?? (connectionId === null ? 'UTC' : connections.get(connectionId).serviceZone);
    const asked = { file: { ...file, parquet: lines }, said: { report, zone, dateOrder } };
    const survey = await reader.surveyFile(asked, { signal, onProgress: count.add });
    const { facts } = survey;
    const connection = { name: facts.connection?.name ?? null, address: facts.connection?.address ?? null };
    const place = findPlace(input, { ...connection, tenant: facts.tenant, zone: survey.zone });
    const imported = toImportedFrom(file, connection, facts.exportedAtMs);
    const tenant = facts.tenant ?? place.tenant;
    const target = {
      connectionId: place.id,
      tenant,
      imported,
      ...(complete === undefined ? {} : { complete }),
    };
    const snapshots = await withImport(cache, (importing) =>
      importRecords({ cache: importing, reader }, survey, target, {
        signal,
        onBytes: count.add,
        beforeShown: () => keepPlace(input, place),
      }),
    );
    return { place, snapshots, leftOut: survey.leftOut };
  };

  const importRecordFile = (work: Import): Promise<Imported> => {
    const { file, task, count } = work;
    if (file.format !== 'parquet') return importLines(work, null);
    const onProgress = count.follow(file.size);
    return parquet.withLines(file, { signal: task.signal, onProgress }, (lines) => {
      count.expect(2 * lines.bytes - file.size);
      return importLines(work, lines);
    });
  };

  const importPortableFile = async ({ reader, file, input, task, count }: Import): Promise<Imported> => {
    const { signal } = task;
    const manifest = await reader.openPortable(file);
    const { connection, snapshots: given, madeAtMs } = manifest;
    count.expect((1 - PASSES) * file.size);
    for (const { pages, records } of given) {
      for (const { bytes } of pages) count.expect(bytes);
      count.expect(records.bytes);
    }
    const [first] = given;
    const from = { name: connection?.name ?? null, address: connection?.address ?? null };
    const zone = first?.period.zone ?? 'UTC';
    const rules = pickSharedRules(connection ?? {});
    const place = findPlace(input, { ...from, tenant: first?.tenant ?? null, zone, rules });
    const target = { connectionId: place.id, imported: toImportedFrom(file, from, madeAtMs) };
    const snapshots = await withImport(cache, (importing) =>
      importPortable({ cache: importing, reader }, manifest, target, {
        signal,
        onBytes: count.add,
        beforeShown: () => keepPlace(input, place),
      }),
    );
    return { place, snapshots, leftOut: [] };
  };

  const importWith = async (
    reader: FileReader,
    found: ImportFile,
    input: ImportInput,
    task: TaskHandle,
  ): Promise<void> => {
    const { signal } = task;
    const count = createByteCount(task.progress);
    count.expect(PASSES * (await readSize(found.path)));
    const opened = await reader.openFile(found.path, { signal, onProgress: count.add });
    const file = { ...opened, name: found.name };
    const work = { reader, file, input, task, count };
    const importFile = file.format === 'portable' ? importPortableFile : importRecordFile;
    const { place, snapshots, leftOut } = await importFile(work);
    count.end();
    const recordCount = snapshots.reduce((sum, snapshot) => sum + snapshot.recordCount, 0);
    task.update({
      importOutcome: {
        fileName: found.name,
        fileSha256: file.sha256,
        connectionId: place.id,
        connectionName: place.name,
        snapshotIds: snapshots.map(({ id }) => id),
        recordCount,
        leftOut: [...leftOut],
        remarks: snapshots.flatMap(({ remarks }) => remarks).filter(({ code }) => SAID_AT_ONCE.has(code)),
      },
    });
    for (const snapshot of snapshots) emit('snapshots/changed', snapshot);
    const { format, sha256 } = file;
    logger.info('a file was imported', { taskId: task.id, format, sha256, recordCount });
  };

  const run = (found: ImportFile, input: ImportInput, task: TaskHandle): Promise<void> =>
    withImportThread({ script: host.workers.imports, logger, signal: task.signal }, (reader) =>
      importWith(reader, found, input, task),
    );

  return {
    async start(input) {
      if (input.zone !== undefined && !isTimeZone(input.zone)) {
        throw new AppError('app.invalid-input', 'The zone is not known.', { zone: input.zone });
      }
      if (input.connectionId !== null) connections.get(input.connectionId);
      const found = await host.chooseImportFile(input.uploadId);
      if (found === null) {
        if (input.uploadId === null) return { taskId: null };
        throw new AppError('imports.upload-gone', 'There is no such upload.');
      }
      const { connectionId } = input;
      const task = tasks.start({ kind: 'library-import', connectionId, isQueued: true }, async (handle) => {
        try {
          await enter(() => {
            handle.begin();
            return run(found, input, handle);
          }, handle.signal);
        } finally {
          await found.release();
        }
      });
      return { taskId: task.id };
    },
  };
}

/** Nothing where it can't be told: opening the file says why. */
async function readSize(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

/** How far an import is, in bytes that are read: how many there will be is found out on the way. */
interface ByteCount {
  /** So many more will be read; negative for fewer than were expected. */
  expect(bytes: number): void;
  add(bytes: number): void;
  /** Returns what is told how much of so many bytes is done, from 0 to 1. */
  follow(bytes: number): (share: number) => void;
  end(): void;
}

/** Counts for `progress`, which never sees less done than before. */
function createByteCount(progress: (done: number, total: number) => void): ByteCount {
  let done = 0;
  let total = 0;
  const add = (bytes: number): void => {
    done += bytes;
    progress(Math.min(Math.floor(done), total), total);
  };
  return {
    expect(bytes) {
      total += bytes;
    },
    add,
    follow(bytes) {
      let seen = 0;
      return (share) => {
        const reached = Math.min(1, share) * bytes;
        if (reached <= seen) return;
        add(reached - seen);
        seen = reached;
      };
    },
    end: () => progress(total, total),
  };
}

/** What a portable file is read and kept with. */
interface PortableImporting {
  readonly cache: Importing;
  readonly reader: Pick<FileReader, 'checkPortableRecords' | 'readPortablePage'>;
}

/**
 * Imports the snapshots of a portable file, which are there once all of them are. The records beside the
 * pages are checked first, each page before it is stored. Times that the other computer's clock had ahead are held to
 * the moment of the import. Throws `imports.unreadable`.
 */
async function importPortable(
  { cache, reader }: PortableImporting,
  manifest: PortableManifest,
  { connectionId, imported }: { readonly connectionId: string; readonly imported: ImportedFrom },
  { signal, onBytes, beforeShown }: ImportRun,
): Promise<Snapshot[]> {
  const holdToNow = (atMs: number): number => Math.min(atMs, imported.importedAtMs);
  const begun: { readonly snapshotId: number; readonly from: PortableSnapshot }[] = [];
  for (const { records } of manifest.snapshots) {
    await reader.checkPortableRecords(records, { signal, onProgress: onBytes });
  }
  for (const from of manifest.snapshots) {
    const { tenant, report, period, stillOpen, settledToMs, name, note } = from;
    const about = { tenant, report, period, stillOpen, settledToMs, name, note };
    const startedAtMs = holdToNow(from.startedAtMs);
    const snapshotId = await cache.beginImport({ connectionId, imported, startedAtMs, ...about });
    begun.push({ snapshotId, from });
    for (const [pageNumber, page] of from.pages.entries()) {
      signal.throwIfAborted();
      const { path, entryCount, recordCount } = page;
      const { bytes } = await reader.readPortablePage(page);
      onBytes(page.bytes);
      const stored = await cache.importPage({ ...toJournal(page, holdToNow), snapshotId, pageNumber }, bytes);
      if (stored.entryCount !== entryCount || stored.recordCount !== recordCount) {
        throw toUnreadable('other-version', { name: path });
      }
    }
  }
  await beforeShown();
  return cache.finishImport(
    begun.map(({ snapshotId, from }) => ({
      snapshotId,
      state: from.state,
      failure: from.failure,
      fetchedAtMs: from.fetchedAtMs === null ? null : holdToNow(from.fetchedAtMs),
      totalDocument: from.totalDocument,
      remarks: from.remarks,
      download:
        from.download === null
          ? null
          : {
              ...from.download,
              queuedAtMs: holdToNow(from.download.queuedAtMs),
              endedAtMs: from.download.endedAtMs === null ? null : holdToNow(from.download.endedAtMs),
              failure: from.download.failure === null ? null : JSON.stringify(from.download.failure),
            },
    })),
  );
}

/** What the journal of pages keeps of one besides its bytes. */
function toJournal(
  page: PortableSnapshot['pages'][number],
  holdToNow: (atMs: number) => number,
): Omit<ImportedPage, 'snapshotId' | 'pageNumber'> {
  const { cursorSent, status, requestedAtMs, receivedAtMs, sliceNumber } = page;
  const { walkNumber, sizeAsked, knownEntries, leftOut } = page;
  return {
    cursorSent,
    status,
    requestedAtMs: holdToNow(requestedAtMs),
    receivedAtMs: holdToNow(receivedAtMs),
    sliceNumber,
    walkNumber,
    sizeAsked,
    knownEntries,
    leftOut,
  };
}

/** The handlers of `imports/…`. */
export function createImportsHandlers(parts: {
  readonly host: Pick<Host, 'takeOpenedFile'>;
  readonly libraryImporter: LibraryImporter;
}): HandlersOf<'imports'> {
  const { host, libraryImporter } = parts;
  return {
    'imports/start': (input) => libraryImporter.start(input),
    'imports/take-opened-file': () => host.takeOpenedFile(),
  };
}
