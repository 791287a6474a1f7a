import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openPartialList } from '../../../src-main/core/exports/write-manifest.ts';
import { createSilentLogger } from '../../support/fakes/silent-logger.ts';
import { isPosix } from '../../support/skips/posix.ts';

let folder: string;
const open = () => openPartialList(folder, 1, createSilentLogger());

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'partial-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('what the exports of a killed application left behind is removed at the next start, and nothing else', async () => {
  const [killed, finished, linked] = ['killed.csv', 'finished.csv', 'linked.csv'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  const list = await open();
  await Promise.all([killed, finished, linked].map((target) => list.add(target)));
  await writeFile(`${killed}.part`, 'half');
  await writeFile(killed, 'an older export');
  await list.remove(finished);
  await writeFile(`${finished}.part`, 'of somebody else');
  if (isPosix) await symlink(killed, `${linked}.part`);

  await open();
  expect(existsSync(`${killed}.part`)).toBe(false);
  expect(await readFile(killed, 'utf8')).toBe('an older export');
  expect(await readFile(`${finished}.part`, 'utf8')).toBe('of somebody else');
  expect(existsSync(`${linked}.part`)).toBe(isPosix);

  await writeFile(`${killed}.part`, 'a new one');
  await open();
  expect(existsSync(`${killed}.part`)).toBe(true);
});

test.each(['no JSON', '{"a":1}', '[1, null, "relative"]'])(
  'a list that reads %s harms nothing',
  async (text) => {
    await writeFile(join(folder, 'partial-exports.json'), text);
    const list = await open();
    await list.add(join(folder, 'a.csv'));
    expect(await readFile(join(folder, 'partial-exports.json'), 'utf8')).toContain('a.csv');
  },
);
