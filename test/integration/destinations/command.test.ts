import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { CommandLine } from '../../../src-main/common/model/alerts/destination.ts';
import { runCommand } from '../../../src-main/core/destinations/send-message.ts';
import { createInMemorySecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import { openDestinations, toAlert, toInput } from './destination-rig.ts';

const KILLS = Number(process.env['CHANNELSCOPE_TEST_KILLS'] ?? 6);
const CANARY = 'canary41c7e09b';
const TAKER = fileURLToPath(new URL('take-message.ts', import.meta.url));

let folder: string;
let taken: string;
let nowMs: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'commands-'));
  taken = join(folder, 'taken.ndjson');
  nowMs = Date.UTC(2026, 10, 28);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, maxRetries: 5 });
});

const toCommand = (how = '0', ...rest: string[]): CommandLine => ({
  program: process.execPath,
  args: [TAKER, taken, how, ...rest],
});
const toCommandInput = (command: CommandLine, destinationId: string | null = null) => ({
  destinationId,
  draft: { ...toInput('').draft, kind: 'command' as const, command },
});

interface Taken {
  readonly pid: number;
  readonly message: { readonly id: string; readonly text: string; readonly alerts: { ruleId: string }[] };
  readonly rest: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}
async function readTaken(): Promise<Taken[]> {
  const text = await readFile(taken, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Taken);
}
const open = (options: Partial<Parameters<typeof openDestinations>[1]> = {}) =>
  openDestinations(folder, { now: () => nowMs, ...options });
type Opened = Awaited<ReturnType<typeof open>>;
const readLast = async (destinations: Opened) => (await destinations.list())[0]?.deliveries[0];
async function sendOne(destinations: Opened, place = 1): Promise<void> {
  await destinations.note([toAlert(place)]);
  nowMs += 10_000;
  await destinations.look();
}

it('a command gets alerts as JSON on standard input, and its arguments to the letter', async () => {
  vi.stubEnv('CANARY', CANARY);
  const destinations = await open();
  const strange = ['a b', '$HOME', '; touch x', '"', "'", '{text}', '*', ''];
  const saved = await destinations.save(toCommandInput(toCommand('0', ...strange)));
  expect(saved).toMatchObject({ kind: 'command', host: 'node', command: { program: process.execPath } });
  await destinations.note([toAlert(1), toAlert(2)]);
  nowMs += 10_000;
  await destinations.look();
  const [one, ...others] = await readTaken();
  expect(others).toEqual([]);
  expect(one?.rest).toEqual(strange);
  expect(one?.message).toMatchObject({
    version: 1,
    alerts: [{ ruleId: 'rule-1', kind: 'fired' }, { ruleId: 'rule-2' }],
  });
  expect(one?.message.text).toContain('Firing: Rule 1. Error share 12% for 10 minutes.\nFiring: Rule 2.');
  // Nothing else of the environment that it runs in.
  expect(one?.variables).toEqual({
    CHANNELSCOPE_DELIVERY: one?.message.id,
    CHANNELSCOPE_ALERTS: '2',
    CHANNELSCOPE_TEXT: one?.message.text,
  });
  expect(await readLast(destinations)).toMatchObject({ state: 'sent', answer: 'exit 0 taken x' });
  expect(await destinations.sendTest(saved.id)).toMatchObject({ state: 'sent' });
  expect((await readTaken())[1]?.message.alerts).toMatchObject([{ kind: 'test' }]);
});

it('one that fails is tried again with a growing pause, and later messages wait for it', async () => {
  const destinations = await open();
  const { id } = await destinations.save(toCommandInput(toCommand('3')));
  await sendOne(destinations);
  await destinations.note([toAlert(2)]);
  nowMs += 29_000;
  await destinations.look();
  expect(await readTaken()).toHaveLength(1);
  expect(await readLast(destinations)).toMatchObject({ state: 'waiting', attempts: 0 });
  nowMs += 1000;
  await destinations.look();
  expect(await readTaken()).toHaveLength(2);
  await destinations.save(toCommandInput(toCommand('0'), id));
  nowMs += 60_000;
  await destinations.look();
  const found = await readTaken();
  expect(found.map(({ message }) => message.alerts.map(({ ruleId }) => ruleId).join())).toEqual([
    'rule-1',
    'rule-1',
    'rule-1',
    'rule-2',
  ]);
  expect(new Set(found.slice(0, 3).map(({ message }) => message.id)).size).toBe(1);
});

it('nothing is run for what is muted, and what a planned time holds is run after it', async () => {
  let planned = true;
  const destinations = await open({
    isMuted: ({ ruleId }) => ruleId === 'rule-1',
    isPlanned: ({ ruleId }) => planned && ruleId === 'rule-2',
  });
  await destinations.save(toCommandInput(toCommand()));
  await sendOne(destinations, 1);
  await sendOne(destinations, 2);
  expect(await readTaken()).toEqual([]);
  planned = false;
  nowMs += 60_000;
  await destinations.look();
  expect((await readTaken()).map(({ message }) => message.alerts[0]?.ruleId)).toEqual(['rule-2']);
});

const RUN = {
  delivery: { id: 'one', alerts: [] },
  text: 'Firing',
  body: '{}',
  cleanText: (text: string) => text.replaceAll(CANARY, '•••'),
};
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

