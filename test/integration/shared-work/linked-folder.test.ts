import { appendFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SHARED_KINDS, type SharedWork } from '../../../src-main/common/model/shared/shared-work.ts';
import { makeFolder, startApp, type SharedApp } from './shared-rig.ts';

let ana: SharedApp;
let bo: SharedApp;
let folder: string;
let remove: () => Promise<void>;

beforeEach(async () => {
  ({ folder, remove } = await makeFolder());
  [ana, bo] = [await startApp('Ana'), await startApp('Bo')];
});
afterEach(async () => {
  await ana.close();
  await bo.close();
  await remove();
});

const toView = (name: string, query = '') => ({ name, direction: 'inbound' as const, query });
const saveViews = (app: SharedApp, views: readonly ReturnType<typeof toView>[]) =>
  app.call('settings/update', { savedViews: [...views] });
const readViews = async (app: SharedApp) =>
  (await app.call('settings/get', null)).savedViews.map(({ name, query }) => `${name}: ${query}`).sort();
const findFile = async (kind: string, text = ''): Promise<string> => {
  const names = await readdir(join(folder, kind));
  return join(folder, kind, names.find((name) => name.includes(text)) ?? 'none');
};
const linkBoth = async (): Promise<void> => {
  await ana.link(folder);
  await bo.link(folder, ana.connectionId);
};

