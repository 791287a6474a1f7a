import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type AlertFile,
  createAlertFile,
  createAlertMemory,
  writeLogCsv,
} from '../../../../src-main/core/alerts/alert-book.ts';
import { createSilentLogger } from '../../../support/fakes/silent-logger.ts';
import { draftOf, errorShare } from './alert-rig.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-alert-files-'));
  path = join(folder, 'alerts.json');
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const RULE = { ...draftOf('Errors', errorShare()), id: 'a', mute: null, madeAtMs: 1, savedAtMs: 2 };
const open = (): AlertFile => createAlertFile(folder, () => 7, createSilentLogger());
const readSaved = async (): Promise<unknown> => JSON.parse(await readFile(path, 'utf8'));

it('rules that do not fit stay in the file, apart from the others', async () => {
  const odd = { ...RULE, id: 'odd', condition: { kind: 'moon' } };
  await writeFile(
    path,
    JSON.stringify({ version: 1, rules: [RULE, odd, 7], mutes: [{ connectionId: 'one' }] }),
  );
  const file = open();
  const { rules, mutes } = await file.load();
  expect(rules).toEqual([RULE]);
  expect(mutes).toEqual([]);
  await file.save({ rules, mutes });
  expect(await readSaved()).toEqual({
    version: 1,
    rules: [RULE],
    mutes: [],
    setAside: [
      { version: 1, entry: odd },
      { version: 1, entry: 7 },
    ],
  });
  // What was set aside is tried again.
  await writeFile(path, (await readFile(path, 'utf8')).replace('moon', 'new-family'));
  expect((await open().load()).rules).toHaveLength(1);
});

it('a file of a later version is copied before it is written, and used as far as it can be', async () => {
  const later = { version: 9, rules: [RULE] };
  await writeFile(path, JSON.stringify(later));
  const file = open();
  const { rules } = await file.load();
  expect(rules).toEqual([RULE]);
  await file.save({ rules, mutes: [] });
  expect(JSON.parse(await readFile(`${path}.v9.backup`, 'utf8'))).toEqual(later);
});

it.each(['{"rules"', '[]', '{"version":"x","rules":[]}'])(
  '%s is moved aside, never deleted',
  async (text) => {
    await writeFile(path, text);
    expect((await open().load()).rules).toEqual([]);
    expect(await readdir(folder)).toEqual(['alerts.json.damaged-7']);
  },
);

it('a damaged log costs no rule', async () => {
  await writeFile(join(folder, 'alert-log.json'), '{');
  const memory = createAlertMemory(folder, () => 7, createSilentLogger());
  expect(await memory.load()).toEqual({ states: [], entries: [] });
});

it('the log as CSV opens no formula', () => {
  const text = writeLogCsv([
    { ruleId: 'a', atMs: 0, kind: 'made', notice: 'by-hand', origin: 'hand', condition: errorShare() },
    {
      ruleId: 'a',
      atMs: 60_000,
      kind: 'fired',
      value: '=1+1',
      level: 'critical',
      notice: 'computer',
      sinceMs: 60_000,
      figures: { hits: 1, total: 2, peak: 0.5 },
    },
  ]);
  const lines = text.trimEnd().split('\r\n');
  expect(lines).toHaveLength(3);
  expect(lines[2]).toBe(
    `"1970-01-01T00:01:00.000Z","fired","'=1+1","critical","1970-01-01T00:01:00.000Z",1,2,0.5,"computer",`,
  );
});
