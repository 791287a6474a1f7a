import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestCache } from '../cache/cache-fixture.ts';
import { createCommandRunner, type CommandRunner } from './run-command.ts';

let folder: string;
let cli: CommandRunner;
const MINUTE = 60_000;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-levels-'));
  cli = createCommandRunner(folder);
  cli.environment['A'] = 'token';
  cli.environment['B'] = 'secret';
  const words = ['--name', 'Day', '--address', 'http://127.0.0.1:9/', '--tenant', '1', '--zone', 'UTC'];
  const added = await cli.run('connection', 'add', ...words, '--token-env', 'A', '--secret-env', 'B');
  expect(added.code, added.errors).toBe(0);
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const call = (...words: string[]) => cli.run('service-levels', '--connection', 'Day', ...words);
const run = (...words: string[]) => call(...words, '--json');

it('targets are added, read over the checks that are kept, reported on, exported, imported and removed', async () => {
  const hours = 'monday-friday 08:00-20:00; saturday 22:00-02:00';
  const added = await run('--add', '99.5', '--name', 'Office hours', '--hours', hours);
  expect(added.code, added.errors).toBe(0);
  expect(added.objects).toMatchObject([
    {
      name: 'Office hours',
      part: 'platform',
      target: 99.5,
      zone: 'UTC',
      hours: [
        { weekdays: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'], from: '08:00', to: '20:00' },
        { weekdays: ['saturday'], from: '22:00', to: '02:00' },
      ],
      leavesOutPlanned: true,
      isOver: false,
      reached: null,
    },
  ]);
  const { id } = added.objects[0] as { id: string };
  const { connections } = JSON.parse(await readFile(join(folder, 'connections.json'), 'utf8')) as {
    connections: { id: string }[];
  };
  const connectionId = connections[0]!.id;
  const cache = await openTestCache(join(folder, 'cache.sqlite'));
  // Two hours of Monday 5 October 2026, of which twelve minutes down.
  const fromMs = Date.UTC(2026, 9, 5, 9);
  for (let minute = 0; minute < 120; minute += 1) {
    const state = minute >= 30 && minute < 42 ? 'down' : 'up';
    await cache.addStatusSample({
      connectionId,
      checkedAtMs: fromMs + minute * MINUTE,
      roundTripMs: 5,
      platform: state,
      connector: 'up',
      internalResponseTimeMs: 3,
      sessions: 1,
      traffic: [],
      trafficText: '',
      failure: null,
    });
  }
  await cache.close();

  const read = await run('--month', '2026-10');
  expect(read.objects).toMatchObject([
    {
      month: '2026-10',
      isOver: true,
      state: 'not-known',
      reached: 90.08,
      downMinutes: 12,
      upMinutes: 109,
      agreedMinutes: (22 * 12 + 5 * 4 - 2) * 60,
      outages: [{ from: '2026-10-05T09:30:00.000Z', to: '2026-10-05T09:42:00.000Z', minutes: 12 }],
    },
  ]);
  const text = await call('--month', '2026-10');
  expect(text.output).toContain(
    '90.08% of 99.5%, at least 12 of 84 min used, 0% of the month watched. Not known.',
  );

  const report = join(folder, 'october.html');
  const written = await run('--month', '2026-10', '--out', report);
  expect(written.code, written.errors).toBe(0);
  const page = await readFile(report, 'utf8');
  for (const part of [
    'Service levels, Oct 2026',
    'Office hours',
    '90.08%',
    '2026-10-05 09:30:00',
    'Not watched',
  ])
    expect(page).toContain(part);
  expect(page).toContain('default-src &#39;none&#39;');

  const exported = await call('--export');
  const file = join(folder, 'levels.json');
  await writeFile(file, exported.output);
  expect((await run('--import', file)).objects).toHaveLength(1);
  expect((await run('--remove', id)).objects).toEqual([]);
  expect((await run('--import', file)).objects).toMatchObject([{ name: 'Office hours', target: 99.5 }]);
  const [again] = (await run()).objects as { id: string }[];
  await run('--remove', again!.id);
});

it('what can not be used ends with a reason, and changes nothing', async () => {
  const broken = join(folder, 'broken.json');
  await writeFile(broken, '{"levels":[]}');
  for (const [words, code, reason] of [
    [['--add', 'all'], 2, 'no percentage'],
    [['--add', '101'], 2, 'no percentage'],
    [['--add', '99.5', '--hours', 'always'], 2, 'no service hours'],
    [['--add', '99.5', '--hours', 'friday-monday 08:00-10:00'], 2, 'no service hours'],
    [['--add', '99.5', '--zone', 'Mars/Base'], 2, 'no time zone'],
    [['--month', '2026-13'], 2, 'no month'],
    [['--import', broken], 2, 'holds no service levels'],
    [['--import', join(folder, 'missing.json')], 6, "can't be read"],
    [['--remove', 'nothing'], 6, 'No such service level'],
    [['--out', join(folder, 'a.html')], 6, 'no service level to report on'],
    [['--out', join(folder, 'a.docx')], 2, '.html or .pdf'],
    [['--add', '99.5', '--export'], 2, 'exclude each other'],
  ] as const) {
    const ended = await run(...words);
    expect(ended.code, `${words.join(' ')} ${ended.errors}`).toBe(code);
    expect(ended.errors).toContain(reason);
  }
  expect((await run()).objects).toEqual([]);
});
