import { onTestFinished } from 'vitest';
import type { Output } from '../../src-main/common/contract/index.ts';
import type { Snapshot } from '../../src-main/common/model/snapshot.ts';
import type { Period } from '../../src-main/common/model/period.ts';
import { SPECIFIED_REPORT_IDENTIFIERS, type DetailKind } from '../../src-main/common/reporting/reports.ts';
import type { SavedConnection } from '../../src-main/core/connections/connection-file.ts';
import type { ConnectionStore } from '../../src-main/core/connections/create-connections.ts';
import {
  createReportingClient,
  type ReportingClientOptions,
} from '../../src-main/core/client/create-reporting-client.ts';
import { createDownloads } from '../../src-main/core/downloads/create-downloads.ts';
import { createDownloadsHandlers } from '../../src-main/core/downloads/downloads-handlers.ts';
import type { LogFields, Logger } from '../../src-main/core/logging/logger.ts';
import { createTaskRegistry } from '../../src-main/core/tasks/create-task-registry.ts';
import { openTestCache, createFolder } from '../integration/cache/cache-fixture.ts';
import { createSkipClock } from '../support/skip-clock.ts';
import { toDetailKind, toRecordId } from '../../src-main/core/cache/read/record-tables.ts';

export interface LogLine {
  readonly atMs: number;
  readonly event: string;
  readonly fields: LogFields;
}

function createCollectingLogger(lines: LogLine[], now: () => number): Logger {
  const write = (event: string, fields: LogFields = {}): void =>
    void lines.push({ atMs: now(), event, fields });
  return { info: write, warn: write, error: write, child: () => createCollectingLogger(lines, now) };
}

const pageSize = 500;

/** The real downloads, client and cache against an address; waits are skipped, log lines are kept. */
export async function createDirectDownloads(
  baseAddress: string,
  change: Partial<ReportingClientOptions> = {},
  clock = createSkipClock(),
) {
  const { file, remove } = await createFolder();
  const cache = await openTestCache(file);
  const lines: LogLine[] = [];
  const logger = createCollectingLogger(lines, clock.now);
  const tasks = createTaskRegistry({ now: clock.now, emit: () => undefined, logger });
  const connection: SavedConnection = {
    id: 'one',
    name: 'One',
    kind: 'remote',
    baseAddress,
    tenant: 1001,
    serviceZone: 'UTC',
    reportIdentifiers: SPECIFIED_REPORT_IDENTIFIERS,
    pageSize,
    createdAtMs: 0,
  };
  const client = createReportingClient({
    target: { ...connection, connectionId: connection.id },
    secrets: () => Promise.resolve({ accessToken: 'user-part', accessTokenSecret: 'secret-part' }),
    fetch: globalThis.fetch,
    clock,
    random: () => 0.5,
    logger,
    ...change,
  });
  const connections = { get: () => connection, clientFor: () => client } as unknown as ConnectionStore;
  const shared = { cache, connections, tasks, now: clock.now };
  const downloads = createDownloads({
    ...shared,
    emit: () => undefined,
    logger,
    clock: { now: clock.now, wait: clock.sleep },
    random: () => 0.5,
  });
  const handlers = createDownloadsHandlers({ ...shared, ...downloads, readFreeBytes: () => null });
  onTestFinished(async () => {
    await tasks.stop();
    await cache.close();
    await remove();
  });

  const end = async (started: Output<'downloads/start'>): Promise<Snapshot> => {
    await tasks.whenEnded(started.taskId);
    return cache.getSnapshot(started.snapshotId);
  };
  return {
    cache,
    client,
    clock,
    lines,
    /** Downloads a report and returns its snapshot as it ended. */
    download: async (report: DetailKind, period: Period): Promise<Snapshot> =>
      end(await handlers['downloads/start']({ connectionId: connection.id, report, period })),
    /** Goes on with a download that was paused or ended early. */
    resume: async (snapshotId: number): Promise<Snapshot> =>
      end(await handlers['downloads/resume']({ snapshotId })),
    /** The payloads of a snapshot, in its order. */
    readPayloads: async (snapshotId: number): Promise<string[]> => {
      const { report, recordCount } = await cache.getSnapshot(snapshotId);
      const payloads: string[] = [];
      while (payloads.length < recordCount) {
        const ids = Array.from({ length: Math.min(1000, recordCount - payloads.length) }, (_, place) =>
          toRecordId(snapshotId, payloads.length + place),
        );
        const batch = await cache.readExportBatch({
          report: toDetailKind(report),
          ids,
          includePayload: true,
        });
        payloads.push(...batch.map(({ payload }) => payload));
      }
      return payloads;
    },
  };
}
