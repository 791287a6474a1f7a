import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCommandRunner, type CommandRunner } from './run-command.ts';

let folder: string;
let cli: CommandRunner;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-planned-'));
  cli = createCommandRunner(folder);
  cli.environment['A'] = 'token';
  cli.environment['B'] = 'secret';
  const words = ['--name', 'Night', '--address', 'http://127.0.0.1:9/', '--tenant', '1', '--zone', 'UTC'];
  const added = await cli.run('connection', 'add', ...words, '--token-env', 'A', '--secret-env', 'B');
  expect(added.code, added.errors).toBe(0);
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const run = (...words: string[]) => cli.run('planned', '--connection', 'Night', ...words, '--json');

it('planned times and marks are added, imported, listed and removed', async () => {
  const added = await run('--add', 'thursday 21:00-24:00', '--name', 'Maintenance', '--channels', '1,2');
  expect(added.code, added.errors).toBe(0);
  expect(added.objects).toMatchObject([
    {
      type: 'planned',
      name: 'Maintenance',
      zone: 'UTC',
      channels: [1, 2],
      times: { repeats: 'weekly', weekdays: ['thursday'], from: '21:00', minutes: 180 },
      leftOut: { findings: true, alerts: 'muted', uptime: true },
    },
  ]);
  const file = join(folder, 'days.ics');
  const event = 'BEGIN:VEVENT\nUID:1\nDTSTART;VALUE=DATE:20261225\nSUMMARY:Christmas\nEND:VEVENT';
  await writeFile(file, `BEGIN:VCALENDAR\n${event}\nEND:VCALENDAR\n`);
  const imported = await run('--import', file);
  expect(imported.code, imported.errors).toBe(0);
  expect(imported.objects[1]).toMatchObject({ name: 'days.ics', kind: 'special' });
  const marked = await run('--mark', '2026-11-26T12:30Z', '--name', '4.19', '--kind', 'release');
  expect(marked.objects[2]).toMatchObject({ type: 'mark', text: '4.19', at: '2026-11-26T12:30:00.000Z' });
  const exported = await cli.run('planned', '--connection', 'Night', '--export');
  expect(JSON.parse(exported.output)).toMatchObject({
    version: 1,
    times: [{}, {}],
    marks: [{ text: '4.19' }],
  });
  for (const entry of marked.objects) {
    const { id } = entry as { id: string };
    expect((await run('--remove', id)).code).toBe(0);
  }
  expect((await run()).objects).toEqual([]);
});

it('what can not be used ends with a reason, and changes nothing', async () => {
  const broken = join(folder, 'broken.ics');
  await writeFile(broken, 'hello');
  for (const [words, code, reason] of [
    [['--add', 'sometimes'], 2, 'no time that --add understands'],
    [['--add', 'monday 21:00-22:00', '--zone', 'Mars/Base'], 2, 'no time zone "Mars/Base"'],
    [['--add', 'cron 61 * * * * +5'], 2, 'not valid'],
    [['--import', broken], 2, 'no iCalendar file'],
    [['--import', join(folder, 'missing.ics')], 6, "can't be read"],
    [['--remove', 'nothing'], 6, 'No such entry'],
    [['--add', 'monday 21:00-22:00', '--export'], 2, 'exclude each other'],
  ] as const) {
    const ended = await run(...words);
    expect(ended.code, words.join(' ')).toBe(code);
    expect(ended.errors).toContain(reason);
  }
  expect((await run()).objects).toEqual([]);
});