describe('a linked folder', () => {
  it('shows both versions of what both changed, keeps the one here in force, and leaves the file alone', async () => {
    await linkBoth();
    await saveViews(ana, [toView('Slow', 'a = 1')]);
    await ana.look();
    expect((await bo.look()).state).toBe('in-step');
    await saveViews(ana, [toView('Slow', 'a = 2')]);
    await saveViews(bo, [toView('Slow', 'a = 3')]);
    await ana.look();
    const file = await findFile('views');
    const before = await readFile(file, 'utf8');
    const { conflicts, state } = await bo.look();
    expect(state).toBe('waiting');
    expect(conflicts).toMatchObject([
      {
        kind: 'views',
        label: 'Slow',
        canKeepBoth: true,
        differences: [{ path: 'query', mine: 'a = 3', theirs: 'a = 2' }],
      },
    ]);
    expect(await readFile(file, 'utf8')).toBe(before);
    expect(await readViews(bo)).toEqual(['Slow: a = 3']);

    const [conflict] = conflicts;
    const after = await bo.call('shared-work/resolve', { conflictId: conflict?.id ?? '', choice: 'both' });
    expect(after).toMatchObject({ state: 'in-step', conflicts: [], count: 2 });
    await ana.look();
    const both = ['Slow (2): a = 3', 'Slow: a = 2'];
    expect([await readViews(ana), await readViews(bo)]).toEqual([both, both]);
    // What was chosen then is chosen: the same conflict can't be answered twice.
    await expect(
      bo.call('shared-work/resolve', { conflictId: conflict?.id ?? '', choice: 'mine' }),
    ).rejects.toMatchObject({ code: 'shared-work.changed' });
  });

  it('keeps what it replaces and deletes, and brings it back', async () => {
    await linkBoth();
    await saveViews(ana, [toView('Gone', 'x')]);
    await ana.look();
    await bo.look();
    await saveViews(ana, []);
    await ana.look();
    expect((await bo.look()).count).toBe(0);
    expect(await readViews(bo)).toEqual([]);
    const [kept] = await bo.call('shared-work/list-kept', null);
    expect(kept).toMatchObject({ label: 'Gone', reason: 'deleted', canRestore: true });
    await bo.call('shared-work/restore', { keptId: kept?.id ?? '' });
    await ana.look();
    expect([await readViews(ana), await readViews(bo)]).toEqual([['Gone: x'], ['Gone: x']]);
  });

  it('deletes nothing because the drive is not there, or because the folder was emptied', async () => {
    await linkBoth();
    await saveViews(ana, [toView('One'), toView('Two')]);
    await ana.look();
    await rename(folder, `${folder} away`);
    expect((await ana.look()).state).toBe('gone');
    await mkdir(folder);
    expect((await ana.look()).state).toBe('emptied');
    expect(await readViews(ana)).toHaveLength(2);
    await rm(folder, { recursive: true });
    await rename(`${folder} away`, folder);
    expect(await ana.look()).toMatchObject({ state: 'in-step', count: 2 });
  });

  it('fills a folder again that was emptied, once it is linked again', async () => {
    await linkBoth();
    await saveViews(ana, [toView('One'), toView('Two')]);
    await ana.look();
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
    expect((await ana.look()).state).toBe('emptied');
    expect(await ana.link(folder)).toMatchObject({ state: 'in-step', count: 2 });
    expect(await readViews(ana)).toHaveLength(2);
  });

  it('deletes nothing where a part of it is exported to the folder after that was emptied', async () => {
    await linkBoth();
    await saveViews(ana, [toView('One'), toView('Two')]);
    await ana.look();
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
    await ana.look();
    const choice = { folder, kinds: ['statements' as const], connections: [] };
    await ana.call('shared-work/export', { choice, replace: [] });
    expect(await ana.look()).toMatchObject({ state: 'in-step', count: 2 });
    expect(await readViews(ana)).toHaveLength(2);
  });

  it('asks before it deletes most of everything', async () => {
    await linkBoth();
    await saveViews(
      ana,
      Array.from({ length: 12 }, (_, place) => toView(`View ${place}`)),
    );
    await ana.look();
    await bo.look();
    await rm(join(folder, 'views'), { recursive: true });
    expect(await bo.look()).toMatchObject({ state: 'waiting', removals: { here: 0, folder: 12 } });
    expect(await readViews(bo)).toHaveLength(12);
    await bo.call('shared-work/answer-removals', { answer: 'restore' });
    expect(await readdir(join(folder, 'views'))).toHaveLength(12);
    await rm(join(folder, 'views'), { recursive: true });
    await bo.look();
    await bo.call('shared-work/answer-removals', { answer: 'delete' });
    expect((await bo.look()).count).toBe(0);
    expect(await readViews(bo)).toEqual([]);
    expect(await bo.call('shared-work/list-kept', null)).toHaveLength(12);
  });

  it('leaves files alone that it can not use, says which and why, and reads them again once they change', async () => {
    await linkBoth();
    await saveViews(ana, [toView('Cut', 'a = 1'), toView('Fine')]);
    await ana.look();
    await bo.look();
    const file = await findFile('views', 'cut');
    const whole = await readFile(file, 'utf8');
    await writeFile(file, whole.slice(0, 40));
    await writeFile(join(folder, 'views', 'newer.json'), whole.replace('"version": 1', '"version": 9'));
    await writeFile(join(folder, 'views', 'unfit.json'), whole.replace('"inbound"', '"sideways"'));
    const named = (work: SharedWork): string[] =>
      work.problems.map(({ file: name, fault }) => `${name.replace(/--.*/u, '')} ${fault}`);
    await saveViews(bo, [toView('Cut', 'a = 2'), toView('Fine')]);
    const work = await bo.look();
    expect(named(work)).toEqual(['views/cut cut', 'views/newer.json newer', 'views/unfit.json unfit']);
    expect(work).toMatchObject({ state: 'waiting', waiting: 1 });
    expect(await readViews(bo)).toEqual(['Cut: a = 2', 'Fine: ']);
    await appendFile(file, whole.slice(40));
    expect(named(await bo.look())).toEqual(['views/newer.json newer', 'views/unfit.json unfit']);
    expect(await readFile(file, 'utf8')).toContain('a = 2');
  });

  it('takes a copy that a sync program made for a conflict of its item', async () => {
    await linkBoth();
    await saveViews(ana, [toView('Slow', 'a = 1')]);
    await ana.look();
    const file = await findFile('views');
    const copy = (await readFile(file, 'utf8')).replace('a = 1', 'a = 7');
    await writeFile(file.replace('.json', ' (1).json'), copy);
    const { conflicts } = await ana.look();
    expect(conflicts).toMatchObject([{ isCopy: true, differences: [{ mine: 'a = 1', theirs: 'a = 7' }] }]);
    await ana.call('shared-work/resolve', { conflictId: conflicts[0]?.id ?? '', choice: 'theirs' });
    expect(await readViews(ana)).toEqual(['Slow: a = 7']);
    expect(await readdir(join(folder, 'views'))).toHaveLength(1);
    expect(await readFile(file, 'utf8')).toContain('a = 7');
  });

  it('carries schedules without what is of one computer, and rules, names, tables and families of a connection', async () => {
    const connectionId = ana.connectionId;
    await ana.call('connections/save-names', {
      connectionId,
      names: [{ field: 'channel', value: '3', name: 'Web', colour: 'green' }],
    });
    await ana.call('own-tables/save', {
      connectionId,
      tableId: null,
      name: 'Owners',
      field: 'service',
      keyColumn: 'service',
      text: 'service,team\n1,"Order, ""desk"""\n',
    });
    await ana.call('outcome/save', { connectionId, outcomes: { outbound: [{ outcome: 'ok' }] } });
    await linkBoth();
    await bo.look();
    const [there] = await bo.call('connections/list', null);
    expect(there).toMatchObject({
      names: [{ field: 'channel', value: '3', name: 'Web', colour: 'green' }],
      tables: [{ name: 'Owners', field: 'service', columns: ['team'], rowCount: 1 }],
      outcomes: { outbound: [{ outcome: 'ok' }] },
    });
    // Not its name, not where it is, and never a secret.
    expect(there).toMatchObject({ name: 'Support of Bo', id: bo.connectionId });
  });

  it('goes on with the rest where an own table lost its rows, deletes it nowhere, and brings it back from the folder', async () => {
    const connectionId = ana.connectionId;
    const saveTable = (name: string) =>
      ana.call('own-tables/save', {
        connectionId,
        tableId: null,
        name,
        field: 'service',
        keyColumn: 'service',
        text: 'service,team\n1,Desk\n',
      });
    await saveTable('Owners');
    await linkBoth();
    await bo.look();
    const loseRows = async (): Promise<void> => {
      const files = join(ana.dataFolder, 'own-tables');
      for (const file of await readdir(files)) await rm(join(files, file));
    };
    await loseRows();
    await saveTable('Desks');
    const [own] = (await readdir(join(ana.dataFolder, 'own-tables'))).map((file) =>
      join(ana.dataFolder, 'own-tables', file),
    );
    await rm(own ?? '');
    await saveViews(ana, [toView('Slow', 'a = 1')]);
    const work = await ana.look();
    expect(work).toMatchObject({
      error: null,
      problems: [{ file: 'own-tables/Desks', fault: 'lost', canReplace: false }],
    });
    // What the folder has is here again, and the rest was carried.
    expect(await readdir(join(ana.dataFolder, 'own-tables'))).toHaveLength(1);
    await bo.look();
    expect(await readViews(bo)).toEqual(['Slow: a = 1']);
    const [there] = await bo.call('connections/list', null);
    expect(there?.tables?.map(({ name }) => name)).toEqual(['Owners']);
    // Lost while nobody looks, and gone from the folder too: it stays, and nothing is claimed of it.
    await loseRows();
    await rm(await findFile('own-tables'));
    await ana.look();
    const [here] = await ana.call('connections/list', null);
    expect(here?.tables?.map(({ name }) => name)).toEqual(['Owners', 'Desks']);
    const choice = {
      folder,
      kinds: [...SHARED_KINDS],
      connections: [{ connectionId, sharedId: connectionId }],
    };
    const plan = await ana.call('shared-work/plan-export', choice);
    expect(plan.problems.map(({ file }) => file)).toEqual(['own-tables/Desks', 'own-tables/Owners']);
  });

  it('keeps its hands off the items of a connection that is removed here', async () => {
    await linkBoth();
    await ana.call('connections/save-names', {
      connectionId: ana.connectionId,
      names: [{ field: 'channel', value: '3', name: 'Web' }],
    });
    await ana.look();
    await bo.look();
    await ana.call('connections/remove', { connectionId: ana.connectionId });
    await ana.look();
    expect(await readdir(join(folder, 'names'))).toHaveLength(1);
    await bo.look();
    expect((await bo.call('connections/list', null))[0]?.names).toHaveLength(1);
  });
});

