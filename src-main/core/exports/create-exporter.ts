import { basename } from 'node:path';
import { AppError } from '../../common/contract/errors.ts';
import type { Input } from '../../common/contract/index.ts';
import type { ValueName } from '../../common/model/value-name.ts';
import type { Host } from '../host.ts';
import type { Logger } from '../logging/logger.ts';
import type { TaskHandle, TaskRegistry } from '../tasks/task-registry.ts';
import { createCsvWriter } from './csv.ts';
import { addNameColumns } from './export-names.ts';
import { withExportSource, type ExportCache, type ExportEngine } from './export-source.ts';
import { readExportSubject, type ExportSubject } from './export-subject.ts';
import type { ExportAbout, CreateExportWriter } from './export-writer.ts';
import { createJsonWriter } from './json.ts';
import { openPartialFile } from './partial-file.ts';
import type { PartialList } from './partial-list.ts';
import { toExportFileName } from './safe-file-name.ts';
import { writeExport } from './write-export.ts';

type ExportInput = Input<'exports/start'>;

const WRITERS: Readonly<Record<ExportInput['format'], CreateExportWriter>> = {
  csv: createCsvWriter,
  json: createJsonWriter,
};
/** Finished exports that can still be revealed; as many as the registry keeps ended tasks. */
const FINISHED_KEPT = 50;

export interface Exporter {
  /** Asks the host for a target and starts the export; null when the user closed the dialog. Throws `cache.*`. */
  start(input: ExportInput): Promise<{ taskId: string | null }>;
  /** Shows a finished export. Throws `tasks.not-found`. */
  reveal(taskId: string): Promise<{ downloadPath: string | null }>;
}

/** Exports snapshots and periods to files: streamed, under a partial name until they are whole. */
export function createExporter(options: {
  cache: ExportCache;
  engine: ExportEngine;
  tasks: TaskRegistry;
  host: Pick<Host, 'chooseExportTarget' | 'revealExport'>;
  partials: PartialList;
  /** The names of a connection's channels, services and actions; none for one that is gone. */
  listNames(connectionId: string): readonly ValueName[];
  now(): number;
  logger: Logger;
}): Exporter {
  const { cache, engine, tasks, host, partials, listNames, now, logger } = options;
  const finished = new Map<string, string>();

  async function run(
    input: ExportInput,
    subject: ExportSubject,
    target: string,
    task: TaskHandle,
  ): Promise<void> {
    task.signal.throwIfAborted();
    const file = await openPartialFile(target, now());
    await partials.add(target);
    try {
      await withExportSource({ cache, engine }, subject.report, input, task.signal, async (source) => {
        const about = toAbout(subject, source.rowCount, now());
        const columns =
          input.includeNames === true
            ? addNameColumns(source.columns, subject.report, listNames(subject.connectionId))
            : source.columns;
        const writer = WRITERS[input.format](columns, about);
        const onProgress = (done: number): void => task.progress(done, source.rowCount);
        onProgress(0);
        await writeExport({ source, writer, file, signal: task.signal, onProgress });
        const { bytes, sha256 } = await file.commit();
        task.update({ fileName: basename(target), fileBytes: bytes, fileSha256: sha256 });
        logger.info('An export was written.', {
          taskId: task.id,
          snapshotId: subject.snapshotId,
          format: input.format,
          recordCount: source.rowCount,
          replacedCharacters: writer.countReplaced(),
          bytes,
          sha256,
        });
      });
    } finally {
      await file.discard();
      await partials.remove(target);
    }
    finished.set(task.id, target);
    for (const taskId of [...finished.keys()].slice(0, -FINISHED_KEPT)) finished.delete(taskId);
  }

  return {
    async start(input) {
      const subject = await readExportSubject(cache, input.scope);
      const target = await host.chooseExportTarget(toExportFileName(subject, input.format));
      if (target === null) return { taskId: null };
      const { connectionId, snapshotId, recordCount: total } = subject;
      const task = tasks.start({ kind: 'export', connectionId, snapshotId, total }, (handle) =>
        run(input, subject, target, handle),
      );
      return { taskId: task.id };
    },
    async reveal(taskId) {
      const target = finished.get(taskId);
      if (target === undefined) {
        throw new AppError('tasks.not-found', 'There is no finished export of this task.', { taskId });
      }
      return { downloadPath: await host.revealExport(target) };
    },
  };
}

function toAbout(subject: ExportSubject, recordCount: number, nowMs: number): ExportAbout {
  const { report, tenant, period, state } = subject;
  const { startDate, endDate, zone } = period;
  const exportedAt = new Date(nowMs).toISOString();
  return { report, tenant, startDate, endDate, zone, state, recordCount, exportedAt };
}
