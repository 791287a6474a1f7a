import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSettings } from '../../../src-main/core/settings/create-settings.ts';
import { createSilentLogger } from '../../support/silent-logger.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-settings-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const open = () =>
  createSettings({ folder, now: () => 5, emit: () => undefined, logger: createSilentLogger() });

describe('settings', () => {
  it('start with their defaults', async () => {
    expect((await open()).get()).toMatchObject({
      theme: 'system',
      refreshSeconds: 30,
      activeConnectionId: null,
    });
  });

  it('are there again after a restart', async () => {
    await (await open()).update({ theme: 'dark', refreshSeconds: 60 });
    expect((await open()).get()).toMatchObject({ theme: 'dark', refreshSeconds: 60 });
  });

  it('fall back one by one where a value does not fit', async () => {
    await writeFile(join(folder, 'settings.json'), JSON.stringify({ theme: 'neon', refreshSeconds: 15 }));
    expect((await open()).get()).toMatchObject({ theme: 'system', refreshSeconds: 15 });
  });

  it('keep what fits of a list', async () => {
    const good = { name: 'Timeouts', direction: 'inbound', query: 'code:504' };
    const savedFilters = [
      good,
      { name: '', direction: 'inbound', query: 'x' },
      null,
      'Timeouts',
      { ...good, direction: 'up' },
    ];
    await writeFile(join(folder, 'settings.json'), JSON.stringify({ savedFilters }));
    expect((await open()).get().savedFilters).toEqual([good]);
    const many = Array.from({ length: 150 }, (_, place) => ({ ...good, name: `${place}` }));
    await writeFile(join(folder, 'settings.json'), JSON.stringify({ savedFilters: many }));
    expect((await open()).get().savedFilters).toHaveLength(100);
    await writeFile(join(folder, 'settings.json'), JSON.stringify({ savedFilters: good }));
    expect((await open()).get().savedFilters).toEqual([]);
  });

  it('keep the choice of a zone that was made before there were clocks', async () => {
    const path = join(folder, 'settings.json');
    await writeFile(path, JSON.stringify({ periodZone: 'local', refreshSeconds: 15 }));
    const settings = await open();
    expect(settings.get()).toMatchObject({ clock: 'local', clocks: {}, refreshSeconds: 15 });
    await settings.update({ clocks: { a: 'utc' } });
    expect(JSON.parse(await readFile(path, 'utf8'))).not.toHaveProperty('periodZone');
    expect((await open()).get()).toMatchObject({ clock: 'local', clocks: { a: 'utc' } });
  });

  it('put a damaged file aside and start with defaults', async () => {
    await writeFile(join(folder, 'settings.json'), '{"theme":');
    expect((await open()).get().theme).toBe('system');
    const [kept = ''] = (await readdir(folder)).filter((name) => name.includes('damaged'));
    expect(await readFile(join(folder, kept), 'utf8')).toBe('{"theme":');
  });

  it('survive many changes at once with the last of each', async () => {
    const settings = await open();
    await Promise.all(Array.from({ length: 20 }, (_, index) => settings.update({ refreshSeconds: index })));
    expect((await open()).get().refreshSeconds).toBe(19);
  });
});
