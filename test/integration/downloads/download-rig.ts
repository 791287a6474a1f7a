import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import type { Input, OperationName, Output } from '../../../src-main/common/contract/index.ts';
import type { Download } from '../../../src-main/common/model/cache/download.ts';
import type { Period } from '../../../src-main/common/model/period.ts';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import type { Task } from '../../../src-main/common/model/cache/task.ts';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../../src-main/common/reporting/reports.ts';
import { toWireDate } from '../../../src-main/common/reporting/wire-documents.ts';
import { createDetailReader } from '../../../src-main/core/cache/read/read-records.ts';
import { createSnapshotReader } from '../../../src-main/core/cache/read/snapshot-rows.ts';
import { createCore, type Core } from '../../../src-main/core/create-core.ts';
import type { Host } from '../../../src-main/core/host.ts';
import { createInMemorySecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { walkReport } from '../../support/service/service-calls.ts';
import { listReceived } from '../cache/cache-fixture.ts';
import { createTestHost } from '../../support/application/test-host.ts';

export const DAY_MS = 86_400_000;

export interface DownloadRig {
  /** The connection that was made last. */
  readonly connectionId: string;
  readonly dataFolder: string;
  readonly network: TestNetwork;
  ask<Name extends OperationName>(name: Name, input: Input<Name>): Promise<Output<Name>>;
  start(period: Period, change?: Partial<Input<'downloads/start'>>): Promise<Output<'downloads/start'>>;
  whenTaskEnds(taskId: string): Promise<Task>;
  readDownload(snapshotId: number): Promise<Download>;
  readSnapshot(snapshotId: number): Promise<Snapshot>;
  /** Settles once the download is as wanted; polled. */
  until(snapshotId: number, isWanted: (download: Download) => boolean): Promise<Download>;
  /** Connects to another service in place of the last one, over an undisturbed network. */
  connect(service: TestedService, pageSize?: number): Promise<void>;
  /** Ends the core and starts it again on the same folder and secrets. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A network between core and service that a test can take down, slow down, or replace. */
export interface TestNetwork {
  /** Page requests that were let through, or responded to here. */
  readonly pages: { size: number; lastDocument: string; startDate: string }[];
  isDown: boolean;
  /** Responds to a page request instead of the service; undefined lets it through. */
  answer: ((body: { size: number; lastDocument: string }) => Response | undefined) | null;
  /** Waited for before each page request is let through. */
  before: ((pageNumber: number) => Promise<void>) | null;
}

function createNetwork(): { network: TestNetwork; fetch: Host['fetch'] } {
  const network: TestNetwork = { pages: [], isDown: false, answer: null, before: null };
  const fetch: Host['fetch'] = async (input, init) => {
    const fail = (): never => {
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }),
      });
    };
    if (network.isDown) fail();
    if (
      (input instanceof Request ? input.url : input.toString()).includes('ExecuteReport') &&
      typeof init?.body === 'string'
    ) {
      const body = JSON.parse(init.body) as TestNetwork['pages'][number];
      network.pages.push(body);
      await network.before?.(network.pages.length);
      init.signal?.throwIfAborted();
      if (network.isDown) fail();
      const answer = network.answer?.(body);
      if (answer !== undefined) return answer;
    }
    return globalThis.fetch(input, init);
  };
  return { network, fetch };
}

type TestedService = Pick<RunningService, 'url' | 'tenant' | 'accessToken' | 'accessTokenSecret'>;

/** The real core with a connection to a real service, pages of 100 unless given. */
export async function startRig(service: TestedService, pageSize?: number): Promise<DownloadRig> {
  const rig = await startUnconnectedRig();
  await rig.connect(service, pageSize);
  return rig;
}

