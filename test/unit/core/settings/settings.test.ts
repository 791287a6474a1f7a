import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSettings } from '../../../../src-main/core/settings/create-settings.ts';
import { createSilentLogger } from '../../../support/fakes/silent-logger.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-settings-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const open = () =>
  createSettings({ folder, now: () => 5, emit: () => undefined, logger: createSilentLogger() });
const write = (saved: unknown) => writeFile(join(folder, 'settings.json'), JSON.stringify(saved));
const read = async (): Promise<Record<string, unknown>> =>
  JSON.parse(await readFile(join(folder, 'settings.json'), 'utf8')) as Record<string, unknown>;

describe('settings', () => {
  it('start with their defaults', async () => {
    expect((await open()).get()).toMatchObject({
      theme: 'system',
      refreshSeconds: 30,
      lastConnectionId: null,
      engineMemoryMb: 256,
      proxyMode: 'system',
    });
  });

  it('are there again after a restart', async () => {
    await (await open()).update({ theme: 'dark', refreshSeconds: 60 });
    expect((await open()).get()).toMatchObject({ theme: 'dark', refreshSeconds: 60 });
  });

  it('survive many changes at once with the last of each', async () => {
    const settings = await open();
    await Promise.all(Array.from({ length: 20 }, (_, index) => settings.update({ refreshSeconds: index })));
    expect((await open()).get().refreshSeconds).toBe(19);
  });

  it('refuse a value that can not be used, and save nothing of its change', async () => {
    const settings = await open();
    await expect(
      settings.update({ theme: 'dark', proxyAddress: 'http://name:word@proxy.example.com' }),
    ).rejects.toMatchObject({
      code: 'settings.unfit',
      details: { setting: 'proxyAddress', fault: 'proxy-credentials' },
    });
    expect(settings.get().theme).toBe('system');
    expect((await open()).get().theme).toBe('system');
  });
});

describe('a file of settings', () => {
  it('starts at version 1, and knows no choice of before the first release', async () => {
    await write({ version: 1, periodZone: 'local', refreshSeconds: 15 });
    const settings = await open();
    expect(settings.get()).toMatchObject({ clock: 'service', refreshSeconds: 15 });
    expect(settings.listSetAside().names).toEqual(['periodZone']);
    await settings.update({ refreshSeconds: 60 });
    expect(await read()).toMatchObject({ version: 1, setAside: [{ name: 'periodZone', value: 'local' }] });
  });

  it('falls back one by one where a value does not fit, and loses none', async () => {
    await write({ theme: 'neon', refreshSeconds: 15, unheardOf: { a: 1 } });
    const settings = await open();
    expect(settings.get()).toMatchObject({ theme: 'system', refreshSeconds: 15 });
    expect(settings.listSetAside()).toEqual({
      names: ['theme', 'unheardOf'],
      fileName: 'settings.json',
      keptFile: null,
    });
    await settings.update({ refreshSeconds: 60 });
    await (await open()).update({ refreshSeconds: 30 });
    expect((await read())['setAside']).toMatchObject([
      { name: 'theme', value: 'neon' },
      { name: 'unheardOf', value: { a: 1 } },
    ]);
    expect((await open()).get()).toMatchObject({ theme: 'system', refreshSeconds: 30 });
  });

  it('gives back what was set aside once a version can use it, unless it was chosen anew', async () => {
    const setAside = [{ version: 2, name: 'theme', value: 'light' }];
    await write({ version: 2, setAside });
    const settings = await open();
    expect(settings.get().theme).toBe('light');
    expect(settings.listSetAside().names).toEqual([]);
    await write({ version: 2, theme: 'dark', setAside });
    expect((await open()).get().theme).toBe('dark');
  });

  it('leaves the place of what was set aside empty until something else is chosen', async () => {
    await write({ theme: 'neon' });
    const settings = await open();
    await settings.update({ refreshSeconds: 60 });
    expect(await read()).not.toHaveProperty('theme');
    await settings.update({ theme: 'dark' });
    expect(await read()).toMatchObject({ theme: 'dark', setAside: [{ name: 'theme', value: 'neon' }] });
  });

  it('of a later version keeps what this one does not know', async () => {
    const later = { version: 99, theme: 'dark', later: true };
    await write(later);
    const settings = await open();
    expect(settings.get().theme).toBe('dark');
    await settings.update({ refreshSeconds: 60 });
    expect((await read())['setAside']).toEqual([{ version: 99, name: 'later', value: true }]);
    expect(JSON.parse(await readFile(join(folder, 'settings.json.v99.backup'), 'utf8'))).toEqual(later);
  });

  it('gives of a list what fits, and keeps the rest', async () => {
    const good = { name: 'Timeouts', direction: 'inbound', query: 'code:504' };
    const savedViews = [
      good,
      { name: '', direction: 'inbound', query: 'x' },
      null,
      { ...good, direction: 'up' },
    ];
    await write({ savedViews });
    const settings = await open();
    expect(settings.get().savedViews).toEqual([good]);
    await settings.update({ theme: 'dark' });
    expect((await read())['setAside']).toMatchObject([{ name: 'savedViews', value: savedViews }]);
    const many = Array.from({ length: 150 }, (_, place) => ({ ...good, name: `${place}` }));
    await write({ savedViews: many });
    expect((await open()).get().savedViews).toHaveLength(100);
    await write({ savedViews: good });
    expect((await open()).get().savedViews).toEqual([]);
  });

  it.each(['{"theme":', '[1]', '"dark"'])('that is none is put aside: %s', async (text) => {
    await writeFile(join(folder, 'settings.json'), text);
    const settings = await open();
    expect(settings.get().theme).toBe('system');
    const [kept = ''] = (await readdir(folder)).filter((name) => name.includes('damaged'));
    expect(await readFile(join(folder, kept), 'utf8')).toBe(text);
    expect(settings.listSetAside().keptFile).toBe(kept);
  });
});
