import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../../src-main/common/reporting/reports.ts';
import type { Download } from '../../../src-main/common/model/cache/download.ts';
import type { Period } from '../../../src-main/common/model/period.ts';
import { createCore } from '../../../src-main/core/create-core.ts';
import { createInMemorySecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import { createTestHost } from '../../support/application/test-host.ts';

/** What the test hands to this process: where, from whom, and what to download when nothing is under way. */
export interface KilledRun {
  readonly dataFolder: string;
  readonly url: string;
  readonly tenant: number;
  readonly accessToken: string;
  readonly accessTokenSecret: string;
  readonly pageSize: number;
  readonly period: Period;
  readonly sliceDays: number | null;
}

const run = JSON.parse(process.argv[2] ?? '') as KilledRun;
/** An earlier life may have left pages: only those that this one stores are told. */
const isResumed = existsSync(join(run.dataFolder, 'connections.json'));
const pagesOf = new Map<number, number>();
const { host, remove } = await createTestHost({ dataFolder: run.dataFolder });
await remove();
const { accessToken, accessTokenSecret } = run;
const store = createInMemorySecretStore();
// The keychain outlives the process; this one can't.
const secrets = {
  ...store,
  get: (_connectionId: string, name: string) =>
    Promise.resolve(name === 'accessToken' ? accessToken : accessTokenSecret),
};
const core = await createCore(host, {
  openSecretStore: () => Promise.resolve({ store: secrets, failure: null }),
});
const ask = async (...[name, input]: Parameters<typeof core.call>): Promise<unknown> => {
  const answer = await core.call(name, input);
  if (!answer.ok) throw new Error(`${name}: ${answer.error.code}`);
  return answer.value;
};
let ended = 0;
core.on((name, payload) => {
  if (name === 'snapshots/changed') {
    const before = pagesOf.get(payload.id) ?? (isResumed ? payload.pageCount : 0);
    if (payload.pageCount > before) process.stdout.write('.');
    pagesOf.set(payload.id, payload.pageCount);
  }
  if (name === 'downloads/changed' && payload.state === 'ended') {
    ended += 1;
    process.stdout.write('!');
  }
});
const known = (await ask('connections/list', null)) as { id: string }[];
const [connection] =
  known.length > 0
    ? known
    : [
        (await ask('connections/save', {
          connectionId: null,
          draft: {
            name: 'Test',
            baseAddress: run.url,
            tenant: run.tenant,
            serviceZone: 'UTC',
            reportIdentifiers: SPECIFIED_REPORT_IDENTIFIERS,
            pageSize: run.pageSize,
            // Slices are read side by side.
            walks: 6,
          },
          secrets: { accessToken, accessTokenSecret },
        })) as { id: string },
      ];
const downloads = (await ask('downloads/list', { connectionId: null })) as Download[];
if (ended === 0 && downloads.every(({ state }) => state === 'ended')) {
  const { period, sliceDays } = run;
  await ask('downloads/start', { connectionId: connection?.id, report: 'inbound-detail', period, sliceDays });
}
