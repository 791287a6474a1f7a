import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  applyBuiltInPreset,
  findDecimalSign,
  toFirstChoices,
  toLayout,
} from '../../../../src-main/common/model/exports/export-options.ts';
import {
  estimateMs,
  openExportMemory,
  openExportPace,
} from '../../../../src-main/core/exports/export-memory.ts';
import { createSilentLogger } from '../../../support/fakes/silent-logger.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-memory-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const events: unknown[] = [];
const open = () =>
  openExportMemory({
    folder,
    logger: createSilentLogger(),
    now: () => 1,
    emit: (...event) => events.push(event),
  });
const csv = toFirstChoices('csv');

describe('what is remembered of exports', () => {
  it('keeps the last choices of each format over a restart, the newest first', async () => {
    const memory = await open();
    await memory.keepChoices({ ...csv, manifest: true });
    await memory.keepChoices(toFirstChoices('xlsx'));
    await memory.keepChoices({ ...csv, dates: 'received' });
    expect((await open()).read().choices).toEqual([{ ...csv, dates: 'received' }, toFirstChoices('xlsx')]);
  });

  it('saves, renames, replaces and removes presets; no two have one name', async () => {
    const memory = await open();
    const night = await memory.savePreset({ presetId: null, name: ' Night ', choices: csv });
    expect(night).toMatchObject({ name: 'Night', choices: { preset: night.id } });
    expect(events.at(-1)).toEqual(['exports/presets-changed', [night]]);
    for (const name of ['night', 'Excel', '  ']) {
      const saving = memory.savePreset({ presetId: null, name, choices: csv });
      await expect(saving, name).rejects.toMatchObject({ code: 'exports.preset-taken' });
    }
    await memory.savePreset({ presetId: night.id, name: 'NIGHT', choices: { ...csv, manifest: true } });
    expect((await open()).read().presets).toMatchObject([{ name: 'NIGHT', choices: { manifest: true } }]);
    await memory.removePreset(night.id);
    await expect(memory.removePreset(night.id)).rejects.toMatchObject({ code: 'exports.no-preset' });
    expect((await open()).read().presets).toEqual([]);
  });

  it('leaves what it can’t read where it is, and goes on with the rest', async () => {
    const path = join(folder, 'export-presets.json');
    const unknown = { id: 'x', name: 'Later', choices: { ...csv, format: 'from-later' } };
    const known = { id: 'y', name: 'Now', choices: csv };
    await writeFile(path, JSON.stringify({ version: 1, entries: [unknown, known] }));
    const memory = await open();
    expect(memory.read().presets).toEqual([known]);
    await memory.savePreset({ presetId: null, name: 'More', choices: csv });
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({
      entries: [{ name: 'More' }, { name: 'Now' }, { name: 'Later' }],
    });
    await writeFile(path, '{"version":1,"entr');
    expect((await open()).read().presets).toEqual([]);
    expect(await readdir(folder)).toContain('export-presets.json.damaged-1');
  });
});

describe('a built-in preset', () => {
  it('has for Excel in a region what its decimal sign asks for', () => {
    const germany = applyBuiltInPreset(csv, 'excel', findDecimalSign('de-DE'));
    expect(germany).toMatchObject({
      preset: 'excel',
      csv: { separator: ';', decimalSign: ',', byteOrderMark: true, guard: true },
      dates: 'readable',
    });
    const britain = applyBuiltInPreset(csv, 'excel', findDecimalSign('en-GB'));
    expect(britain.csv).toMatchObject({ separator: ',', decimalSign: '.' });
    expect(toLayout(britain, ['Id'])).toMatchObject({ columns: ['Id'], csv: britain.csv });
  });
});

describe('the time that an export takes', () => {
  it('is not told without an export that tells it', () => {
    expect(estimateMs([], 10)).toBeNull();
    expect(estimateMs([{ rows: 500, ms: 90 }], 20_000)).toBeNull();
    expect(estimateMs([{ rows: 2_000, ms: 90 }], 200_000)).toBeNull();
  });

  it('follows what was measured, between two exports and above the largest', () => {
    const samples = [
      { rows: 100_000, ms: 2_000 },
      { rows: 10_000, ms: 400 },
    ];
    expect(estimateMs(samples, 55_000)).toBe(1_200);
    expect(estimateMs(samples, 1_000_000)).toBe(20_000);
    expect(estimateMs(samples, 0)).toBe(0);
    expect(estimateMs([...samples, { rows: 10_000, ms: 90_000 }, { rows: 10_000, ms: 300 }], 10_000)).toBe(
      400,
    );
  });

  it('is judged by the last exports of the same kind, also after a restart', async () => {
    const openPace = () => openExportPace({ folder, logger: createSilentLogger(), now: () => 1 });
    const pace = await openPace();
    await pace.note({ kind: 'csv', rows: 5_000, ms: 60_000 });
    for (let time = 0; time < 8; time += 1) await pace.note({ kind: 'csv', rows: 5_000, ms: 100 });
    await pace.note({ kind: 'xlsx', rows: 5_000, ms: 900 });
    const again = await openPace();
    expect(again.estimate('csv', 5_000)).toBe(100);
    expect(again.estimate('csv', 10_000)).toBe(200);
    expect(again.estimate('xlsx', 5_000)).toBe(900);
    expect(again.estimate('json', 5_000)).toBeNull();
  });
});
