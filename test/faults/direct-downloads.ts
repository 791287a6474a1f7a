import { onTestFinished } from 'vitest';
import type { Output } from '../../src-main/common/contract/index.ts';
import type { Snapshot } from '../../src-main/common/model/cache/snapshot.ts';
import type { Period } from '../../src-main/common/model/period.ts';
import { SPECIFIED_REPORT_IDENTIFIERS, type DetailKind } from '../../src-main/common/reporting/reports.ts';
import { toRecordId } from '../../src-main/common/model/records/record.ts';
import type { SavedConnection } from '../../src-main/core/connections/connection-file.ts';
import type { ConnectionStore } from '../../src-main/core/connections/create-connections.ts';
import {
  createReportingClient,
  type ReportingClientOptions,
} from '../../src-main/core/client/create-reporting-client.ts';
import {
  createDownloads,
  createDownloadsHandlers,
} from '../../src-main/core/downloads/downloads-handlers.ts';
import type { LogFields, Logger } from '../../src-main/core/logging/logger.ts';
import { createTaskRegistry } from '../../src-main/core/tasks/task-registry.ts';
import { createFolder, listReceived, openTestCache } from '../integration/cache/cache-fixture.ts';
import { createSkipClock } from '../support/fakes/skip-clock.ts';
import { requireDetailKind } from '../../src-main/core/cache/read/record-tables.ts';
import { serviceFetch } from '../support/electron/service-fetch.ts';
import { openLedger } from '../support/fakes/open-ledger.ts';

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

/**
 * The real downloads, client and cache against an address; waits are skipped, log lines are kept. The connection is
 * named `one`; any other one has an address of its own, named as it is, below the given one.
 */
export async function createDirectDownloads(
  baseAddress: string,
  change: Partial<ReportingClientOptions> = {},
  clock = createSkipClock(),
  atEnd: (work: () => Promise<void>) => void = onTestFinished,
) {
  const { file, remove } = await createFolder();
  const cache = await openTestCache(file);
  const lines: LogLine[] = [];
  const logger = createCollectingLogger(lines, clock.now);
  const tasks = createTaskRegistry({ now: clock.now, emit: () => undefined, logger });
  const one: SavedConnection = {
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
  const moved = new Map<string, Partial<SavedConnection>>();
  const get = (id: string): SavedConnection => ({
    ...one,
    id,
    baseAddress: id === one.id ? baseAddress : `${baseAddress}/${id}`,
    ...moved.get(id),
  });
  const createClient = (id: string) =>
    createReportingClient({
      target: { ...get(id), connectionId: id },
      secrets: () => Promise.resolve({ accessToken: 'user-part', accessTokenSecret: 'secret-part' }),
      fetch: serviceFetch,
      clock,
      random: () => 0.5,
      logger,
      ...change,
    });
  const client = createClient(one.id);
  const clients = new Map([[one.id, client]]);
  const clientFor = (id: string) => {
    const known = clients.get(id) ?? createClient(id);
    clients.set(id, known);
    return known;
  };
  const connections = { get, clientFor } as unknown as ConnectionStore;
  const shared = { cache, connections, tasks, now: clock.now };
  const downloads = createDownloads({
    ...shared,
    emit: () => undefined,
    logger,
    clock: { now: clock.now, wait: clock.sleep },
    random: () => 0.5,
  });
  const ledger = openLedger(cache, {
    connections,
    now: clock.now,
    findTask: (snapshotId) => downloads.runner.findActive(snapshotId),
  });
  const handlers = createDownloadsHandlers({ ...shared, ...downloads, ledger, readFreeBytes: () => null });
  atEnd(async () => {
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
    /** Saves a connection with changes; without any it is as it was at first. */
    change: (connectionId: string, changes: Partial<SavedConnection>): void => {
      moved.set(connectionId, changes);
      clients.delete(connectionId);
    },
    /** Downloads a report and returns its snapshot as it ended. */
    download: async (
      report: DetailKind,
      period: Period,
      connectionId = one.id,
      sliceDays: number | null | 'best' = null,
    ): Promise<Snapshot> =>
      end(
        await handlers['downloads/start']({
          ...{ connectionId, report, period },
          ...(sliceDays === 'best' ? {} : { sliceDays }),
        }),
      ),
    /** Downloads what of a span is not cached; returns the snapshots as they ended. */
    fillGaps: async (
      report: DetailKind,
      span: { readonly fromMs: number; readonly toMs: number },
      connectionId = one.id,
    ): Promise<Snapshot[]> =>
      Promise.all((await handlers['downloads/fetch-gaps']({ connectionId, report, ...span })).map(end)),
    readCertificate: (snapshotId: number) => handlers['downloads/read-certificate']({ snapshotId }),
    /** Goes on with a download that was paused or ended early. */
    resume: async (snapshotId: number): Promise<Snapshot> =>
      end(await handlers['downloads/resume']({ snapshotId })),
    /** The payloads of a snapshot, in its order. */
    readPayloads: async (snapshotId: number): Promise<string[]> => {
      const { report } = await cache.getSnapshot(snapshotId);
      const seqs = listReceived(file, snapshotId);
      const payloads: string[] = [];
      while (payloads.length < seqs.length) {
        const ids = seqs
          .slice(payloads.length, payloads.length + 1000)
          .map((seq) => toRecordId(snapshotId, seq));
        const batch = await cache.readExportBatch({
          report: requireDetailKind(report),
          ids,
          includePayload: true,
        });
        payloads.push(...batch.map(({ payload }) => payload));
      }
      return payloads;
    },
  };
}