it('keeps the start of what a program says, without secrets, and ends one that takes too long', async () => {
  const { signal } = new AbortController();
  const loud = await runCommand({ ...RUN, command: toCommand('loud', CANARY), signal });
  expect(loud.outcome).toBe('sent');
  expect(loud.answer.length).toBeLessThanOrEqual(200);
  const said = {
    program: process.execPath,
    args: ['-e', `console.error('no\\n${CANARY}'); process.exit(9)`],
  };
  expect(await runCommand({ ...RUN, command: said, signal })).toEqual({
    outcome: 'retry',
    answer: 'exit 9 no •••',
    retryAfterMs: null,
  });
  const slow = await runCommand({ ...RUN, command: toCommand('never'), signal, limitMs: 1500 });
  expect(slow).toMatchObject({
    outcome: 'retry',
    answer: expect.stringMatching(/^client\.timeout/) as string,
  });
  const { pid = 0 } = (await readTaken()).at(-1) ?? {};
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false));
  const gone = { program: join(folder, 'gone'), args: [] };
  expect(await runCommand({ ...RUN, command: gone, signal })).toMatchObject({
    outcome: 'retry',
    answer: 'ENOENT',
  });
});

it('a program that reads nothing, or leaves one behind that holds its output, is over when it ends', async () => {
  const { signal } = new AbortController();
  const body = 'x'.repeat(5_000_000);
  const deaf = { program: process.execPath, args: ['-e', 'process.exit(0)'] };
  expect(await runCommand({ ...RUN, body, command: deaf, signal })).toMatchObject({ outcome: 'sent' });
  const leaving = `
    const child = require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 4000)'],
      { stdio: ['ignore', 'inherit', 'inherit'] });
    child.unref(); process.stdout.write('left'); process.exit(0)`;
  const startedAt = performance.now();
  const left = await runCommand({
    ...RUN,
    command: { program: process.execPath, args: ['-e', leaving] },
    signal,
  });
  expect(left).toMatchObject({ outcome: 'sent', answer: 'exit 0 left' });
  expect(performance.now() - startedAt).toBeLessThan(3500);
});

it('a program that runs is ended with the application, and its message comes again', async () => {
  const destinations = await open();
  await destinations.save(toCommandInput(toCommand('never')));
  await destinations.note([toAlert(1)]);
  nowMs += 10_000;
  const looking = destinations.look().catch((error: unknown) => error);
  await vi.waitFor(async () => expect(await readTaken()).toHaveLength(1), 10_000);
  const { pid = 0 } = (await readTaken())[0] ?? {};
  expect(isAlive(pid)).toBe(true);
  destinations.stop();
  await looking;
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false));
  expect(await readLast(destinations)).toMatchObject({ state: 'waiting', attempts: 0 });
});

it('no file of a data folder brings a command: it is run only as somebody saved it on this computer', async () => {
  const secrets = createInMemorySecretStore();
  const { id } = await (await open({ secrets })).save(toCommandInput(toCommand()));
  const file = join(folder, 'destinations.json');
  const kept = await readFile(file, 'utf8');
  await writeFile(file, kept.replace(`"${TAKER}"`, `"${TAKER}", "${join(folder, 'planted')}"`));
  for (const store of [secrets, createInMemorySecretStore()]) {
    const destinations = await open({ secrets: store });
    expect((await destinations.list())[0]?.isForeign).toBe(true);
    nowMs += 3_600_000;
    await sendOne(destinations);
    expect(await destinations.sendTest(id)).toMatchObject({
      state: 'failed',
      answer: 'destinations.command',
    });
  }
  expect(await readdir(folder)).not.toContain('planted');
  expect(await readTaken()).toEqual([]);

  await writeFile(file, kept);
  const again = await open({ secrets });
  expect((await again.list())[0]?.isForeign).toBe(false);
  nowMs += 3_600_000;
  await again.look();
  expect(await readTaken()).not.toEqual([]);
});

it.each([
  ['relative', 'notify'],
  ['missing', '/nowhere/notify'],
  ['missing', tmpdir()],
])('refuses a program that is %s', async (reason, program) => {
  const destinations = await open();
  const saving = destinations.save(toCommandInput({ program, args: [] }));
  await expect(saving).rejects.toMatchObject({ code: 'destinations.command', details: { reason } });
  expect(await destinations.list()).toEqual([]);
});

it.skipIf(process.platform === 'win32')('refuses a file that is no program', async () => {
  const file = join(folder, 'notes.txt');
  await writeFile(file, 'notes');
  await chmod(file, 0o600);
  const saving = (await open()).save(toCommandInput({ program: file, args: [] }));
  await expect(saving).rejects.toMatchObject({ details: { reason: 'not-executable' } });
});

it(
  `loses no alert and keeps their order over ${KILLS} kills`,
  { tags: 'long', timeout: 60_000 + KILLS * 5000 },
  async () => {
    const count = 40;
    const script = fileURLToPath(new URL('note-alerts.ts', import.meta.url));
    for (let round = 0; round <= KILLS; round += 1) {
      const args = [script, folder, JSON.stringify(toCommand()), String(count)];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      const ended = once(child, 'exit');
      if (round < KILLS) {
        await Promise.race([once(child.stdout, 'data'), ended]);
        await delay(20 + ((round * 97) % 400));
        child.kill('SIGKILL');
      }
      const [code] = (await ended) as [number | null];
      if (round === KILLS) expect(code).toBe(0);
    }
    const messages = (await readTaken()).map(({ message }) => message);
    const byId = new Map(messages.map(({ id, alerts }) => [id, alerts.map(({ ruleId }) => ruleId)]));
    expect([...byId.values()].flat()).toEqual(
      Array.from({ length: count }, (_, place) => `rule-${place + 1}`),
    );
    expect(messages.length - byId.size).toBeLessThanOrEqual(KILLS);
  },
);
