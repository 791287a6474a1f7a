import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { startTestService } from '../../support/service/running-service.ts';
import { createCommandRunner, type CommandRunner } from './run-command.ts';

let folder: string;
let service: RunningService;
let cli: CommandRunner;

const toDay = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
const PERIOD = ['--from', toDay(1), '--to', toDay(0)];
const BOTH = ['--connection', 'Night', '--connection', 'Other'];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-several-'));
  service = await startTestService({ requireToken: true });
  cli = createCommandRunner(folder);
  cli.environment['T'] = service.accessToken;
  cli.environment['S'] = service.accessTokenSecret;
  const words = ['--address', service.url, '--tenant', String(service.tenant), '--page-size', '1000'];
  const secrets = ['--token-env', 'T', '--secret-env', 'S'];
  for (const name of ['Night', 'Other', 'Empty']) {
    const added = await cli.run('connection', 'add', '--name', name, ...words, ...secrets);
    expect(added.code, added.errors).toBe(0);
  }
  for (const name of ['Night', 'Other']) {
    const fetched = await cli.run(
      ...['fetch', '--connection', name, ...PERIOD, '--report', 'inbound-detail', '--json'],
    );
    expect(fetched.code, fetched.errors).toBe(0);
  }
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const list = (...words: string[]) =>
  cli.run('errors', ...words, ...PERIOD, '--report', 'inbound-detail', '--json');

it('lists the families of several connections, each with the counts that it has by itself', async () => {
  const alone = await list('--connection', 'Night');
  const both = await list(...BOTH);
  expect(both.code, both.errors).toBe(0);
  expect(alone.objects.length).toBeGreaterThan(0);
  for (const name of ['Night', 'Other'])
    expect(
      both.objects
        .filter(({ connection }) => connection === name)
        .map(({ family, count, sessions, clients }) => ({ family, count, sessions, clients })),
    ).toEqual(
      alone.objects.map(({ family, count, sessions, clients }) => ({ family, count, sessions, clients })),
    );
  expect(both.objects[0]?.['countOfAll']).toBe(2 * Number(alone.objects[0]?.['count']));
  expect(both.errors).toContain('"Night", "Other" read the same tenant');
});

it('names the connection of which the period is not cached, and ends as incomplete', async () => {
  const all = await list('--all-connections');
  expect(all.code).toBe(5);
  expect(all.errors).toMatch(/Empty, inbound-detail: Incomplete/);
  expect(all.objects.some(({ connection }) => connection === 'Empty')).toBe(false);
});

it('lists findings and incidents of each connection with its name', async () => {
  const found = await cli.run('incidents', ...BOTH, ...PERIOD);
  expect(found.code, found.errors).toBe(0);
  expect(found.output).toMatch(/^Night: \d+ incidents?/m);
  expect(found.output).toMatch(/^Other: \d+ incidents?/m);
  const now = await cli.run('findings', '--all-connections');
  expect(now.output).toMatch(/^Empty: 0 findings, nothing is cached in full/m);
});

it('runs a statement over several connections, whose rows say which one they are of', async () => {
  const statement = 'SELECT connection, count(*) AS n FROM inbound GROUP BY 1 ORDER BY 1';
  const alone = await cli.run(
    ...['sql', 'SELECT count(*) AS n FROM inbound', '--connection', 'Night', ...PERIOD, '--json'],
  );
  const both = await cli.run('sql', statement, ...BOTH, ...PERIOD, '--json');
  expect(both.code, both.errors).toBe(0);
  expect(both.objects).toEqual(
    ['Night', 'Other'].map((connection) => ({ connection, n: alone.objects[0]?.['n'] })),
  );
  const all = await cli.run('sql', statement, '--all-connections', ...PERIOD, '--json');
  expect(all.code).toBe(5);
  expect(all.errors).toMatch(/Empty: Incomplete/);
});

it.each<[string, string[], RegExp]>([
  ['all and one', ['--all-connections', '--connection', 'Night'], /leave --connection out/],
  ['none', [], /--connection is missing/],
  ['a change of a family', [...BOTH, '--family', 'x', '--rename', 'y'], /name one --connection/],
  ['patterns of bodies', [...BOTH, '--field', 'payload'], /name one --connection/],
])('%s can not be asked of several', async (_title, words, message) => {
  const run = await list(...words);
  expect(run.code).toBe(2);
  expect(run.errors).toMatch(message);
});
