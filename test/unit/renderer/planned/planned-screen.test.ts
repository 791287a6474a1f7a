import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { TooltipProvider } from 'reka-ui';
import { h } from 'vue';
import { expect, it } from 'vitest';
import type { ConnectionPlans, PlannedTime } from '../../../../src-main/common/model/connections/planned.ts';
import { timePlansKey } from '../../../../src-renderer/composables/surroundings.ts';
import TimeBands from '../../../../src-renderer/charts/TimeBands.vue';
import { toBeforeAfter } from '../../../../src-renderer/charts/chart-marks.ts';
import PlannedScreen from '../../../../src-renderer/screens/planned/PlannedScreen.vue';
import { readDate, readFields, toFields } from '../../../../src-renderer/screens/planned/planned-form.ts';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { ref } from 'vue';

const HOUR = 3_600_000;
const WEEKLY: PlannedTime = {
  id: 'a',
  name: 'Weekly maintenance',
  kind: 'planned',
  zone: 'UTC',
  times: { repeats: 'weekly', weekdays: ['thursday'], from: '21:00', minutes: 180 },
  leftOut: { findings: true, alerts: 'muted', uptime: true },
};
const RELEASE_MS = Date.UTC(2026, 10, 26, 12, 30);
const PLANS: ConnectionPlans = {
  times: [WEEKLY],
  marks: [{ id: 'm', kind: 'release', atMs: RELEASE_MS, text: '4.19' }],
};

