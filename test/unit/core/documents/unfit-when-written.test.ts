import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Type } from 'typebox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../../../src-main/common/reporting/reports.ts';
import {
  createAlertFile,
  createAlertMemory,
  openAlertBook,
} from '../../../../src-main/core/alerts/alert-book.ts';
import type { ReportingClient } from '../../../../src-main/core/client/reporting-client.ts';
import {
  createConnectionFile,
  type SavedConnection,
} from '../../../../src-main/core/connections/connection-file.ts';
import { createConnections } from '../../../../src-main/core/connections/create-connections.ts';
import { openListFile } from '../../../../src-main/core/documents/json-file.ts';
import { createInMemorySecretStore } from '../../../../src-main/core/secrets/secret-store.ts';
import { createSettings } from '../../../../src-main/core/settings/create-settings.ts';
import { createSilentLogger } from '../../../support/fakes/silent-logger.ts';
import { draftOf, errorShare } from '../alerts/alert-rig.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-unfit-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const logger = createSilentLogger();
const now = (): number => 7;
const read = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(folder, name), 'utf8'));

function openConnections() {
  return createConnections({
    file: createConnectionFile(folder, now, logger),
    secrets: createInMemorySecretStore(),
    emit: () => undefined,
    logger,
    now,
    createClient: () => ({}) as ReportingClient,
  });
}

const PLACE: SavedConnection = {
  id: 'place',
  kind: 'imported',
  name: 'Imported',
  baseAddress: 'https://reports.example.com',
  tenant: 1,
  serviceZone: 'UTC',
  reportIdentifiers: { ...SPECIFIED_REPORT_IDENTIFIERS },
  pageSize: 10,
  createdAtMs: 1,
};

describe('what could not be read again is set aside as it is written', () => {
  it.each([
    ['an address too long', { baseAddress: `https://${'x'.repeat(3000)}` }],
    ['a tenant beyond 2^53', { tenant: 1e300 }],
    ['a zone that is none', { serviceZone: 'Nowhere/At-all' }],
    ['a number that JSON has no word for', { createdAtMs: NaN }],
  ])('a connection with %s', async (_what, change) => {
    const connections = await openConnections();
    await connections.keepImportedPlace(PLACE);
    await connections.keepImportedPlace({ ...PLACE, ...change, id: 'unfit', name: 'Odd' });
    expect((await connections.list()).map(({ id }) => id)).toEqual(['place']);
    expect(connections.listSetAside().names).toEqual(['Odd']);
    const again = await openConnections();
    expect((await again.list()).map(({ id }) => id)).toEqual(['place']);
    expect(again.listSetAside().names).toEqual(['Odd']);
  });

  it('a rule', async () => {
    const rule = { ...draftOf('Errors', errorShare()), id: 'a', mute: null, madeAtMs: 1, savedAtMs: 2 };
    const open = () =>
      openAlertBook(createAlertFile(folder, now, logger), createAlertMemory(folder, now, logger));
    const book = await open();
    await book.saveRule(rule);
    await book.saveRule({ ...rule, id: 'b', savedAtMs: Infinity });
    const about = { nowMs: 5, checkedAtMs: null, lackingOf: new Map(), findRest: () => null };
    expect(book.listRules()).toEqual([rule]);
    expect(book.toBoard(about).setAside).toBe(1);
    expect((await open()).listRules()).toEqual([rule]);
  });

  it('a setting, which stays as it was', async () => {
    const open = () => createSettings({ folder, now, emit: () => undefined, logger });
    const settings = await open();
    await settings.update({ refreshSeconds: 15 });
    await settings.update({ lastConnectionId: 17 as never, theme: 'dark' });
    expect(settings.get()).toMatchObject({ refreshSeconds: 15, theme: 'dark', lastConnectionId: null });
    expect(settings.listSetAside().names).toEqual(['lastConnectionId']);
    expect((await open()).get()).toMatchObject({ refreshSeconds: 15, theme: 'dark' });
  });

  it('an entry of any list', async () => {
    const options = {
      path: join(folder, 'list.json'),
      schema: Type.Object({ a: Type.Integer() }),
      logger,
      now,
    };
    const file = await openListFile(options);
    const bad = { a: NaN };
    expect(await file.save([{ a: 1 }, bad])).toEqual([bad]);
    expect(await file.save([{ a: 2 }])).toEqual([]);
    expect(await read('list.json')).toEqual({ version: 1, entries: [{ a: 2 }, { a: null }] });
    expect((await openListFile(options)).entries).toEqual([{ a: 2 }]);
  });
});

it('a connection whose zone this computer does not know is set aside, and said', async () => {
  const saved = { version: 1, connections: [{ ...PLACE, serviceZone: 'Nowhere/At-all' }] };
  await writeFile(join(folder, 'connections.json'), JSON.stringify(saved));
  const connections = await openConnections();
  expect(await connections.list()).toEqual([]);
  expect(connections.listSetAside().names).toEqual(['Imported']);
});

it('a name of blanks is refused, for a connection of either kind', async () => {
  const connections = await openConnections();
  await connections.keepImportedPlace(PLACE);
  const draft = { ...PLACE, name: ' ' };
  for (const id of [null, 'place']) {
    await expect(connections.save(id, draft, {})).rejects.toMatchObject({ code: 'app.invalid-input' });
  }
  expect((await connections.list()).map(({ name }) => name)).toEqual(['Imported']);
});