it('a folder is exported to and imported from once, with a plan before anything is done', async () => {
  await saveViews(ana, [toView('Same'), toView('Other', 'a = 1'), toView('New')]);
  const choice = { folder, kinds: [...SHARED_KINDS], connections: [] };
  expect(await ana.call('shared-work/export', { choice, replace: [] })).toMatchObject({ done: 3, left: 0 });
  await saveViews(bo, [toView('Same'), toView('Other', 'a = 2')]);
  const plan = await bo.call('shared-work/plan-import', choice);
  const states = plan.items.map(({ label, state }) => `${label} ${state}`).sort();
  expect(states).toEqual(['New new', 'Other other', 'Same same']);
  const take = plan.items.filter(({ state }) => state === 'new').map(({ id }) => id);
  expect(await bo.call('shared-work/import', { choice, take })).toMatchObject({ done: 1, same: 1, left: 1 });
  expect(await readViews(bo)).toEqual(['New: ', 'Other: a = 2', 'Same: ']);
  const all = plan.items.map(({ id }) => id);
  expect(await bo.call('shared-work/import', { choice, take: all })).toMatchObject({
    done: 1,
    same: 2,
    left: 0,
  });
  expect((await bo.call('shared-work/list-kept', null)).map(({ label }) => label)).toEqual(['Other']);
  expect((await ana.call('shared-work/plan-export', choice)).items.map(({ state }) => state)).toEqual(
    Array.from({ length: 3 }, () => 'same'),
  );
});

it('a folder that can not hold shared work is refused', async () => {
  await expect(ana.link('relative')).rejects.toMatchObject({ code: 'shared-work.folder-unfit' });
  await expect(ana.link(join(folder, 'missing'))).rejects.toMatchObject({ code: 'shared-work.folder-unfit' });
  await expect(ana.link(ana.dataFolder)).rejects.toMatchObject({ code: 'shared-work.folder-unfit' });
});
