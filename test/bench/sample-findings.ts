import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { FindingsReport } from '../../src-main/common/model/analysis/finding.ts';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../src-main/common/reporting/reports.ts';
import { createCore } from '../../src-main/core/create-core.ts';
import { createInMemorySecretStore } from '../../src-main/core/secrets/secret-store.ts';
import { createTestHost } from '../support/application/test-host.ts';
import { measure, toQuantile } from './figure.ts';
import { SAMPLE_DAYS, toSamplePeriod } from './sample-period.ts';

const SERVICE = fileURLToPath(new URL('../../src-main/service/main.ts', import.meta.url));
const PAGE_SIZE = 5_000;
const ROUNDS = 9;

/** What was found, and the median time that it took. */
export interface SampleFindings {
  readonly ms: number;
  readonly findings: number;
}

/** Downloads thirty days of sample traffic in both directions, and measures how long its findings take the application. */
export async function measureSampleFindings(records: number): Promise<SampleFindings> {
  const folder = await mkdtemp(join(tmpdir(), 'channelscope-bench-'));
  const options = [
    '--port',
    '0',
    '--data',
    join(folder, 'service'),
    '--no-live',
    '--days',
    String(SAMPLE_DAYS),
  ];
  const service = spawn(process.execPath, [SERVICE, ...options, '--records', String(records)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const { host, remove } = await createTestHost();
  try {
    const [line] = (await once(createInterface({ input: service.stdout }), 'line')) as [string];
    const { url, tenant, ...secrets } = JSON.parse(line) as {
      url: string;
      tenant: number;
      accessToken: string;
      accessTokenSecret: string;
    };
    const store = createInMemorySecretStore();
    const core = await createCore(host, {
      openSecretStore: () => Promise.resolve({ store, failure: null }),
    });
    try {
      const ask = async (...[name, given]: Parameters<typeof core.call>): Promise<unknown> => {
        const answer = await core.call(name, given);
        if (!answer.ok) throw new Error(`${name}: ${answer.error.code}`);
        return answer.value;
      };
      const reportIdentifiers = SPECIFIED_REPORT_IDENTIFIERS;
      const { id: connectionId } = (await ask('connections/save', {
        connectionId: null,
        draft: {
          name: 'Bench',
          baseAddress: url,
          tenant,
          serviceZone: 'UTC',
          reportIdentifiers,
          pageSize: PAGE_SIZE,
        },
        secrets,
      })) as { id: string };
      const period = toSamplePeriod(Date.now());
      for (const report of ['inbound-detail', 'outbound-detail']) {
        const { promise: ended, resolve } = Promise.withResolvers<undefined>();
        core.on((name, payload) => {
          if (name === 'downloads/changed' && payload.state === 'ended') resolve(undefined);
        });
        await ask('downloads/start', { connectionId, report, period });
        await ended;
      }
      const find = async (): Promise<FindingsReport> =>
        (await ask('findings/list', { connectionId })) as FindingsReport;
      const { findings, resolved } = await find();
      const spans: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) spans.push((await measure(find)).ms);
      return { ms: toQuantile(spans, 0.5), findings: findings.length + resolved.length };
    } finally {
      await core.stop();
    }
  } finally {
    service.kill('SIGTERM');
    await remove();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
