import { flushPromises } from '@vue/test-utils';
import { expect, test, vi } from 'vitest';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import type { StatusSample } from '../../../../src-main/common/model/connections/status.ts';
import { useAppStore, useTasksStore } from '../../../../src-renderer/stores/window/app.ts';
import { useClockStore, usePeriodStore } from '../../../../src-renderer/stores/window/times.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { useFindingsStore } from '../../../../src-renderer/stores/analysis/findings.ts';
import { useStatusStore } from '../../../../src-renderer/stores/connections/status.ts';
import { createMediaQuery } from '../support/media-query.ts';
import { makeConnection, makeHistory, makeSample, makeSettings, makeTask } from '../support/samples.ts';
import { installStores, ScriptedBackend } from '../support/scripted-backend.ts';

const INFO = {
  version: '0.1.0',
  platform: 'linux',
  host: 'web',
  dataFolder: '/data',
  mayBeReadByOthers: false,
  isSafe: false,
  keychain: { kind: 'session', failure: 'locked', isWaiting: false, file: 'none' },
  nowMs: 0,
} as const;

async function startStores(script: ConstructorParameters<typeof ScriptedBackend>[0] = {}) {
  let settings = makeSettings();
  const backend = new ScriptedBackend({
    'app/get-info': () => ({
      ...INFO,
      keychain: { ...INFO.keychain },
      systemLanguages: ['en'],
    }),
    'settings/get': () => settings,
    'settings/update': (change) => (settings = { ...settings, ...change }),
    'connections/list': () => [makeConnection(), makeConnection({ id: 'b', serviceZone: 'UTC' })],
    ...script,
  });
  installStores(backend);
  await useAppStore().load();
  await useConnectionsStore().load();
  return { backend };
}

test('the first connection is active until another is chosen', async () => {
  await startStores();
  const connections = useConnectionsStore();
  expect(connections.active?.id).toBe('a');
  connections.show('b');
  expect(connections.active?.id).toBe('b');
});

test('seen: of two changes of one setting at the same moment the first was lost', async () => {
  let settings = makeSettings();
  const answers: (() => void)[] = [];
  const { backend } = await startStores({
    'settings/update': (change) =>
      new Promise((resolve, reject) => {
        answers.push(() => {
          if (change.theme === 'dark') reject(new AppError('cache.disk-full', 'The disk is full.'));
          else resolve((settings = { ...settings, ...change }));
        });
      }),
  });
  const app = useAppStore();
  const answer = async (): Promise<void> => {
    answers.shift()!();
    await flushPromises();
  };
  const fold = app.update({ fieldsPanel: { folded: ['channel'] } });
  const close = app.update({ fieldsPanel: { ...app.settings!.fieldsPanel, open: false } });
  const paint = app.update({ theme: 'dark' });
  paint.catch(() => undefined);
  const both = { folded: ['channel'], open: false };
  expect([app.settings?.fieldsPanel, app.settings?.theme]).toEqual([both, 'dark']);
  await flushPromises();
  // The second waits until the first is saved, and what another window saved meanwhile stays.
  expect(backend.countCalls('settings/update')).toBe(1);
  await answer();
  await fold;
  backend.emit('settings/changed', { ...settings, density: 'comfortable' });
  expect(app.settings).toMatchObject({ fieldsPanel: both, density: 'comfortable' });
  await answer();
  await close;
  await answer();
  await expect(paint).rejects.toThrow('The disk is full.');
  expect(app.updateError?.code).toBe('cache.disk-full');
  expect(app.settings).toMatchObject({ fieldsPanel: both, theme: makeSettings().theme });
});

test('status is refreshed for the new connection although the old one hangs', async () => {
  const asked: string[] = [];
  await startStores({
    'status/refresh': ({ connectionId }) => {
      asked.push(connectionId);
      return connectionId === 'a' ? new Promise(() => undefined) : makeSample({ connectionId });
    },
    'status/read-history': () => makeHistory(null),
  });
  const status = useStatusStore();
  await flushPromises();
  expect([asked, status.isRefreshing]).toEqual([['a'], true]);
  useConnectionsStore().show('b');
  await flushPromises();
  expect([asked, status.isRefreshing]).toEqual([['a', 'b'], false]);
  expect(status.latest?.connectionId).toBe('b');
});

