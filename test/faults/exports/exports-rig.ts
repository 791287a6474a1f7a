import { openPackSigner } from '../../support/fakes/open-pack-signer.ts';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Input } from '../../../src-main/common/contract/index.ts';
import { type Dataset, RFC_4180 } from '../../../src-main/common/model/exports/export-options.ts';
import type { Task } from '../../../src-main/common/model/cache/task.ts';
import { updateDataset } from '../../../src-main/core/datasets/update-dataset.ts';
import { createExporter } from '../../../src-main/core/exports/create-exporter.ts';
import { openPartialList } from '../../../src-main/core/exports/write-manifest.ts';
import { createTaskRegistry } from '../../../src-main/core/tasks/task-registry.ts';
import { createRandom, type Random } from '../../../src-main/service/sample/random.ts';
import {
  createDocument,
  fillSnapshot,
  FROM_MS,
  openTestCache,
  openTestEngine,
  openTestRowWriter,
} from '../../integration/cache/cache-fixture.ts';
import { createSilentLogger } from '../../support/fakes/silent-logger.ts';
import { ENGLISH } from '../../../src-main/common/words/words.ts';
import { openLedger } from '../../support/fakes/open-ledger.ts';
import { NO_CASES } from '../../support/fakes/no-cases.ts';

const RECORDS = 1500;
const DAY_MS = 86_400_000;
/** The days of the dataset, which are another connection's. */
export const DAYS = 4;
const FIRST_DAY_MS = Date.UTC(2026, 9, 20);
const CONNECTION = {
  id: 'two',
  kind: 'remote' as const,
  name: 'Work',
  baseAddress: 'https://reports.example',
  tenant: 1001,
};

type Change = Pick<Input<'exports/start'>, 'format'> & Partial<Input<'exports/start'>>;

/** Every way in which a file is written, by name. */
export const FORMATS: ReadonlyMap<string, Change | 'portable'> = new Map<string, Change | 'portable'>([
  ['csv', { format: 'csv' }],
  ['csv with manifest', { format: 'csv', layout: { manifest: true } }],
  ['csv by row', { format: 'csv', layout: { csv: { ...RFC_4180, quoting: 'needed' } } }],
  ['xlsx', { format: 'xlsx' }],
  ['json', { format: 'json' }],
  ['ndjson', { format: 'ndjson' }],
  ['parquet', { format: 'parquet' }],
  ['html', { format: 'html' }],
  ['portable', 'portable'],
]);

/** An export under way. */
export interface RunningExport {
  readonly ended: Promise<Task>;
  readonly cancel: () => void;
}

/** The exports of an application that has just started over a folder. */
export interface ExportsRig {
  /** Where the engine's own files lie meanwhile. */
  readonly engineFolder: string;
  start(name: string, target: string): Promise<RunningExport>;
  /** Stores a day anew, with a record each second. */
  fillDay(day: number, count: number): Promise<void>;
  updateDataset(folder: string, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** A text that can hardly be compressed, so that every format has its size. */
function makeText(random: Random): string {
  return Array.from({ length: 40 }, () => random().toString(36)).join();
}

/** Stores what is exported into the cache of a folder. */
export async function fillExports(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const cache = await openTestCache(join(folder, 'cache.sqlite'));
  const random = createRandom(1);
  const documents = Array.from({ length: RECORDS }, (_none, index) =>
    createDocument(index, { Payload: makeText(random) }),
  );
  await fillSnapshot(cache, documents, {}, 500);
  await cache.close();
}

/** Opens the exports over a folder as a start of the application does: what was left behind is removed. */
export async function openExports(folder: string): Promise<ExportsRig> {
  const file = join(folder, 'cache.sqlite');
  const logger = createSilentLogger();
  const now = (): number => FIRST_DAY_MS + 60 * DAY_MS;
  const partials = await openPartialList(folder, now(), logger);
  const cache = await openTestCache(file);
  const engine = openTestEngine(file);
  const ledger = openLedger(cache);
  // What is exported has been fed.
  await engine.summarise({ snapshotId: 1 });
  const tasks = createTaskRegistry({ now: Date.now, emit: () => undefined, logger });
  const rowWriter = openTestRowWriter(file);
  return {
    engineFolder: join(folder, 'analysis-files'),
    async start(name, target) {
      const exporter = createExporter({
        cases: NO_CASES,
        pseudonymKey: new Uint8Array(32),
        packSigner: openPackSigner(),
        emit: () => undefined,
        cache,
        ledger,
        engine,
        tasks,
        rowWriter,
        partials,
        logger,
        now: () => FROM_MS + DAY_MS,
        version: '1.2.3',
        host: {
          kind: 'desktop',
          chooseExportTarget: () => Promise.resolve(target),
          printPdf: () => Promise.reject(new Error('not here')),
          revealExport: () => Promise.resolve(null),
        },
        listNames: () => [],
        findTenant: () => 1001,
        findConnection: () => CONNECTION,
        readWords: () => ENGLISH,
      });
      const change = FORMATS.get(name) ?? 'portable';
      const { taskId } =
        change === 'portable'
          ? await exporter.startPortable([1])
          : await exporter.start({
              scope: { snapshotId: 1 },
              filter: { conditions: [] },
              order: [{ column: 'received', descending: false }],
              includePayload: true,
              ...change,
            });
      return { ended: tasks.whenEnded(taskId ?? ''), cancel: () => tasks.cancel(taskId ?? '') };
    },
    async fillDay(day, count) {
      const fromMs = FIRST_DAY_MS + day * DAY_MS;
      const toDate = (atMs: number): string => new Date(atMs).toISOString().slice(0, 19).replace('T', ' ');
      const toMs = fromMs + DAY_MS - 1000;
      const random = createRandom(day);
      const documents = Array.from({ length: count }, (_none, index) =>
        createDocument(index, {
          Date: new Date(fromMs + index * 1000).toISOString(),
          Payload: makeText(random),
        }),
      );
      await fillSnapshot(cache, documents, {
        connectionId: CONNECTION.id,
        startedAtMs: Date.now(),
        period: { startDate: toDate(fromMs), endDate: toDate(toMs), fromMs, toMs, zone: 'UTC' },
      });
    },
    async updateDataset(target, signal = new AbortController().signal) {
      const dataset: Dataset = {
        id: 'd',
        connectionId: CONNECTION.id,
        folder: target,
        reports: ['inbound-detail'],
        isKept: false,
        last: null,
      };
      const parts = { cache, engine, ledger, partials, version: '1.2.3', now };
      await updateDataset(parts, { dataset, connection: CONNECTION }, { signal, progress: () => undefined });
    },
    async close() {
      await tasks.stop();
      await engine.close();
      await cache.close();
    },
  };
}
