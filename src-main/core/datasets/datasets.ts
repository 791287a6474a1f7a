import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { AppError } from '../../common/contract/errors.ts';
import type { Emit, HandlersOf, Input } from '../../common/contract/index.ts';
import { Dataset } from '../../common/model/exports/export-options.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import { openListFile } from '../documents/json-file.ts';
import type { Events, Host } from '../host.ts';
import type { Logger } from '../logging/logger.ts';
import type { TaskRegistry } from '../tasks/task-registry.ts';
import { type DatasetParts, updateDataset } from './update-dataset.ts';

const FILE_NAME = 'datasets.json';
/** What changes meanwhile is written together: a day that is being followed is written whole each time. */
const KEEP_DELAY_MS = 300_000;
/** Events after which records may be new, gone or settled. */
const CHANGES = /^(snapshots|downloads|following)\//;

/** The datasets of a profile. */
export interface Datasets {
  list(): Dataset[];
  /** Null when the user closed the dialog. Throws `connections.not-found`. */
  add(input: Input<'datasets/add'>): Promise<Dataset | null>;
  switch(datasetId: string, isKept: boolean): Promise<Dataset>;
  /** Starts an update; one that runs is not started again. Throws `datasets.not-found` and `connections.not-found`. */
  update(datasetId: string): { taskId: string };
  remove(datasetId: string): Promise<void>;
  stop(): void;
}

/** Opens the datasets of a profile; those that are kept follow the cache from now on. */
export async function openDatasets(
  options: DatasetParts & {
    readonly host: Pick<Host, 'dataFolder' | 'chooseFolder'>;
    readonly connections: Pick<ConnectionStore, 'get'>;
    readonly tasks: TaskRegistry;
    readonly events: Pick<Events, 'onAny'>;
    readonly emit: Emit;
    readonly logger: Logger;
    readonly keepDelayMs?: number;
  },
): Promise<Datasets> {
  const { host, connections, tasks, events, emit, logger, now, keepDelayMs = KEEP_DELAY_MS } = options;
  const path = join(host.dataFolder, FILE_NAME);
  const file = await openListFile({ path, schema: Dataset, logger, now, key: 'datasets' });
  const datasets = new Map(file.entries.map((dataset) => [dataset.id, dataset]));
  const running = new Map<string, string>();
  let timer: NodeJS.Timeout | null = null;

  const save = async (): Promise<void> => {
    const unfit = await file.save([...datasets.values()]);
    for (const dataset of unfit) if (datasets.get(dataset.id) === dataset) datasets.delete(dataset.id);
    emit('datasets/changed', null);
  };
  const find = (datasetId: string): Dataset => {
    const dataset = datasets.get(datasetId);
    if (dataset === undefined)
      throw new AppError('datasets.not-found', 'There is no such dataset.', { datasetId });
    return dataset;
  };
  const update = (datasetId: string): { taskId: string } => {
    const dataset = find(datasetId);
    const current = running.get(datasetId);
    if (current !== undefined) return { taskId: current };
    const { connectionId } = dataset;
    const connection = connections.get(connectionId);
    const { id: taskId } = tasks.start({ kind: 'dataset', connectionId }, async (task) => {
      try {
        const last = await updateDataset(options, { dataset, connection }, task);
        logger.info('dataset updated', { datasetId, ...last });
        const still = datasets.get(datasetId);
        if (still !== undefined) datasets.set(datasetId, { ...still, last });
        await save();
      } finally {
        running.delete(datasetId);
      }
    });
    running.set(datasetId, taskId);
    return { taskId };
  };
  const keep = (): void => {
    timer ??= setTimeout(() => {
      timer = null;
      for (const { id, isKept } of datasets.values()) {
        if (!isKept) continue;
        try {
          update(id);
        } catch (error) {
          logger.warn('dataset not updated', { datasetId: id, error });
        }
      }
    }, keepDelayMs).unref();
  };
  const stopListening = events.onAny((...[name]) => {
    if (CHANGES.test(name) && [...datasets.values()].some(({ isKept }) => isKept)) keep();
  });
  if ([...datasets.values()].some(({ isKept }) => isKept)) keep();

  return {
    list: () => [...datasets.values()],
    async add({ connectionId, reports, isKept }) {
      const { name } = connections.get(connectionId);
      const folder = await host.chooseFolder(
        `${name.replace(/[^\p{L}\p{N} .-]/gu, '_')} dataset`,
        'datasets',
      );
      if (folder === null) return null;
      const same = [...datasets.values()].find(
        (other) => other.connectionId === connectionId && other.folder === folder,
      );
      const dataset = {
        id: same?.id ?? randomUUID(),
        connectionId,
        folder,
        reports,
        isKept,
        last: same?.last ?? null,
      };
      datasets.set(dataset.id, dataset);
      await save();
      if (isKept) keep();
      return dataset;
    },
    async switch(datasetId, isKept) {
      const dataset = { ...find(datasetId), isKept };
      datasets.set(datasetId, dataset);
      await save();
      if (isKept) keep();
      return dataset;
    },
    update,
    async remove(datasetId) {
      const taskId = running.get(datasetId);
      if (taskId !== undefined) tasks.cancel(taskId);
      datasets.delete(datasetId);
      await save();
    },
    stop() {
      stopListening();
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** The handlers of `datasets/…`. */
export function createDatasetsHandlers({
  datasets,
}: {
  readonly datasets: Datasets;
}): HandlersOf<'datasets'> {
  return {
    'datasets/list': () => datasets.list(),
    'datasets/add': (input) => datasets.add(input),
    'datasets/switch': ({ datasetId, isKept }) => datasets.switch(datasetId, isKept),
    'datasets/update': ({ datasetId }) => datasets.update(datasetId),
    'datasets/remove': async ({ datasetId }) => {
      await datasets.remove(datasetId);
      return null;
    },
  };
}
