import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { beforeAll, expect, onTestFinished } from 'vitest';
import type { Input, OperationName, Output } from '../../../src-main/common/contract/index.ts';
import type { ImportOutcome, Task } from '../../../src-main/common/model/cache/task.ts';
import { createCore, type Core } from '../../../src-main/core/create-core.ts';
import { createInMemorySecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import { createTestHost } from '../../support/application/test-host.ts';

/** A core without a window, which imports the files that a test names and exports to those that it names. */
export interface ImportRig {
  readonly core: Core;
  readonly folder: string;
  readonly dataFolder: string;
  readonly call: <Name extends OperationName>(name: Name, input: Input<Name>) => Promise<Output<Name>>;
  /** Imports a file, and returns its task once it has ended; `onStarted` is called with its id before that. */
  readonly import: (
    path: string,
    more?: Partial<Input<'imports/start'>>,
    onStarted?: (taskId: string) => Promise<unknown>,
  ) => Promise<Task>;
  /** The same, for a file that has to be good. */
  readonly importWell: (path: string, more?: Partial<Input<'imports/start'>>) => Promise<ImportOutcome>;
  /** Writes a portable file of snapshots. */
  readonly share: (snapshotIds: number[], path: string) => Promise<Task>;
  /** Exports a snapshot to a file. */
  readonly export: (snapshotId: number, path: string, more: Partial<Input<'exports/start'>>) => Promise<Task>;
}

const NOW_MS = Date.UTC(2026, 10, 23, 7);

/** Opens one with an empty data folder, and removes it after the test. */
export async function openImportRig(): Promise<ImportRig> {
  const { rig, close } = await createImportRig();
  onTestFinished(close);
  return rig;
}

/** Opens one for all tests of a file. */
export function shareImportRig(): () => ImportRig {
  let rig: ImportRig;
  beforeAll(async () => {
    const created = await createImportRig();
    ({ rig } = created);
    return created.close;
  });
  return () => rig;
}

async function createImportRig(): Promise<{ rig: ImportRig; close: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'imports-'));
  let importFile = '';
  let exportFile = '';
  const { host, remove } = await createTestHost({
    chooseImportFile: () =>
      Promise.resolve({
        path: importFile,
        name: basename(importFile),
        release: () => Promise.resolve(),
      }),
    chooseExportTarget: () => Promise.resolve(exportFile),
  });
  const core = await createCore(host, {
    now: () => NOW_MS,
    byItself: 'nothing',
    openSecretStore: () => Promise.resolve({ store: createInMemorySecretStore(), failure: null }),
  });
  const close = async (): Promise<void> => {
    await core.stop();
    await remove();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const call: ImportRig['call'] = async (name, input) => {
    const answer = await core.call(name, input);
    if (!answer.ok) throw new Error(`${name}: ${answer.error.code} ${JSON.stringify(answer.error)}`);
    return answer.value as Output<typeof name>;
  };
  const start: ImportRig['import'] = async (path, more = {}, onStarted = () => Promise.resolve()) => {
    importFile = path;
    const { taskId } = await call('imports/start', { uploadId: null, connectionId: null, ...more });
    await onStarted(taskId ?? '');
    return call('tasks/wait', { taskId: taskId ?? '' });
  };
  const rig: ImportRig = {
    core,
    folder,
    dataFolder: host.dataFolder,
    call,
    import: start,
    importWell: async (path, more) => {
      const task = await start(path, more);
      expect(task.error).toBeNull();
      return task.importOutcome!;
    },
    share: async (snapshotIds, path) => {
      exportFile = path;
      const { taskId } = await call('exports/start-portable', { snapshotIds });
      const task = await call('tasks/wait', { taskId: taskId ?? '' });
      expect(task.error).toBeNull();
      return task;
    },
    export: async (snapshotId, path, more) => {
      exportFile = path;
      const { taskId } = await call('exports/start', {
        scope: { snapshotId },
        format: 'ndjson',
        filter: { conditions: [] },
        order: [{ column: 'received', descending: false }],
        includePayload: true,
        ...more,
      });
      const task = await call('tasks/wait', { taskId: taskId ?? '' });
      expect(task.error).toBeNull();
      return task;
    },
  };
  return { rig, close };
}