test('a connection that was left takes no failure from the one that is shown', async () => {
  let respond: ((sample: StatusSample) => void) | undefined;
  const asked: string[] = [];
  await startStores({
    'status/refresh': ({ connectionId }) => {
      asked.push(connectionId);
      return connectionId === 'a'
        ? new Promise((resolve) => (respond = resolve))
        : Promise.reject(new AppError('app.bug', 'It failed.'));
    },
    'status/read-history': ({ connectionId }) => makeHistory(makeSample({ connectionId })),
  });
  const status = useStatusStore();
  await flushPromises();
  useConnectionsStore().show('b');
  await flushPromises();
  expect([status.error?.code, status.reach]).toEqual(['app.bug', 'not-checked']);
  respond?.(makeSample({ checkedAtMs: 9000 }));
  await flushPromises();
  expect([status.error?.code, status.reach, asked]).toEqual(['app.bug', 'not-checked', ['a', 'b']]);
});

test('a connection that is left before its history is read is asked for nothing more', async () => {
  const reads: (() => void)[] = [];
  const asked: string[] = [];
  await startStores({
    'status/refresh': ({ connectionId }) => {
      asked.push(connectionId);
      return makeSample({ connectionId, checkedAtMs: asked.length * 1000 });
    },
    'status/read-history': () => new Promise((resolve) => reads.push(() => resolve(makeHistory(null)))),
  });
  useStatusStore();
  useConnectionsStore().show('b');
  await flushPromises();
  reads[0]?.();
  await flushPromises();
  expect(asked).toEqual([]);
  reads[1]?.();
  await flushPromises();
  expect(asked).toEqual(['b']);
});

test('what stands out follows the connection, whatever screen is shown', async () => {
  await startStores({
    'findings/list': ({ connectionId }) => ({
      findings: (connectionId === 'b' ? [{}, {}] : [{}]) as never,
      resolved: [],
      untilMs: 0,
      gaps: [],
    }),
  });
  const findings = useFindingsStore();
  await flushPromises();
  expect(findings.report?.findings).toHaveLength(1);
  useConnectionsStore().show('b');
  await flushPromises();
  expect(findings.report?.findings).toHaveLength(2);
});

test('the first records are looked at as soon as they are there', async () => {
  let untilMs: number | null = null;
  const { backend } = await startStores({
    'findings/list': () => ({ findings: [], resolved: [], untilMs, gaps: [] }),
  });
  const findings = useFindingsStore();
  const change = async (): Promise<void> => {
    backend.emit('snapshots/changed', { connectionId: 'a' } as never);
    await flushPromises();
  };
  await flushPromises();
  await change();
  expect(findings.report?.untilMs).toBeNull();
  untilMs = 1;
  const changed = change();
  expect(findings.report).toBeNull();
  await changed;
  expect(findings.report?.untilMs).toBe(1);
});

test('findings of before the first records came are not shown', async () => {
  const waiting: ((untilMs: number | null) => void)[] = [];
  const { backend } = await startStores({
    'findings/list': async () => ({
      findings: [],
      resolved: [],
      untilMs: await new Promise<number | null>((answer) => void waiting.push(answer)),
      gaps: [],
    }),
  });
  const findings = useFindingsStore();
  await flushPromises();
  backend.emit('snapshots/changed', { connectionId: 'a' } as never);
  waiting.shift()?.(null);
  await flushPromises();
  expect(findings.report).toBeNull();
  waiting.shift()?.(1);
  await flushPromises();
  expect(findings.report?.untilMs).toBe(1);
});

test('a keychain that lasts for the session only is reported', async () => {
  await startStores();
  expect(useAppStore().secretsForSessionOnly).toBe(true);
});

test('the theme goes round system, light and dark', async () => {
  vi.spyOn(window, 'matchMedia').mockImplementation((query) => createMediaQuery(query.includes('dark')));
  await startStores();
  const app = useAppStore();
  expect(app.isDark).toBe(true);
  await app.cycleTheme();
  expect([app.theme, app.isDark]).toEqual(['light', false]);
  await app.cycleTheme();
  await app.cycleTheme();
  expect(app.theme).toBe('system');
});

test('a task from an event is newer than the list', async () => {
  const { backend } = await startStores({
    'tasks/list': () => {
      backend.emit('tasks/changed', makeTask({ done: 2 }));
      return [makeTask({ done: 1 }), makeTask({ id: 't2', state: 'done' })];
    },
  });
  const tasks = useTasksStore();
  await tasks.load();
  expect(tasks.find('t1')?.done).toBe(2);
  expect(tasks.running.map((task) => task.id)).toEqual(['t1']);
});

