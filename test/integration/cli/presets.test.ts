import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toFirstChoices } from '../../../src-main/common/model/exports/export-options.ts';
import { createCommandRunner, type CommandRunner } from './run-command.ts';

let folder: string;
let cli: CommandRunner;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-presets-'));
  cli = createCommandRunner(folder);
  const entries = [{ id: 'p1', name: 'Night errors', choices: toFirstChoices('xlsx') }];
  await writeFile(join(folder, 'export-presets.json'), JSON.stringify({ version: 1, entries }));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

it('lists the presets that there are, the built-in ones first', async () => {
  const listed = await cli.run('preset', 'list', '--json');
  expect(listed.code, listed.errors).toBe(0);
  expect(listed.objects).toEqual([
    { name: 'excel', format: 'csv', isBuiltIn: true },
    { name: 'rfc4180', format: 'csv', isBuiltIn: true },
    { name: 'channelscope', format: 'csv', isBuiltIn: true },
    { name: 'Night errors', format: 'xlsx', isBuiltIn: false },
  ]);
});

it.each<[string, string[], number, RegExp]>([
  ['neither a preset nor a format', [], 2, /--format is missing/],
  ['a preset of another format', ['--preset', 'night ERRORS', '--format', 'csv'], 2, /writes xlsx, not csv/],
  ['a preset that is not there', ['--preset', 'Day'], 6, /There are: excel, .*"Night errors"/],
  [
    'a snapshot that is not there, with a preset as the window calls it',
    ['--preset', 'Excel in my region'],
    6,
    /snapshot is not in the cache/,
  ],
])('%s is told', async (_title, words, code, message) => {
  const run = await cli.run('export', '--snapshot', '1', '--out', 'x', ...words);
  expect(run.errors).toMatch(message);
  expect(run.code).toBe(code);
});
