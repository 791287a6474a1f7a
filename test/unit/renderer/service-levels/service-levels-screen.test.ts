import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { TooltipProvider } from 'reka-ui';
import { h } from 'vue';
import { beforeEach, expect, it } from 'vitest';
import {
  type LevelReport,
  type ServiceLevel,
  toServiceLevelsFile,
} from '../../../../src-main/common/model/connections/service-level.ts';
import {
  toLevelDays,
  readLevelFields,
  toLevelFields,
} from '../../../../src-renderer/screens/service-levels/levels.ts';
import ServiceLevelsScreen from '../../../../src-renderer/screens/service-levels/ServiceLevelsScreen.vue';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const FROM = Date.UTC(2026, 9, 1);
const LEVEL: ServiceLevel = {
  id: 'a',
  name: 'Night shift',
  part: 'platform',
  target: 99.5,
  zone: 'UTC',
  hours: [],
  leavesOutPlanned: true,
};
const OUTAGE = { fromMs: FROM + 2 * DAY + 600 * MINUTE, toMs: FROM + 2 * DAY + 638 * MINUTE };
const REPORT: LevelReport = {
  level: LEVEL,
  month: '2026-10',
  fromMs: FROM,
  toMs: FROM + 31 * DAY,
  untilMs: FROM + 31 * DAY,
  isOver: true,
  serviceMs: 31 * DAY,
  plannedMs: 180 * MINUTE,
  agreedMs: 31 * DAY - 180 * MINUTE,
  dueMs: 31 * DAY - 180 * MINUTE,
  upMs: 30 * DAY - 218 * MINUTE,
  downMs: 38 * MINUTE,
  unwatchedMs: DAY,
  budgetMs: 222.3 * MINUTE,
  state: 'met-watched',
  outages: [{ ...OUTAGE, downMs: 38 * MINUTE, isOngoing: false }],
  gaps: [{ fromMs: FROM + 9 * DAY, toMs: FROM + 10 * DAY }],
  gapCount: 1,
  planned: [{ fromMs: FROM + DAY, toMs: FROM + DAY + 180 * MINUTE, name: 'Maintenance' }],
  service: [{ fromMs: FROM, toMs: FROM + 31 * DAY }],
  checkedSinceMs: FROM - DAY,
};

beforeEach(() => sessionStorage.clear());

async function show(
  serviceLevels: ServiceLevel[],
  path = '/service-levels?month=2026-10',
): Promise<{ page: VueWrapper; backend: ScriptedBackend }> {
  const connection = makeConnection({ id: 'one', serviceLevels });
  const backend = new ScriptedBackend({
    'app/get-info': () => ({ platform: 'macos', host: 'web', nowMs: 0, keychain: {} }) as never,
    'settings/get': () => makeSettings({ clock: 'utc', lastConnectionId: 'one' }),
    'connections/list': () => [connection],
    'service-levels/read': ({ month }) => [{ ...REPORT, month: month ?? '2026-10' }],
    'service-levels/save': () => connection,
    'service-levels/remove': () => connection,
    'exports/start-service-levels': () => ({ taskId: 't' }),
  });
  const { global } = await provideApplication(backend, path);
  await useAppStore().load();
  await useConnectionsStore().load();
  const page = mount({ render: () => h(TooltipProvider, () => h(ServiceLevelsScreen)) }, { global });
  await flushPromises();
  return { page, backend };
}

const press = async (page: VueWrapper, text: string): Promise<void> => {
  await page
    .findAll('button')
    .find((button) => button.text().includes(text))
    ?.trigger('click');
  await flushPromises();
};

it('says what was reached, of which budget, how much of the month was watched, and what is not known', async () => {
  const { page } = await show([LEVEL]);
  const text = page.find('.view').text().replaceAll(/\s+/gu, ' ');
  for (const part of [
    'Night shift',
    'Met as far as watched',
    'Platform up 99.5% of all hours in each calendar month (UTC), planned times excluded.',
    // Of watched time, rounded down, and what it would be at worst.
    '99.91% of 99.5%',
    'at least 96.67% with time not watched as down',
    '38 of 222 min',
    'at most 184 min left',
    '96% of the month',
    '1 d in 1 gap not watched',
    '38 in 1 outage',
    '3 Oct 10:00 – 10:38',
    'Maintenance',
  ])
    expect(text).toContain(part);
  expect(page.find('a[href*="/incidents"]').attributes('href')).toContain('2026-10-03');
  expect(page.text()).toContain('at least 38 of 222 min used');
});