test('the period is as of now, in the zone of the connection', async () => {
  await startStores();
  const period = usePeriodStore();
  const asked = period.toPeriod(Date.UTC(2026, 10, 20, 20, 52), makeConnection());
  expect([asked.startDate, asked.endDate]).toEqual(['2026-11-19 15:52:00', '2026-11-20 15:52:00']);
});

test('each connection has a clock of its own, which its days follow', async () => {
  const { backend } = await startStores();
  await useAppStore().update({ clock: 'utc', clocks: { gone: 'local' } });
  const clock = useClockStore();
  const period = usePeriodStore();
  period.select({ kind: 'preset', preset: 'yesterday' });
  const read = () => period.toPeriod(Date.UTC(2026, 10, 20, 3), makeConnection());
  expect([clock.choice, clock.zone, read().startDate]).toEqual(['utc', 'UTC', '2026-11-18 19:00:00']);
  await clock.choose('service');
  expect(clock.zone).toBe('America/Bogota');
  // In Bogota it is still the 19th.
  expect([read().startDate, read().endDate]).toEqual(['2026-11-18 00:00:00', '2026-11-18 23:59:59']);
  // The choice of a connection that is gone is not kept.
  expect(backend.calls.at(-1)?.input).toEqual({ clocks: { a: 'service' } });
  useConnectionsStore().show('b');
  expect(clock.choice).toBe('utc');
  await clock.choose('local');
  expect(clock.readChoice({ id: 'a' })).toBe('service');
  expect(clock.zone).toBe(new Intl.DateTimeFormat().resolvedOptions().timeZone);
});

test('two instants stay what they are in each clock', async () => {
  await startStores();
  const period = usePeriodStore();
  period.selectSpan({ fromMs: Date.UTC(2026, 10, 20), toMs: Date.UTC(2026, 10, 20, 5) });
  const before = period.toPeriod(Date.UTC(2026, 10, 21), makeConnection());
  await useClockStore().choose('utc');
  expect(period.toPeriod(Date.UTC(2026, 10, 21), makeConnection())).toEqual(before);
});

test('decision 28, client: unreachable, refused and not checked are distinguished', async () => {
  const { backend } = await startStores({
    'status/refresh': () => makeSample(),
    'status/read-history': () => makeHistory(null),
  });
  const status = useStatusStore();
  expect(status.reach).toBe('not-checked');
  await flushPromises();
  expect(status.reach).toBe('online');
  backend.emit('status/checked', makeSample({ checkedAtMs: 2000, failure: 'client.unreachable' }));
  expect([status.reach, status.isOffline]).toEqual(['offline', true]);
  backend.emit('status/checked', makeSample({ checkedAtMs: 3000, failure: 'client.credentials-refused' }));
  expect([status.reach, status.isOffline]).toEqual(['refused', false]);
  backend.emit('status/checked', makeSample({ checkedAtMs: 4000, connectionId: 'b' }));
  expect(status.latest?.checkedAtMs).toBe(3000);
});

test('a sample that the core took by itself brings its history along', async () => {
  const { backend } = await startStores({
    'status/refresh': () => makeSample(),
    'status/read-history': () => makeHistory(null),
  });
  useStatusStore();
  await flushPromises();
  const count = () => backend.calls.filter((call) => call.name === 'status/read-history').length;
  const before = count();
  backend.emit('status/checked', makeSample({ checkedAtMs: 2000, connectionId: 'b' }));
  backend.emit('status/checked', makeSample({ checkedAtMs: 3000 }));
  await flushPromises();
  expect(count()).toBe(before + 1);
});

test('nothing but a store itself changes its state', () => {
  installStores(new ScriptedBackend({}));
  const period = usePeriodStore();
  const connections = useConnectionsStore();
  const change = (): void => {
    // @ts-expect-error A property of a store is read-only outside of it.
    period.selection = { kind: 'preset', preset: 'today' };
    // @ts-expect-error A property of a store is read-only outside of it.
    connections.list = [];
  };
  // Never called: the types alone forbid it.
  expect(change).toBeTypeOf('function');
  period.select({ kind: 'preset', preset: 'today' });
  expect(period.selection).toEqual({ kind: 'preset', preset: 'today' });
});