/** The real core, which is connected later. */
export async function startUnconnectedRig(): Promise<DownloadRig> {
  const { network, fetch } = createNetwork();
  const { host, remove } = await createTestHost({ fetch });
  const secrets = createInMemorySecretStore();
  const open = (): Promise<Core> =>
    createCore(host, { openSecretStore: () => Promise.resolve({ store: secrets, failure: null }) });
  let core = await open();
  const ask: DownloadRig['ask'] = async (name, input) => {
    const answer = await core.call(name, input);
    if (!answer.ok) throw Object.assign(new Error(`${name}: ${answer.error.code}`), answer.error);
    return answer.value as never;
  };
  let connectionId = '';
  const readDownload = async (snapshotId: number): Promise<Download> => {
    const found = (await ask('downloads/list', { connectionId })).find(
      (each) => each.snapshotId === snapshotId,
    );
    if (found === undefined) throw new Error(`No download of snapshot ${snapshotId}.`);
    return found;
  };
  return {
    get connectionId() {
      return connectionId;
    },
    dataFolder: host.dataFolder,
    network,
    ask,
    start: (period, change = {}) =>
      ask('downloads/start', { connectionId, report: 'inbound-detail', period, ...change }),
    whenTaskEnds: (taskId) => ask('tasks/wait', { taskId }),
    readDownload,
    readSnapshot: (snapshotId) => ask('snapshots/get', { snapshotId }),
    until: async (snapshotId, isWanted) => {
      await expect.poll(async () => isWanted(await readDownload(snapshotId)), { timeout: 20_000 }).toBe(true);
      return readDownload(snapshotId);
    },
    connect: async ({ accessToken, accessTokenSecret, ...service }, pageSize = 100) => {
      Object.assign(network, { isDown: false, answer: null, before: null });
      network.pages.length = 0;
      const saved = await ask('connections/save', {
        connectionId: null,
        draft: {
          name: `Test ${service.url}`,
          baseAddress: service.url,
          tenant: service.tenant,
          serviceZone: 'UTC',
          reportIdentifiers: SPECIFIED_REPORT_IDENTIFIERS,
          pageSize,
        },
        secrets: { accessToken, accessTokenSecret },
      });
      if (connectionId !== '') await ask('connections/remove', { connectionId });
      connectionId = saved.id;
    },
    restart: async () => {
      await core.stop();
      core = await open();
    },
    stop: async () => {
      await core.stop();
      await remove();
    },
  };
}

/** The last whole days before now, in UTC. */
export function lastDays(days: number, endMs = Math.floor(Date.now() / 1000) * 1000 - 3_600_000): Period {
  const fromMs = endMs - days * DAY_MS;
  const write = (ms: number): string => toWireDate(ms, 'UTC');
  return { fromMs, toMs: endMs, zone: 'UTC', startDate: write(fromMs), endDate: write(endMs) };
}

/**
 * The remarks of a snapshot, but for those about records that were sent for the second after a period or of its slices,
 * and left out: whether a record falls into that second is chance.
 */
export const remarksOf = ({ remarks }: Pick<Snapshot, 'remarks'>): Snapshot['remarks'] =>
  remarks.filter(({ code }) => code !== 'after-period' && code !== 'seen-at-cut');

type Fields = readonly (string | number | null)[];

/** What the service holds of the period, in its order. */
export async function readFromService(
  service: Pick<RunningService, 'url' | 'tenant'>,
  period: Period,
): Promise<Fields[]> {
  const { startDate, endDate } = period;
  const documents = await walkReport<Record<string, string | number>>(
    service,
    'inbound-detail',
    { startDate, endDate },
    10_000,
  );
  return documents.map((each) => [
    each['Id']!,
    each['Date']!,
    each['Client']!,
    each['ReponseTime']!,
    each['Payload']!,
  ]);
}

/** What lies in the cache of a snapshot, in the order received. */
export function readFromCache(dataFolder: string, snapshotId: number): Fields[] {
  const file = join(dataFolder, 'cache.sqlite');
  const database = new Database(file, { readonly: true });
  try {
    const snapshot = createSnapshotReader(database).get(snapshotId);
    const readRecord = createDetailReader(database);
    return listReceived(file, snapshotId).map((seq) => {
      const { sessionId, dateText, client, responseTimeMs, payload } = readRecord(snapshot, seq);
      return [sessionId, dateText, client, responseTimeMs, payload] as Fields;
    });
  } finally {
    database.close();
  }
}
