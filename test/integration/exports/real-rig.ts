import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Input } from '../../../src-main/common/contract/index.ts';
import type { Task } from '../../../src-main/common/model/cache/task.ts';
import { type RecordDetail, toRecordId } from '../../../src-main/common/model/records/record.ts';
import type { Engine } from '../../../src-main/core/analysis/engine/create-engine.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import { createExporter, type Exporter } from '../../../src-main/core/exports/create-exporter.ts';
import { createTaskRegistry } from '../../../src-main/core/tasks/task-registry.ts';
import { createSilentLogger } from '../../support/fakes/silent-logger.ts';
import {
  createFolder,
  FROM_MS,
  openTestCache,
  openTestEngine,
  openTestRowWriter,
} from '../cache/cache-fixture.ts';
import { RECORDS_INPUT } from './export-rig.ts';
import { ENGLISH } from '../../../src-main/common/words/words.ts';
import { openPackSigner } from '../../support/fakes/open-pack-signer.ts';
import { openLedger } from '../../support/fakes/open-ledger.ts';
import { NO_CASES } from '../../support/fakes/no-cases.ts';

/** An exporter over a cache and an engine of its own. */
export interface RealRig {
  readonly cache: Cache;
  readonly engine: Engine;
  readonly exporter: Exporter;
  readonly folder: string;
  /** Where every file goes. */
  readonly target: string;
  write(change?: Partial<Input<'exports/start'>>): Promise<Task>;
  /** The same row by row, whatever the engine could write. */
  writeByRow(change?: Partial<Input<'exports/start'>>): Promise<Task>;
  writeResult(input: Input<'exports/start-result'>): Promise<Task>;
  /** Cancels an export that was started, and waits for its end. */
  cancel(taskId: string | null): Promise<Task>;
  /** Writes a portable file of the first snapshot. */
  share(): Promise<Task>;
  /** The first records of the first snapshot, as the cache holds them. */
  readCached(count: number): Promise<RecordDetail[]>;
  close(): Promise<void>;
}

export async function createRealRig(
  name: string,
  nowMs = FROM_MS,
  packSigner = openPackSigner(),
): Promise<RealRig> {
  const place = await createFolder();
  const cache = await openTestCache(place.file);
  const engine = openTestEngine(place.file);
  await mkdir(join(place.folder, 'out'));
  const target = join(place.folder, 'out', name);
  const logger = createSilentLogger();
  const tasks = createTaskRegistry({ now: Date.now, emit: () => undefined, logger });
  const create = (own: Engine): Exporter =>
    createExporter({
      cases: NO_CASES,
      pseudonymKey: new Uint8Array(32),
      emit: () => undefined,
      cache,
      ledger: openLedger(cache),
      engine: own,
      tasks,
      logger,
      now: () => nowMs,
      version: '1.2.3',
      host: {
        kind: 'desktop',
        chooseExportTarget: () => Promise.resolve(target),
        printPdf: () => Promise.reject(new Error('not here')),
        revealExport: () => Promise.resolve(null),
      },
      rowWriter: openTestRowWriter(place.file),
      packSigner,
      partials: { add: () => Promise.resolve(), remove: () => Promise.resolve() },
      listNames: () => [{ field: 'channel', value: '1', name: 'Bob\'s "phone"' }],
      findTenant: () => 1001,
      readWords: () => ENGLISH,
      findConnection: () => ({
        kind: 'remote' as const,
        name: 'Work',
        baseAddress: 'https://reports.example',
        tenant: 1001,
      }),
    });
  const exporter = create(engine);
  const byRow = create({ ...engine, writeRecords: () => Promise.resolve(null) });
  const finish = ({ taskId }: { taskId: string | null }): Promise<Task> => tasks.whenEnded(taskId ?? '');
  return {
    cache,
    engine,
    exporter,
    folder: place.folder,
    target,
    write: async (change) => finish(await exporter.start({ ...RECORDS_INPUT, ...change })),
    writeByRow: async (change) => finish(await byRow.start({ ...RECORDS_INPUT, ...change })),
    writeResult: async (input) => finish(await exporter.startResult(input)),
    cancel(taskId) {
      tasks.cancel(taskId ?? '');
      return finish({ taskId });
    },
    share: async () => finish(await exporter.startPortable([1])),
    async readCached(count) {
      const ids = Array.from({ length: count }, (_none, seq) => toRecordId(1, seq));
      const records: RecordDetail[] = [];
      while (records.length < count) {
        const wanted = ids.slice(records.length);
        const batch = { report: 'inbound-detail' as const, ids: wanted, includePayload: true };
        records.push(...(await cache.readExportBatch(batch)));
      }
      return records;
    },
    async close() {
      await engine.close();
      await cache.close();
      await place.remove();
    },
  };
}
