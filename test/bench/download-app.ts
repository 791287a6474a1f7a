import { readFile } from 'node:fs/promises';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import type { Download } from '../../src-main/common/model/cache/download.ts';
import type { Period } from '../../src-main/common/model/period.ts';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../src-main/common/reporting/reports.ts';
import { createCore } from '../../src-main/core/create-core.ts';
import { createInMemorySecretStore } from '../../src-main/core/secrets/secret-store.ts';
import { createTestHost } from '../support/application/test-host.ts';

/** What the bench hands to this process. */
export interface DownloadAppInput {
  readonly dataFolder: string;
  /** Path of the cache's built thread. */
  readonly cacheThread: string;
  /** Whether the analysis engine is fed meanwhile. */
  readonly isFed: boolean;
  readonly url: string;
  readonly tenant: number;
  readonly accessToken: string;
  readonly accessTokenSecret: string;
  readonly pageSize: number;
  /** Walks at once at most; 0 for as many as make it faster. */
  readonly walks: number;
  readonly period: Period;
}
/** What this process measured of itself. */
export interface DownloadAppFigures {
  readonly recordCount: number;
  readonly state: string;
  /** Code of what ended it; null for nothing. */
  readonly failure: string | null;
  readonly ms: number;
  readonly longestPauseMs: number;
  /** From the end of the download until all its records could be queried; null while the engine rests. */
  readonly behindMs: number | null;
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
      rows: cache,
      engine: new URL(
        input.isFed
          ? '../../src-main/core/analysis/engine/engine-process.ts'
          : '../../test/bench/idle-process.ts',
        import.meta.url,
      ),
      imports: cache,
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
  const { url: baseAddress, tenant, accessToken, accessTokenSecret, pageSize, walks, period } = input;
  const reportIdentifiers = SPECIFIED_REPORT_IDENTIFIERS;
  const connection = (await ask('connections/save', {
    connectionId: null,
    draft: { name: 'Bench', baseAddress, tenant, serviceZone: 'UTC', reportIdentifiers, pageSize, walks },
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
  const { recordCount, snapshotState: state, snapshotId } = download;
  const longestPauseMs = pauses.max / 1e6;
  let behindMs: number | null = null;
  if (input.isFed) {
    const scope = { snapshotId };
    await ask('records/open-view', {
      scope,
      filter: { conditions: [] },
      order: [{ column: 'received', descending: true }],
    });
    behindMs = performance.now() - from - ms;
  }
  await core.stop();
  const failure = download.failure?.code ?? null;
  return { recordCount, state, failure, ms, longestPauseMs, behindMs, peakBytes: await readPeakBytes() };
}

async function readPeakBytes(): Promise<number | null> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
  const kib = /^VmHWM:\s+(\d+) kB/m.exec(status)?.[1];
  return kib === undefined ? null : Number(kib) * 1024;
}

const figures = await run(JSON.parse(process.argv[2] ?? '') as DownloadAppInput);
process.stdout.write(JSON.stringify(figures));
