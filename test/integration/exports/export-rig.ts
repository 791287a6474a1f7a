import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Input } from '../../../src-main/common/contract/index.ts';
import type { Task } from '../../../src-main/common/model/cache/task.ts';
import type { RecordDetail } from '../../../src-main/common/model/records/record.ts';
import type { SqlCell } from '../../../src-main/common/model/records/sql.ts';
import { createExporter, type Exporter } from '../../../src-main/core/exports/create-exporter.ts';
import { createTaskRegistry } from '../../../src-main/core/tasks/task-registry.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { createFakeExportParts, createSnapshotOf } from '../../support/fakes/fake-export-parts.ts';
import { holdSnapshots, openLedger } from '../../support/fakes/open-ledger.ts';
import { createSilentLogger } from '../../support/fakes/silent-logger.ts';
import { ENGLISH } from '../../../src-main/common/words/words.ts';
import { NO_CASES } from '../../support/fakes/no-cases.ts';

export const RECORDS_INPUT: Input<'exports/start'> = {
  scope: { snapshotId: 1 },
  format: 'csv',
  filter: { conditions: [] },
  order: [{ column: 'received', descending: false }],
  includePayload: true,
};

interface Written {
  readonly file: string;
  readonly task: Task;
  readonly suggested: string;
}

/** An exporter over given records that writes `chosen.file` in a folder. */
export function createExportRig(options: {
  readonly folder: string;
  readonly records?: RecordDetail[];
  readonly result?: SqlCell[][];
  readonly nowMs?: number;
  /** What following has yet to fetch. */
  readonly followed?: TimeSpan;
}): {
  readonly exporter: Exporter;
  readonly write: (input: Input<'exports/start'>) => Promise<Written>;
  readonly writeResult: (input: Input<'exports/start-result'>) => Promise<Written>;
  readonly openViews: () => number;
} {
  const { folder, nowMs = Date.UTC(2026, 10, 20, 8), followed, ...content } = options;
  const file = join(folder, 'chosen.file');
  const parts = createFakeExportParts({ report: 'inbound-detail', ...content });
  const logger = createSilentLogger();
  const tasks = createTaskRegistry({ now: () => Date.now(), emit: () => undefined, logger });
  let suggested = '';
  const exporter = createExporter({
    cases: NO_CASES,
    pseudonymKey: new Uint8Array(32),
    ...parts,
    ...(followed === undefined
      ? {}
      : {
          ledger: openLedger(holdSnapshots([createSnapshotOf('inbound-detail', 1)]), {
            findFollowed: () => Promise.resolve(followed),
          }),
        }),
    emit: () => undefined,
    tasks,
    logger,
    now: () => nowMs,
    version: '1.2.3',
    host: {
      kind: 'desktop',
      chooseExportTarget: (name) => {
        suggested = name;
        return Promise.resolve(file);
      },
      printPdf: (_source, target) => writeFile(target, '%PDF'),
      revealExport: () => Promise.resolve(null),
    },
    partials: { add: () => Promise.resolve(), remove: () => Promise.resolve() },
    listNames: () => [],
    findTenant: () => 1001,
    findConnection: () => ({
      kind: 'remote' as const,
      name: 'Work',
      baseAddress: 'https://reports.example',
      tenant: 1001,
    }),
    readWords: () => ENGLISH,
  });
  const finish = async ({ taskId }: { taskId: string | null }): Promise<Written> => {
    const task = await tasks.whenEnded(taskId ?? '');
    return { file, task, suggested };
  };
  return {
    exporter,
    write: async (input) => finish(await exporter.start(input)),
    writeResult: async (input) => finish(await exporter.startResult(input)),
    openViews: () => parts.openViews,
  };
}
