import { AppError } from '../../common/contract/errors.ts';
import type { Emit, Input, Output } from '../../common/contract/index.ts';
import type { ImportedFrom } from '../../common/model/cache/imported.ts';
import type { Snapshot } from '../../common/model/cache/snapshot.ts';
import { isTimeZone } from '../../common/time/time-zones.ts';
import { createGate } from '../client/gate.ts';
import type { SavedConnection } from '../connections/connection-document.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { ImportedPlace } from '../connections/imported-places.ts';
import type { Host, ImportFile } from '../host.ts';
import type { Logger } from '../logging/logger.ts';
import type { TaskHandle, TaskRegistry } from '../tasks/task-registry.ts';
import { openRecordFile, type RecordFile } from './files/open-record-file.ts';
import { surveyRecords } from './files/survey-records.ts';
import { importRecords } from './import-records.ts';
import { importPortable } from './portable/import-portable.ts';
import { openPortable } from './portable/open-portable.ts';
import { withImport, type ImportCache } from './with-import.ts';

/** A file is read from end to end for its checksum, to see that it is whole, and to be stored. */
const PASSES = 3;

type ImportInput = Input<'imports/start'>;

/** What came of a file. */
interface Imported {
  readonly place: SavedConnection;
  readonly snapshots: readonly Snapshot[];
  readonly leftOut: readonly string[];
}

export interface LibraryImporter {
  /** Asks the host for the file, and starts; taskId is null when nothing was chosen. */
  start(input: ImportInput): Promise<Output<'imports/start'>>;
}

/** Imports files into the Library: all of a file, or nothing. */
export function createLibraryImporter(options: {
  readonly cache: ImportCache;
  readonly connections: Pick<ConnectionStore, 'get' | 'findImportedPlace' | 'keepImportedPlace'>;
  readonly tasks: TaskRegistry;
  readonly host: Pick<Host, 'chooseImportFile'>;
  readonly emit: Emit;
  readonly logger: Logger;
  now(): number;
}): LibraryImporter {
  const { cache, connections, tasks, host, emit, logger, now } = options;

  const enter = createGate(1);
  const findPlace = ({ connectionId }: ImportInput, place: ImportedPlace): SavedConnection =>
    connectionId === null ? connections.findImportedPlace(place) : connections.get(connectionId);
  /** The person may have removed a connection meanwhile; a new place appears with its records. */
  const keepPlace = async ({ connectionId }: ImportInput, place: SavedConnection): Promise<void> => {
    if (connectionId === null) await connections.keepImportedPlace(place);
    else connections.get(connectionId);
  };

  const importRecordFile = async (
    file: RecordFile,
    fileName: string,
    input: ImportInput,
    { signal }: TaskHandle,
    onBytes: (bytes: number) => void,
  ): Promise<Imported> => {
    const { connectionId, report = null } = input;
    const zone = input.zone ?? (connectionId === null ? 'UTC' : connections.get(connectionId).serviceZone);
    const survey = await surveyRecords(file, { report, zone }, signal, onBytes);
    const { facts } = survey;
    const place = findPlace(input, {
      name: facts.connection?.name ?? null,
      address: facts.connection?.address ?? null,
      tenant: facts.tenant,
      zone: survey.zone,
    });
    const imported: ImportedFrom = {
      fileName,
      format: file.format,
      fileSha256: file.sha256,
      importedAtMs: now(),
      connectionName: facts.connection?.name ?? null,
      serviceAddress: facts.connection?.address ?? null,
      exportedAtMs: facts.exportedAtMs,
    };
    const tenant = facts.tenant ?? place.tenant;
    const target = { connectionId: place.id, tenant, imported };
    const snapshots = await withImport(cache, (importing) =>
      importRecords(importing, file, survey, target, {
        signal,
        onBytes,
        beforeShown: () => keepPlace(input, place),
      }),
    );
    return { place, snapshots, leftOut: survey.leftOut };
  };

  const importPortableFile = async (
    file: RecordFile,
    fileName: string,
    input: ImportInput,
    { signal }: TaskHandle,
    onBytes: (bytes: number) => void,
  ): Promise<Imported> => {
    const portable = await openPortable(file.path, file.size);
    try {
      const { connection, snapshots: given, madeAtMs } = portable.manifest;
      const [first] = given;
      const place = findPlace(input, {
        name: connection?.name ?? null,
        address: connection?.address ?? null,
        tenant: first?.tenant ?? null,
        zone: first?.period.zone ?? 'UTC',
      });
      const imported: ImportedFrom = {
        fileName,
        format: 'portable',
        fileSha256: file.sha256,
        importedAtMs: now(),
        connectionName: connection?.name ?? null,
        serviceAddress: connection?.address ?? null,
        exportedAtMs: madeAtMs,
      };
      const target = { connectionId: place.id, imported };
      const snapshots = await withImport(cache, (importing) =>
        importPortable(importing, portable, target, {
          signal,
          onBytes,
          beforeShown: () => keepPlace(input, place),
        }),
      );
      return { place, snapshots, leftOut: [] };
    } finally {
      portable.close();
    }
  };

  const run = async (found: ImportFile, input: ImportInput, task: TaskHandle): Promise<void> => {
    let total = 0;
    let done = 0;
    const onBytes = (bytes: number): void => {
      done += bytes;
      task.progress(Math.min(done, total), total);
    };
    const file = await openRecordFile(found.path, task.signal, (bytes, size) => {
      total = size * PASSES;
      onBytes(bytes);
    });
    const importFile = file.format === 'portable' ? importPortableFile : importRecordFile;
    const { place, snapshots, leftOut } = await importFile(file, found.name, input, task, onBytes);
    task.progress(total, total);
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
      },
    });
    for (const snapshot of snapshots) emit('snapshots/changed', snapshot);
    logger.info('A file was imported.', {
      taskId: task.id,
      format: file.format,
      sha256: file.sha256,
      recordCount,
    });
  };

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
      const task = tasks.start({ kind: 'library-import', connectionId, isQueued: true }, (handle) =>
        enter(() => {
          handle.begin();
          return run(found, input, handle);
        }, handle.signal).finally(() => found.release()),
      );
      return { taskId: task.id };
    },
  };
}
