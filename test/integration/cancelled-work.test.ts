import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Input, OperationName, Output } from '../../src-main/common/contract/index.ts';
import type { ConnectionDraft } from '../../src-main/common/model/connections/connection.ts';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../src-main/common/reporting/reports.ts';
import { createCore, type Core } from '../../src-main/core/create-core.ts';
import { createInMemorySecretStore } from '../../src-main/core/secrets/secret-store.ts';
import { createTestHost } from '../support/application/test-host.ts';

const SECRETS = { accessToken: 'one', accessTokenSecret: 'two' };
const PERIOD = {
  startDate: '2026-11-20 00:00:00',
  endDate: '2026-11-20 23:59:59',
  fromMs: Date.UTC(2026, 10, 20),
  toMs: Date.UTC(2026, 10, 20, 23, 59, 59),
  zone: 'UTC',
};

let core: Core;
let remove: () => Promise<void>;
let server: Server;
let draft: ConnectionDraft;
let connectionId: string;
/** Requests that the service never responds to, and those of them whose connection was closed. */
let hanging: string[];
let closed: string[];
let hangsOn: 'tokens' | 'reports';

async function ask<Name extends OperationName>(name: Name, input: Input<Name>): Promise<Output<Name>> {
  const answer = await core.call(name, input);
  if (!answer.ok) throw Object.assign(new Error(`${name}: ${answer.error.code}`), answer.error);
  return answer.value as Output<Name>;
}

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path.toLowerCase().includes('token') && hangsOn === 'reports') {
      response.setHeader('content-type', 'application/json').end('{"token":"t"}');
      return;
    }
    hanging.push(path);
    response.once('close', () => closed.push(path));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { host, remove: removeHost } = await createTestHost();
  remove = removeHost;
  const store = createInMemorySecretStore();
  core = await createCore(host, { openSecretStore: () => Promise.resolve({ store, failure: null }) });
  draft = {
    name: 'Hanging',
    baseAddress: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tenant: 1,
    serviceZone: 'UTC',
    reportIdentifiers: { ...SPECIFIED_REPORT_IDENTIFIERS },
    pageSize: 100,
  };
  // The status is requested on demand only.
  await ask('settings/update', { refreshSeconds: 0 });
}, 60_000);
afterAll(async () => {
  await core.stop();
  server.closeAllConnections();
  server.close();
  await remove();
});
beforeEach(async () => {
  hanging = [];
  closed = [];
  hangsOn = 'reports';
  // A client of its own, which holds no token yet.
  ({ id: connectionId } = await ask('connections/save', { connectionId: null, draft, secrets: SECRETS }));
});

const starts = {
  'summaries/start-fetch': () =>
    ask('summaries/start-fetch', { connectionId, direction: 'inbound', period: PERIOD }),
  'downloads/start-plan': () =>
    ask('downloads/start-plan', { connectionId, report: 'inbound-detail', period: PERIOD }),
  'connections/start-zone-check': () =>
    ask('connections/start-zone-check', { connectionId: null, draft, secrets: SECRETS }),
};

describe.each(Object.entries(starts))('%s', (_name, start) => {
  it.each(['reports', 'tokens'] as const)('ends its request for %s when it is cancelled', async (kind) => {
    hangsOn = kind;
    const { taskId } = await start();
    await expect.poll(() => hanging).toHaveLength(1);
    expect((await ask('tasks/list', null)).find(({ id }) => id === taskId)?.state).toBe('running');
    await ask('tasks/cancel', { taskId });
    expect(await ask('tasks/wait', { taskId })).toMatchObject({ state: 'cancelled', error: null });
    await expect.poll(() => closed).toEqual(hanging);
  });
});

it('a cancelled summary leaves a snapshot that says so', async () => {
  const { taskId, snapshotId } = await starts['summaries/start-fetch']();
  await expect.poll(() => hanging).toHaveLength(1);
  expect(await ask('snapshots/get', { snapshotId })).toMatchObject({ state: 'downloading' });
  await ask('tasks/cancel', { taskId });
  await ask('tasks/wait', { taskId });
  expect(await ask('snapshots/get', { snapshotId })).toMatchObject({
    state: 'failed',
    failure: 'app.cancelled',
  });
});

it('a connection that is removed ends the work for it', async () => {
  const { taskId } = await starts['downloads/start-plan']();
  await expect.poll(() => hanging).toHaveLength(1);
  await ask('connections/remove', { connectionId });
  expect(await ask('tasks/wait', { taskId })).toMatchObject({ state: 'cancelled' });
  await expect.poll(() => closed).toHaveLength(1);
});

it('waiting for an unknown task is refused', async () => {
  await expect(ask('tasks/wait', { taskId: 'none' })).rejects.toMatchObject({ code: 'tasks.not-found' });
});
