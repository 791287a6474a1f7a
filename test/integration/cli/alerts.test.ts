import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { AlertCondition } from '../../../src-main/common/model/alerts/alert-rule.ts';
import { createSharedCore } from '../../../src-main/core/create-core.ts';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { MINUTE_MS } from '../../../src-main/common/time/durations.ts';
import { createTestHost } from '../../support/application/test-host.ts';
import { startTestService } from '../../support/service/running-service.ts';
import { createCommandRunner, type CommandRunner } from './run-command.ts';

let folder: string;
let service: RunningService;
let cli: CommandRunner;
const records = { direction: 'inbound' as const, filter: { conditions: [] }, minutes: 60 };
const EACH = 'Any request of a channel';
const RULES: Readonly<Record<string, AlertCondition>> = {
  'Any request': {
    kind: 'measure',
    measure: 'volume',
    comparison: 'above',
    threshold: 0,
    minRequests: 1,
    ...records,
  },
  [EACH]: {
    kind: 'measure',
    measure: 'volume',
    comparison: 'above',
    threshold: 0,
    minRequests: 1,
    ...records,
    each: 'channel',
    critical: 1_000_000,
  },
  'All fail': {
    kind: 'measure',
    measure: 'error-share',
    comparison: 'above',
    threshold: 0.99,
    minRequests: 1,
    ...records,
  },
  'Any finding': { kind: 'finding', channel: null, service: null, isFailuresOnly: false },
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channelscope-alerts-'));
  service = await startTestService({ records: 20_000, days: 2, live: true });
  cli = createCommandRunner(folder);
  cli.environment['A'] = service.accessToken;
  cli.environment['B'] = service.accessTokenSecret;
  const words = ['--name', 'Watched', '--address', service.url, '--tenant', String(service.tenant)];
  const added = await cli.run(
    'connection',
    'add',
    ...words,
    '--token-env',
    'A',
    '--secret-env',
    'B',
    '--json',
  );
  expect(added.code, added.errors).toBe(0);
  const { host, remove } = await createTestHost({ dataFolder: folder });
  const core = await createSharedCore(host, { byItself: 'nothing' });
  const { id: connectionId } = added.objects[0] as { id: string };
  for (const [name, condition] of Object.entries(RULES)) {
    const draft = { connectionId, name, isActive: true, condition };
    const saved = await core.call('alerts/save-rule', { ruleId: null, draft, origin: 'hand' });
    expect(saved).toMatchObject({ ok: true });
  }
  await core.stop();
  await remove();
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const toStates = (objects: readonly Record<string, unknown>[]): Record<string, unknown> =>
  Object.fromEntries(objects.map(({ name, state }) => [String(name), state]));

it('rules are listed, and looked at once with an exit code that a script can decide by', async () => {
  const listed = await cli.run('alerts', 'list', '--json');
  expect(listed.code, listed.errors).toBe(0);
  expect(listed.objects).toMatchObject(
    Object.keys(RULES).map((name) => ({ name, connection: 'Watched', isActive: true, firingSince: null })),
  );

  // Nothing is cached: no rule is said to be quiet.
  const blind = await cli.run('alerts', 'check', '--json');
  expect(blind.code, blind.errors).toBe(5);
  expect(toStates(blind.objects)).toEqual({
    'Any request': 'unknown',
    [EACH]: 'unknown',
    'All fail': 'unknown',
    'Any finding': 'unknown',
  });

  // Also early in the day, when less than the hour that the rules look at is followed: nothing is said of it.
  const fetched = await cli.run(
    ...['fetch', '--connection', 'Watched', '--report', 'inbound-detail'],
    ...['--from', 'now-24h', '--to', 'now-1m'],
  );
  expect(fetched.code, fetched.errors).toBe(0);
  const followed = await cli.run('follow', '--connection', 'Watched', '--once');
  expect(followed.code, followed.errors).toBe(0);
  const checked = await cli.run('alerts', 'check', '--connection', 'Watched', '--json');
  expect(checked.code, checked.errors).toBe(9);
  expect(toStates(checked.objects)).toEqual({
    'Any request': 'firing',
    [EACH]: 'firing',
    'All fail': 'quiet',
    'Any finding': expect.stringMatching(/^(?:firing|quiet|unknown)$/u) as string,
  });
  const judgedTo = checked.objects.map((each) => Date.parse(String(each['judgedTo'])));
  expect(Math.min(...judgedTo)).toBeGreaterThan(Date.now() - 10 * MINUTE_MS);
  // One line for each channel, with its own state.
  const channels = checked.objects.filter(({ name }) => name === EACH);
  expect(channels.length).toBeGreaterThan(1);
  expect(new Set(channels.map(({ value }) => value)).size).toBe(channels.length);
  expect(new Set(channels.map(({ level }) => level))).toEqual(new Set(['warning']));
  // One line for each finding that goes on, and what "findings" lists too.
  const listedNow = await cli.run('findings', '--connection', 'Watched', '--json');
  const found = checked.objects.filter(({ name, state }) => name === 'Any finding' && state === 'firing');
  expect(found).toHaveLength(listedNow.objects.length);
  for (const { finding, text } of found)
    expect({ finding, text }).toMatchObject({
      finding: { kind: expect.any(String) as string, directions: expect.any(Array) as unknown[] },
      text: expect.stringMatching(/./u) as string,
    });
  // It told nobody: the rule stands where it stood.
  const after = await cli.run('alerts', 'list', '--json');
  expect(after.objects.map(({ firingSince }) => firingSince)).toEqual([null, null, null, null]);

  // A few minutes may begin between what fetched and a check; nothing is said of much later.
  const stateLater = async (minutes: number): Promise<unknown> => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * MINUTE_MS });
    const later = await cli.run('alerts', 'check', '--json').finally(() => vi.useRealTimers());
    return later.objects.find(({ name }) => name === 'All fail')?.['state'];
  };
  expect(await stateLater(2)).toBe('quiet');
  expect(await stateLater(20)).toBe('unknown');
});

it('watching follows a connection and says what fires, until it is ended', async () => {
  const nobody = await cli.run('alerts', 'watch');
  expect(nobody).toMatchObject({
    code: 6,
    errors: expect.stringContaining('No connection is followed') as string,
  });

  const run = cli.runWatched(
    ['alerts', 'watch', '--connection', 'Watched', '--json'],
    () => undefined,
    // What was found at the same time is said to its end.
    (text, interrupt) => {
      if (text.includes(EACH)) interrupt();
    },
  );
  const { code, objects } = await run;
  expect(code).toBe(7);
  expect(objects[0]).toMatchObject({
    kind: 'fired',
    rule: 'Any request',
    connection: 'Watched',
    notice: 'together',
  });
  // One for each channel, which says which.
  const channels = objects.slice(1);
  expect(channels.length).toBeGreaterThan(1);
  for (const each of channels)
    expect(each).toMatchObject({
      kind: 'fired',
      rule: EACH,
      level: 'warning',
      value: expect.any(Number) as number,
    });
});
