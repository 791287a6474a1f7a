import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Input } from '../../../../src-main/common/contract/index.ts';
import { toFirstChoices } from '../../../../src-main/common/model/exports/export-options.ts';
import {
  WEEKDAYS,
  type ScheduleRun,
  type ScheduleState,
  type Schedule,
} from '../../../../src-main/common/model/schedules/schedule.ts';
import { toExportSubject } from '../../../../src-renderer/components/dialogs/export/export-choices.ts';
import ScheduleButton from '../../../../src-renderer/components/dialogs/export/ScheduleButton.vue';
import { useScheduleStore } from '../../../../src-renderer/stores/records/exports.ts';
import SchedulesScreen from '../../../../src-renderer/screens/schedules/SchedulesScreen.vue';
import { useAppStore, useTasksStore } from '../../../../src-renderer/stores/window/app.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const DAY_MS = 86_400_000;
const SCHEDULE: Schedule = {
  id: 's1',
  name: 'Night errors',
  connectionId: makeConnection().id,
  report: 'outbound-detail',
  period: 'yesterday',
  zone: 'UTC',
  query: 'code:>=400',
  choices: toFirstChoices('xlsx'),
  columns: null,
  times: { kind: 'daily', time: '07:00', weekdays: [...WEEKDAYS] },
  isActive: true,
  fetchesMissing: true,
  folder: '/home/ana/reports',
  countsFromMs: 0,
};
const RUN: ScheduleRun = {
  id: 'r1',
  scheduleId: 's1',
  dueAtMs: Date.UTC(2026, 10, 20, 7),
  startedAtMs: Date.UTC(2026, 10, 20, 7),
  endedAtMs: Date.UTC(2026, 10, 20, 7, 1),
  cause: 'time',
  state: 'failed',
  fromMs: Date.UTC(2026, 10, 19),
  toMs: Date.UTC(2026, 10, 20),
  file: null,
  records: null,
  bytes: null,
  missingMs: null,
  writtenToMs: null,
  error: { code: 'schedules.folder-gone', message: 'gone', details: { folder: '/home/ana/reports' } },
  skipped: 2,
};
const STATE: ScheduleState = {
  schedule: SCHEDULE,
  nextAtMs: Date.UTC(2026, 10, 21, 7),
  lastRun: RUN,
  taskId: null,
};

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW_MS }));
afterEach(() => {
  for (const screen of shown.splice(0)) screen.unmount();
  vi.useRealTimers();
});

const shown: VueWrapper[] = [];

async function open(schedules: ScheduleState[], path = '/schedules', isIdle = false) {
  const saved: Input<'schedules/save'>[] = [];
  const backend = new ScriptedBackend({
    'app/get-info': () => ({ platform: 'linux', host: 'desktop' }) as never,
    'settings/get': () => makeSettings(),
    'connections/list': () => [makeConnection()],
    'tasks/list': () => [],
    'schedules/list': () => ({ isIdle, schedules }),
    'schedules/read-log': () => [RUN],
    'schedules/choose-folder': () => ({ folderId: 'f1', folder: '/home/ana/night' }),
    'schedules/save': (input) => {
      saved.push(input);
      return { ...SCHEDULE, ...input.draft, id: 's2' };
    },
    'schedules/run': () => ({ taskId: 't1' }),
    'schedules/remove': () => null,
    'exports/read-choices': () => ({ choices: [], presets: [] }),
  });
  const { router, global } = await provideApplication(backend);
  router.addRoute({ path: '/schedules/:id?', name: 'schedules', component: { template: '<i />' } });
  await router.push(path);
  await useAppStore().load();
  await useConnectionsStore().load();
  await useTasksStore().load();
  const screen = mount(SchedulesScreen, { global, attachTo: document.body });
  shown.push(screen);
  await flushPromises();
  const press = async (name: string): Promise<void> => {
    [...document.querySelectorAll('button')]
      .find((button) => button.textContent.trim() === name || button.getAttribute('aria-label') === name)
      ?.click();
    await flushPromises();
  };
  const readText = (): string =>
    document.body.textContent.replace(/[\u2066-\u2069]/gu, '').replace(/\s+/gu, ' ');
  return { backend, router, global, screen, saved, press, readText };
}

