import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Input, OperationName, Output } from '../../../src-main/common/contract/index.ts';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../../src-main/common/reporting/reports.ts';
import { createCore, type Core } from '../../../src-main/core/create-core.ts';
import { createInMemorySecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import words from '../../../src-renderer/messages/en/window/errors.json' with { type: 'json' };
import { createTestHost } from '../../support/application/test-host.ts';

const DRAFT = {
  name: 'One',
  baseAddress: 'http://127.0.0.1:9',
  tenant: 7,
  serviceZone: 'UTC',
  reportIdentifiers: SPECIFIED_REPORT_IDENTIFIERS,
  pageSize: 100,
};
const SECRETS = { accessToken: 'user-part', accessTokenSecret: 'secret-part' };
const MUTE = { untilMs: null };

let parent: string;
let folder: string;
let away: string;
let core: Core;
let removeOther: () => Promise<void>;

const start = async (): Promise<Core> => {
  const { host, remove } = await createTestHost();
  await remove();
  removeOther = remove;
  const store = createInMemorySecretStore();
  return createCore(
    { ...host, dataFolder: folder },
    { byItself: 'nothing', openSecretStore: () => Promise.resolve({ store, failure: null }) },
  );
};
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'channelscope-gone-'));
  [folder, away] = [join(parent, 'data'), join(parent, 'away')];
  await mkdir(folder);
  core = await start();
});
afterEach(async () => {
  await core.stop();
  await removeOther();
  await rm(parent, { recursive: true, force: true, maxRetries: 5 });
});

async function ask<Name extends OperationName>(name: Name, input: Input<Name>): Promise<Output<Name>> {
  const answer = await core.call(name, input);
  if (!answer.ok) throw Object.assign(new Error(answer.error.message), answer.error);
  return answer.value as Output<Name>;
}
const listSaves = (connectionId: string): readonly (() => Promise<unknown>)[] => [
  () => ask('settings/update', { theme: 'dark' }),
  () => ask('connections/save', { connectionId: null, draft: { ...DRAFT, name: 'Two' }, secrets: SECRETS }),
  () => ask('connections/remove', { connectionId }),
  () => ask('alerts/mute-connection', { connectionId, mute: MUTE }),
];

it('nothing is saved in a folder that is gone, nor in one that took its place; put back, all goes on', async () => {
  const { id: connectionId } = await ask('connections/save', {
    connectionId: null,
    draft: DRAFT,
    secrets: SECRETS,
  });
  await rename(folder, away);
  for (const state of ['gone', 'another one']) {
    if (state === 'another one') await mkdir(folder);
    for (const [place, save] of listSaves(connectionId).entries()) {
      const error: unknown = await save().catch((reason: unknown) => reason);
      expect({ state, place, error }).toMatchObject({ error: { code: 'cache.folder-gone' } });
    }
  }
  expect(words.cache['folder-gone'].text).toContain('Nothing was saved');
  expect(await readdir(folder)).toEqual([]);
  expect((await ask('settings/get', null)).theme).not.toBe('dark');
  expect((await ask('connections/list', null)).map(({ name }) => name)).toEqual(['One']);
  expect((await ask('alerts/list', null)).mutes).toEqual([]);

  await rm(folder, { recursive: true });
  await rename(away, folder);
  await ask('settings/update', { theme: 'dark' });
  await ask('alerts/mute-connection', { connectionId, mute: MUTE });
  await ask('connections/save', { connectionId: null, draft: { ...DRAFT, name: 'Two' }, secrets: SECRETS });
  await core.stop();
  core = await start();
  expect((await ask('settings/get', null)).theme).toBe('dark');
  expect((await ask('connections/list', null)).map(({ name }) => name)).toEqual(['One', 'Two']);
  expect((await ask('alerts/list', null)).mutes).toHaveLength(1);
});
