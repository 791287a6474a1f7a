import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { startTestService } from '../../support/service/running-service.ts';
import { createCommandRunner, type CommandRunner } from './run-command.ts';

let folder: string;
let out: string;
let service: RunningService;
let cli: CommandRunner;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-schedules-'));
  out = join(folder, 'out');
  await mkdir(out);
  service = await startTestService({ requireToken: true });
  cli = createCommandRunner(folder);
  for (const [name, secret] of [
    ['Night', service.accessTokenSecret],
    ['Refused', 'not the secret'],
  ] as const) {
    cli.environment['A'] = service.accessToken;
    cli.environment['B'] = secret;
    const words = ['--name', name, '--address', service.url, '--tenant', String(service.tenant)];
    const added = await cli.run('connection', 'add', ...words, '--token-env', 'A', '--secret-env', 'B');
    expect(added.code, added.errors).toBe(0);
  }
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const ADD = ['schedule', 'add', '--report', 'outbound-detail', '--period', 'yesterday', '--at', '7:00'];

it('is added, listed, run with what it needs fetched first, and removed', async () => {
  const words = ['--name', 'Errors', '--connection', 'Night', '--out', out, '--format', 'ndjson'];
  const added = await cli.run(...ADD, ...words, '--days', 'mon-fri', '--query', 'code:>=400', '--json');
  expect(added.code, added.errors).toBe(0);
  expect(added.objects).toMatchObject([
    {
      name: 'Errors',
      connection: 'Night',
      report: 'outbound-detail',
      format: 'ndjson',
      folder: out,
      query: 'code:>=400',
      times: {
        kind: 'daily',
        time: '07:00',
        weekdays: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
      },
      isActive: true,
      lastRun: null,
    },
  ]);
  const twice = await cli.run(...ADD, ...words);
  expect(twice).toMatchObject({ code: 2, output: '' });
  expect(twice.errors).toContain('--replace');

  const ran = await cli.run('schedule', 'run', 'errors', '--json');
  expect(ran.code, ran.errors).toBe(0);
  const [result] = ran.objects;
  expect(result).toMatchObject({ missingSeconds: 0 });
  const [file] = await readdir(out);
  expect(result!['file']).toBe(join(out, file ?? ''));
  const lines = (await readFile(join(out, file ?? ''), 'utf8')).trimEnd().split('\n');
  expect(lines).toHaveLength(Number(result!['records']));
  for (const line of lines)
    expect(JSON.parse(line)).toMatchObject({ ReponseCode: expect.any(Number) as number });

  const listed = await cli.run('schedule', 'list', '--json');
  expect(listed.objects).toMatchObject([{ name: 'Errors', lastRun: { state: 'done', missingSeconds: 0 } }]);
  const removed = await cli.run('schedule', 'remove', 'Errors');
  expect(removed.code, removed.errors).toBe(0);
  expect((await cli.run('schedule', 'list', '--json')).objects).toEqual([]);
  expect(await readdir(out)).toEqual([file]);
});

it.each<[string, string[], number, RegExp]>([
  ['no such schedule', ['schedule', 'run', 'Day'], 6, /no schedule "Day"/],
  [
    'no time',
    ['schedule', 'add', '--name', 'x', '--report', 'inbound-detail', '--period', 'today'],
    2,
    /--at is missing/,
  ],
  ['two times', [...ADD, '--name', 'x', '--every', '6'], 2, /exclude each other/],
  ['a day that is none', [...ADD, '--name', 'x', '--days', 'noday'], 2, /--days is a list/],
  [
    'a folder that is not there',
    [...ADD, '--name', 'x', '--connection', 'Night', '--format', 'csv', '--out', 'gone'],
    8,
    /no folder/,
  ],
  [
    'a report of a summary',
    [
      ...ADD.with(3, 'inbound-summary'),
      '--name',
      'x',
      '--connection',
      'Night',
      '--format',
      'html',
      '--out',
      '.',
    ],
    2,
    /detail records/,
  ],
])('%s has its exit code and message', async (_title, words, code, message) => {
  const run = await cli.run(...words);
  expect(run.errors).toMatch(message);
  expect(run.code, run.errors).toBe(code);
});

it('a run whose credentials are refused says so, and leaves no file', async () => {
  const before = await readdir(out);
  const words = ['--name', 'Refused', '--connection', 'Refused', '--out', out, '--format', 'csv'];
  expect(await cli.run(...ADD, ...words)).toMatchObject({ code: 0 });
  const ran = await cli.run('schedule', 'run', 'Refused', '--json');
  expect(ran).toMatchObject({ code: 3, output: '' });
  expect(await readdir(out)).toEqual(before);
  const listed = await cli.run('schedule', 'list', '--json');
  expect(listed.objects).toMatchObject([{ lastRun: { state: 'failed', error: 'schedules.nothing-cached' } }]);
});
