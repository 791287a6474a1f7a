import { readFile } from 'node:fs/promises';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import type { Download } from '../../src-main/common/model/download.ts';
import type { Period } from '../../src-main/common/model/period.ts';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../src-main/common/reporting/reports.ts';
import { createCore } from '../../src-main/core/create-core.ts';
import { createInMemorySecretStore } from '../../src-main/core/secrets/in-memory-secret-store.ts';
import { createTestHost } from '../support/test-host.ts';

/** What the bench hands to this process. */
export interface DownloadAppInput {
  readonly dataFolder: string;
  /** Path of the cache's built thread. */
  readonly cacheThread: string;
  readonly url: string;
  readonly tenant: number;
  readonly accessToken: string;
  readonly accessTokenSecret: string;
  readonly pageSize: number;
  readonly period: Period;
}
/** What this process measured of itself. */
export interface DownloadAppFigures {
  readonly recordCount: number;
  readonly state: string;
  readonly ms: number;
  readonly longestPauseMs: number;
  /** Most memory that the process ever had resident; null where the system does not say. */
  readonly peakBytes: number | null;
}

/** The application alone in its process: downloads the period, prints the figures, and ends. */
async function run(input: DownloadAppInput): Promise<DownloadAppFigures> {
  const cache = pathToFileURL(input.cacheThread);
  const { host, remove } = await createTestHost({
    dataFolder: input.dataFolder,
    // No service runs in here.
    workers: {
      cache,
      service: cache,
      engine: new URL('../../src-main/core/analysis/engine/engine-process.ts', import.meta.url),
    },
  });
  await remove();
  const store = createInMemorySecretStore();
  const core = await createCore(host, {
    openSecretStore: () => Promise.resolve({ store, failure: null }),
  });
  const ask = async (...[name, given]: Parameters<typeof core.call>): Promise<unknown> => {
    const answer = await core.call(name, given);
    if (!answer.ok) throw new Error(`${name}: ${answer.error.code}`);
    return answer.value;
  };
  const { url: baseAddress, tenant, accessToken, accessTokenSecret, pageSize, period } = input;
  const reportIdentifiers = SPECIFIED_REPORT_IDENTIFIERS;
  const connection = (await ask('connections/save', {
    connectionId: null,
    draft: { name: 'Bench', baseAddress, tenant, serviceZone: 'UTC', reportIdentifiers, pageSize },
    secrets: { accessToken, accessTokenSecret },
  })) as { id: string };
  const { promise: ended, resolve } = Promise.withResolvers<Download>();
  core.on((name, payload) => {
    if (name === 'downloads/changed' && payload.state === 'ended') resolve(payload);
  });
  // The first call of a process loads the HTTP client; the application has asked for the status long before.
  await ask('status/refresh', { connectionId: connection.id });
  const pauses = monitorEventLoopDelay({ resolution: 1 });
  pauses.enable();
  const from = performance.now();
  await ask('downloads/start', { connectionId: connection.id, report: 'inbound-detail', period });
  const download = await ended;
  const ms = performance.now() - from;
  pauses.disable();
  await core.stop();
  const { recordCount, snapshotState: state } = download;
  return { recordCount, state, ms, longestPauseMs: pauses.max / 1e6, peakBytes: await readPeakBytes() };
}

async function readPeakBytes(): Promise<number | null> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
  const kib = /^VmHWM:\s+(\d+) kB/m.exec(status)?.[1];
  return kib === undefined ? null : Number(kib) * 1024;
}

const figures = await run(JSON.parse(process.argv[2] ?? '') as DownloadAppInput);
process.stdout.write(JSON.stringify(figures));