async function show(
  plans: ConnectionPlans | undefined,
  answers: ConstructorParameters<typeof ScriptedBackend>[0] = {},
  path = '/planned',
): Promise<{ page: VueWrapper; backend: ScriptedBackend }> {
  const connection = makeConnection({ id: 'a', ...(plans === undefined ? {} : { plans }) });
  const backend = new ScriptedBackend({
    'app/get-info': () => ({ platform: 'macos', host: 'web', nowMs: 0, keychain: {} }) as never,
    'settings/get': () => makeSettings({ clock: 'utc', lastConnectionId: 'a' }),
    'connections/list': () => [connection],
    'planned/suggest': () => [],
    'planned/save-time': () => connection,
    'planned/dismiss': () => connection,
    ...answers,
  });
  const { global } = await provideApplication(backend, path);
  await useAppStore().load();
  await useConnectionsStore().load();
  const page = mount({ render: () => h(TooltipProvider, () => h(PlannedScreen)) }, { global });
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

it('lists planned times with when, where and what they are left out of, and opens one in its editor', async () => {
  const { page, backend } = await show(PLANS);
  const row = page.find('.list tbody tr').text();
  for (const part of [
    'Weekly maintenance',
    'Thursday 21:00 – 00:00',
    'All channels and services',
    'alerts muted',
  ])
    expect(row).toContain(part);
  await press(page, 'Weekly maintenance');
  const [name] = page.findAll('.editor input');
  await name?.setValue('Maintenance');
  await page.find('form.editor').trigger('submit');
  await flushPromises();
  expect(backend.calls.filter(({ name: called }) => called === 'planned/save-time')).toMatchObject([
    {
      name: 'planned/save-time',
      input: { connectionId: 'a', timeId: 'a', draft: { name: 'Maintenance', times: WEEKLY.times } },
    },
  ]);
});

it('is imported by one button: what chooses the file is no second one for a screen reader', async () => {
  const { page } = await show(PLANS);
  const named = page
    .findAll('button, input[type=file]')
    .filter((one) => one.attributes('aria-hidden') !== 'true')
    .filter((one) => one.text() === 'Import…' || one.element instanceof HTMLInputElement);
  expect(named.map((one) => one.element.tagName)).toEqual(['BUTTON']);
});

it('suggests what is quiet every week: it becomes a planned time, or is not suggested again', async () => {
  const suggestion = {
    key: 'thursday 21:00 180',
    weekday: 'thursday' as const,
    from: '21:00',
    minutes: 180,
    zone: 'UTC',
    spans: [0, 1, 2, 3].map((week) => ({ fromMs: week * 168 * HOUR, toMs: week * 168 * HOUR + 3 * HOUR })),
    requests: 11,
    usual: 460,
  };
  const { page, backend } = await show(undefined, { 'planned/suggest': () => [suggestion] });
  expect(page.text()).toContain('Quiet 4 weeks in a row: Thursday, 21:00 to 00:00. Mark as planned?');
  expect(page.text()).toContain('11 requests in total; other days have about 460 then.');
  await press(page, 'Not planned');
  await press(page, 'Mark as planned');
  const made = backend.calls.filter(({ name }) => /dismiss|save-time/u.test(name));
  expect(made).toMatchObject([
    { name: 'planned/dismiss', input: { key: suggestion.key } },
    {
      name: 'planned/save-time',
      input: { timeId: null, draft: { times: WEEKLY.times, leftOut: WEEKLY.leftOut } },
    },
  ]);
});

it('a new one that lacks something says what, and saves nothing', async () => {
  const { page, backend } = await show(PLANS);
  await press(page, 'New planned time');
  await page.find('form.editor').trigger('submit');
  expect(page.text()).toContain('Enter a name.');
  expect(backend.calls.some(({ name }) => name === 'planned/save-time')).toBe(false);
});

it('dates are read as they are written, and nothing else', () => {
  expect(readDate('2026-12-25 Christmas')).toEqual({
    from: '2026-12-25T00:00',
    to: '2026-12-26T00:00',
    name: 'Christmas',
  });
  expect(readDate('2026-12-24 14:00 – 2026-12-25 00:00')).toEqual({
    from: '2026-12-24T14:00',
    to: '2026-12-25T00:00',
  });
  for (const line of ['Christmas', '25.12.2026', '2026-12-24 14:00', '2026-13-01'])
    expect(readDate(line)).toBeNull();
  const dates = {
    ...WEEKLY,
    times: { repeats: 'dates' as const, dates: [readDate('2026-12-25 – 2026-12-26 X')!] },
  };
  for (const time of [WEEKLY, dates]) {
    expect({ ...(readFields(toFields(time, 'UTC')) as object), id: 'a' }).toEqual(time);
  }
  expect(readFields({ ...toFields(WEEKLY, 'UTC'), channels: 'one' })).toBe('places');
  expect(readFields({ ...toFields(WEEKLY, 'UTC'), from: '25:00' })).toBe('clock');
  expect(readFields({ ...toFields(WEEKLY, 'UTC'), repeats: 'cron', cron: '* * *' })).toBe('cron');
});

it('a chart has a band for each planned time and a line for each mark, which compares before and after', async () => {
  const { global } = await provideApplication(new ScriptedBackend({}));
  const provide = { ...global.provide, [timePlansKey as symbol]: ref(PLANS) };
  const day = { fromMs: Date.UTC(2026, 10, 26), toMs: Date.UTC(2026, 10, 27) };
  const chart = mount(TimeBands, { props: day, global: { ...global, provide } });
  const [band] = chart.findAll('.band');
  expect(band?.attributes('aria-label')).toContain('Weekly maintenance');
  expect(band?.get('rect').attributes()).toMatchObject({ x: '87.500%', width: '12.500%' });
  const mark = chart.find('a.mark');
  expect(mark.get('text').text()).toBe('4.19');
  expect(mark.attributes('aria-label')).toContain('compare before and after');
  expect(decodeURIComponent(mark.attributes('href') ?? '')).toContain('/compare?period=2026-11-26T12:30');
  await chart.setProps({ fromMs: day.toMs, toMs: day.toMs + 24 * HOUR });
  expect(chart.find('.bands').exists()).toBe(false);
});

it('before and after a mark are equally long: a day, or what there is of it', () => {
  const at = (nowMs: number) => (toBeforeAfter(RELEASE_MS, nowMs) as { query: Record<string, string> }).query;
  const whole = at(RELEASE_MS + 100 * HOUR);
  expect(whole['period']).toMatch(/^2026-11-26T12:30.*\.\.2026-11-27T12:29:59/u);
  expect(whole['with']).toMatch(/^2026-11-25T12:30.*\.\.2026-11-26T12:29:59/u);
  expect(at(RELEASE_MS + 2 * HOUR)['period']).toMatch(/\.\.2026-11-26T14:29:59/u);
});

it('what was typed of a planned time or a mark is there again, until it is saved or discarded', async () => {
  sessionStorage.clear();
  for (const [path, name] of [
    ['/planned', 'Weekly maintenance'],
    ['/planned/marks', '4.19'],
  ] as const) {
    const openEditor = async () => {
      const shown = await show(PLANS, {}, path);
      await shown.page
        .findAll('button.open')
        .find((button) => button.text().includes(name))
        ?.trigger('click');
      await flushPromises();
      return shown.page;
    };
    const readName = (page: VueWrapper) => page.get<HTMLInputElement>('form input').element.value;
    const first = await openEditor();
    await first.get('form input').setValue('Half of a na');
    first.unmount();
    const again = await openEditor();
    expect(readName(again)).toBe('Half of a na');
    await press(again, 'Discard');
    expect(readName(again)).toBe(name);
    again.unmount();
    expect(readName(await openEditor())).toBe(name);
  }
});