describe('the schedules', () => {
  it('say what each is for, when it is due, and in words why its last run failed', async () => {
    const { readText, press, backend } = await open([STATE]);
    expect(readText()).toContain('every day at 07:00');
    expect(readText()).toContain('Failed 20 Nov 07:00');
    expect(readText()).toContain(
      'for 19 Nov · 2 earlier times skipped · The folder /home/ana/reports is not there',
    );
    expect(readText()).toContain('21 Nov 07:00, for 20 Nov');
    await press('Run again');
    expect(backend.calls.findLast(({ name }) => name === 'schedules/run')?.input).toEqual({
      scheduleId: 's1',
      runId: 'r1',
    });
    await press('Run now');
    expect(backend.calls.findLast(({ name }) => name === 'schedules/run')?.input).toEqual({
      scheduleId: 's1',
    });
  });

  it('say that none runs after a safe start, and that there are none', async () => {
    const idle = await open([STATE], '/schedules', true);
    expect(idle.readText()).toContain('Schedules are paused');
    shown.splice(0)[0]?.unmount();
    const empty = await open([]);
    expect(empty.readText()).toContain('No schedules');
  });

  it('are made of what the export window proposes, once a folder is chosen', async () => {
    const { global, router } = await open([]);
    shown.splice(0)[0]?.unmount();
    const button = mount(ScheduleButton, {
      global,
      props: {
        subject: toExportSubject(
          makeSnapshot({ fromMs: NOW_MS - DAY_MS, toMs: NOW_MS }, { report: 'inbound-detail' }),
        ),
        filter: {
          conditions: [
            { field: 'responseCode', min: 500 },
            { field: 'dateMs', min: 1, max: 2 },
          ],
        },
        choices: toFirstChoices('ndjson'),
        columns: ['Id', 'Date'],
      },
    });
    await button.get('button').trigger('click');
    await flushPromises();
    expect(router.currentRoute.value.fullPath).toBe('/schedules/new');
    expect(useScheduleStore().idea).toMatchObject({ query: 'code:>=500', zone: 'America/Bogota' });
    button.unmount();
    shown.push(mount(SchedulesScreen, { global, attachTo: document.body }));
    await flushPromises();
    const proposed = [...document.querySelectorAll('input')].map(({ value }) => value);
    expect(proposed).toEqual(['Inbound detail', 'code:>=500', '07:00']);
    expect(document.body.textContent).toContain('2 columns, as chosen in the export window');
    shown.splice(0)[0]?.unmount();
    const { press, saved, readText } = await open([], '/schedules/new');
    await press('Save');
    expect(saved).toEqual([]);
    await press('Choose…');
    expect(readText()).toContain('/home/ana/night');
    await press('Save');
    expect(saved).toMatchObject([
      {
        scheduleId: null,
        folderId: 'f1',
        draft: { name: 'Outbound detail', period: 'yesterday', fetchesMissing: true, isActive: true },
      },
    ]);
  });

  it('can’t be saved with a query or a time that is none', async () => {
    const { screen, press, saved, readText } = await open([STATE]);
    const type = async (label: string, text: string): Promise<void> => {
      const field = screen.findAll('label').find((each) => each.text() === label);
      await screen.get(`#${field?.attributes('for') ?? ''}`).setValue(text);
      await flushPromises();
    };
    await type('Only records with', 'size:5');
    expect(readText()).toContain("“size” can't be understood.");
    await press('Save');
    await type('Only records with', 'code:>=500');
    await type('Time', '25:00');
    expect(readText()).toContain('Enter a time such as 07:00.');
    await press('Save');
    expect(saved).toEqual([]);
    await type('Time', '06:30');
    await press('Mon');
    await press('Save');
    expect(saved).toMatchObject([
      {
        scheduleId: 's1',
        draft: { query: 'code:>=500', times: { time: '06:30', weekdays: WEEKDAYS.slice(1) } },
      },
    ]);
    expect(saved[0]).not.toHaveProperty('folderId');
  });
});