it('a target is written, its month’s budget said before it is saved, and what was typed is kept', async () => {
  const { page, backend } = await show([], '/service-levels/new');
  const fill = (label: string, value: string) =>
    page
      .findAll('.cs-field')
      .find((field) => field.find('label').text() === label)!
      .find('input')
      .setValue(value);
  await fill('Target in percent', '99,95');
  await fill('Name', '');
  await page.find('form').trigger('submit');
  expect(page.text()).toContain('Enter a name.');
  await fill('Name', 'Contract');
  expect(page.text()).toMatch(/min may be down, of/u);
  page.unmount();
  const again = await show([], '/service-levels/new');
  expect(again.page.text()).toContain('Unsaved changes restored');
  await again.page.find('form').trigger('submit');
  await flushPromises();
  expect(again.backend.calls.filter(({ name }) => name === 'service-levels/save')).toMatchObject([
    { input: { connectionId: 'one', levelId: null, draft: { name: 'Contract', target: 99.95, hours: [] } } },
  ]);
  expect(backend.calls.some(({ name }) => name === 'service-levels/save')).toBe(false);
});

it('what was deleted can be restored', async () => {
  const { page, backend } = await show([LEVEL]);
  await press(page, 'Edit');
  await press(page, 'Delete');
  expect(page.text()).toContain('Night shift was deleted.');
  await press(page, 'Undo');
  const [draft] = toServiceLevelsFile([LEVEL]).levels;
  expect(
    backend.calls.filter(({ name }) => name.startsWith('service-levels/') && name !== 'service-levels/read'),
  ).toMatchObject([
    { name: 'service-levels/remove', input: { levelId: 'a' } },
    { name: 'service-levels/save', input: { levelId: null, draft } },
  ]);
});

it('without a target there is one button, and behind imported records nothing to check', async () => {
  const { page } = await show([]);
  expect(page.text()).toContain('Add what was agreed');
  await press(page, 'New target');
  expect(page.find('form').exists()).toBe(true);
});

it.each([
  [{ name: ' ' }, 'name'],
  [{ target: '100.5' }, 'target'],
  [{ target: '99.9999' }, 'target'],
  [{ hasHours: true, hours: [{ weekdays: [], from: '08:00', to: '20:00' }] }, 'days'],
  [{ hasHours: true, hours: [{ weekdays: ['monday' as const], from: '8', to: '20:00' }] }, 'clock'],
  [{ hasHours: true, hours: [{ weekdays: ['monday' as const], from: '08:00', to: '08:00' }] }, 'clock'],
  [{ zone: 'Mars/Base' }, 'zone'],
])('%o is not a target', (change, fault) => {
  expect(readLevelFields({ ...toLevelFields(LEVEL), ...change })).toBe(fault);
});

it('the form gives back what it was given', () => {
  const level = { ...LEVEL, hours: [{ weekdays: ['saturday' as const], from: '22:00', to: '02:00' }] };
  expect(readLevelFields(toLevelFields(level))).toEqual(toServiceLevelsFile([level]).levels[0]);
});

it('a day’s bar shows the shortest outage, and its lengths add up to the month’s', () => {
  const short = {
    ...REPORT,
    outages: [{ ...OUTAGE, toMs: OUTAGE.fromMs + 1_000, downMs: 1_000, isOngoing: false }],
  };
  const days = toLevelDays(short);
  expect(days).toHaveLength(31);
  expect(days[2]?.segments.map(({ state }) => state)).toEqual(['up', 'down', 'up']);
  expect(days[1]?.segments.map(({ state }) => state)).toEqual(['planned', 'up']);
  expect(days[9]?.segments.map(({ state }) => state)).toEqual(['unwatched']);
  const sum = (state: 'up' | 'down' | 'unwatched' | 'planned') =>
    days.reduce((total, { lengthsMs }) => total + lengthsMs[state], 0);
  expect([sum('down'), sum('unwatched'), sum('planned')]).toEqual([1_000, DAY, 180 * MINUTE]);
  expect(sum('up')).toBe(30 * DAY - 180 * MINUTE - 1_000);
});
