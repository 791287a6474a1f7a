import { flushPromises, mount } from '@vue/test-utils';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import AlertsScreen from '../../../../src-renderer/screens/alerts/AlertsScreen.vue';
import { useAlertStore } from '../../../../src-renderer/stores/analysis/findings.ts';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import type { AlertBoard } from '../../../../src-main/common/model/alerts/alert-state.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { makeBoard, makeRule, makeTest, TO_MS } from './alert-samples.ts';
import { makeFacets } from '../../../support/samples/make-record.ts';

beforeEach(() => {
  sessionStorage.clear();
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
});
afterEach(() => void vi.useRealTimers());

async function open(board: AlertBoard, path = '/alerts', tested = makeTest()) {
  const backend = new ScriptedBackend({
    'app/get-info': () => ({ platform: 'linux', host: 'web' }) as never,
    'settings/get': () => makeSettings(),
    'connections/list': () => [makeConnection()],
    'status/read-history': () => Promise.reject(new Error('not asked here')),
    'alerts/list': () => board,
    'alerts/test-rule': () => tested,
    'alerts/read-log': () => [
      {
        ruleId: 'rule',
        atMs: TO_MS,
        kind: 'fired',
        notice: 'computer',
        sinceMs: TO_MS,
        figures: { hits: 21, total: 34, peak: 0.618 },
        condition: makeRule().condition,
      },
      { ruleId: 'rule', atMs: TO_MS - 1000, kind: 'made', notice: 'by-hand', origin: 'finding' },
    ],
    'alerts/save-rule': ({ draft }) => ({ ...makeRule(), ...draft, id: 'saved' }),
    'alerts/remove-rule': () => null,
    'alerts/mute-rule': () => null,
    'records/read-facets': () =>
      makeFacets({ channels: [{ value: 3, count: 9 }], services: [{ value: 7, count: 9 }] }),
  });
  const { router, global } = await provideApplication(backend);
  router.addRoute({ path: '/alerts/:id?', name: 'alerts', component: { template: '<i />' } });
  await router.push(path);
  await useAppStore().load();
  await useConnectionsStore().load();
  await useAlertStore().load();
  const screen = mount(AlertsScreen, { global, attachTo: document.body });
  await vi.advanceTimersByTimeAsync(50);
  await flushPromises();
  return { backend, router, screen };
}

const textOf = (element: { text(): string }): string => element.text().replace(/[\u2066-\u2069]/g, '');
const press = async (screen: ReturnType<typeof mount>, name: string): Promise<void> => {
  await screen
    .findAll('button')
    .find((button) => textOf(button) === name)
    ?.trigger('click');
  await flushPromises();
};

test('without a rule it says what one does, and has one button to make one', async () => {
  const { screen, router } = await open({ ...makeBoard(), rules: [] });
  expect(screen.text()).toContain('No alerts yet');
  expect(screen.findAll('button').filter((button) => textOf(button) === 'New alert')).toHaveLength(1);
  await press(screen, 'New alert');
  expect(router.currentRoute.value.params['id']).toBe('new');
  screen.unmount();
});

test('a rule is one sentence, with what it would have done below', async () => {
  const firing = makeBoard([
    { state: { firingSinceMs: TO_MS, blindMinutes: 12 } },
    { id: 'b', name: 'Other' },
  ]);
  const { screen } = await open(firing);
  const words = textOf(screen);
  // Each select has its label before what is chosen.
  const [sentence = ''] = /When the .*?browser\./.exec(words) ?? [];
  const chosen = [
    'error share',
    'all channels',
    'service 7',
    'inbound',
    'above',
    '10 minutes',
    '20 requests',
  ];
  for (const part of chosen) expect(sentence).toContain(part);
  expect(screen.get<HTMLInputElement>('input[aria-label=Threshold]').element.value).toBe('5');
  expect(words).toContain('Would have fired 2 times');
  expect(words).toContain('13 d 19 h of 14 d cached');
  expect(words).toContain('No data for 12 min');
  expect(words).toContain('still firing');
  expect(words).toContain('Error share 61.8%, 21 of 34 requests');
  expect(words).toContain('From a finding');
  expect(words).toContain('2, 1 firing');
  const link = screen.findAll('a').find((one) => textOf(one) === 'Open records');
  expect(link?.attributes('href')).toContain('/inbound/detail?period=');
  screen.unmount();
});

test('save and discard wake on a change, which is tested after 300 ms', async () => {
  const { screen, backend } = await open(makeBoard());
  const isOff = (name: string): boolean | undefined =>
    screen
      .findAll('button')
      .find((button) => textOf(button) === name)
      ?.attributes('disabled') !== undefined;
  expect(backend.countCalls('alerts/test-rule')).toBe(1);
  expect([isOff('Save'), isOff('Discard')]).toEqual([true, true]);
  await screen.get('[role=switch]').trigger('click');
  expect([isOff('Save'), isOff('Discard')]).toEqual([false, false]);
  // It is the same condition.
  await vi.advanceTimersByTimeAsync(400);
  expect(backend.countCalls('alerts/test-rule')).toBe(1);
  await press(screen, 'Save');
  expect(backend.calls.at(-1)?.name).not.toBe('alerts/list');
  expect(backend.calls.find(({ name }) => name === 'alerts/save-rule')?.input).toMatchObject({
    ruleId: 'rule',
    draft: { isActive: false },
  });
  screen.unmount();
});

test('an address makes a rule with everything filled in, which is tested before it is saved', async () => {
  const { screen, backend, router } = await open(
    makeBoard(),
    '/alerts/new?new=volume&direction=outbound&q=code%3A504&threshold=50&origin=filter',
  );
  const condition = {
    kind: 'measure',
    measure: 'volume',
    direction: 'outbound',
    filter: { conditions: [{ field: 'responseCode', values: [504] }] },
    threshold: 50,
  };
  expect(backend.calls.find(({ name }) => name === 'alerts/test-rule')?.input).toMatchObject({ condition });
  expect(backend.countCalls('alerts/save-rule')).toBe(0);
  expect(textOf(screen)).toContain('Only records that match');
  await press(screen, 'Save');
  expect(backend.calls.find(({ name }) => name === 'alerts/save-rule')?.input).toMatchObject({
    ruleId: null,
    origin: 'filter',
    draft: { name: 'Volume', condition },
  });
  expect(router.currentRoute.value.params['id']).toBe('saved');
  screen.unmount();
});

test('a hostile name stays text, and deleting asks first', async () => {
  const { screen, backend } = await open(makeBoard([{ name: '<img src=x onerror=alert(1)>' }]));
  expect(screen.find('img[src=x]').exists()).toBe(false);
  await press(screen, 'Delete…');
  expect(backend.countCalls('alerts/remove-rule')).toBe(0);
  const confirm = [...document.querySelectorAll('button')].find(
    ({ textContent }) => textContent.trim() === 'Delete alert',
  );
  confirm?.click();
  await flushPromises();
  expect(backend.countCalls('alerts/remove-rule')).toBe(1);
  expect(textOf(screen)).toContain('Deleted: <img');
  await press(screen, 'Undo');
  expect(backend.calls.findLast(({ name }) => name === 'alerts/save-rule')?.input).toMatchObject({
    ruleId: null,
    draft: { name: '<img src=x onerror=alert(1)>', condition: makeRule().condition },
  });
  expect(textOf(screen)).not.toContain('Deleted:');
  screen.unmount();
});

test('of days that nothing is known of, neither firings nor notifications are denied', async () => {
  const nothing = { firings: [], notes: [], others: [{ threshold: 0.05, count: 0 }] };
  const { screen } = await open(makeBoard(), '/alerts/new', makeTest({ ...nothing, knownMinutes: 0 }));
  expect(textOf(screen)).toContain('Not enough data in the last 14 days');
  expect(textOf(screen)).not.toMatch(/No notifications|0 times/);
  screen.unmount();
  const known = await open(makeBoard(), '/alerts/new', makeTest(nothing));
  expect(textOf(known.screen)).toContain('The cached part of these 14 days would have sent no notification.');
  expect(textOf(known.screen)).toContain('0 times');
});

test('any threshold can be typed, and what is none is put back', async () => {
  const { screen, backend } = await open(makeBoard());
  const field = screen.get<HTMLInputElement>('input[aria-label=Threshold]');
  await field.setValue('12,5');
  await field.trigger('change');
  await press(screen, 'Save');
  expect(backend.calls.findLast(({ name }) => name === 'alerts/save-rule')?.input).toMatchObject({
    draft: { condition: { threshold: 0.125 } },
  });
  for (const typed of ['150', 'many', '0']) {
    await field.setValue(typed);
    await field.trigger('change');
    expect(field.element.value).toBe('12.5');
  }
  screen.unmount();
});

test('an alert on a finding of both directions is made for both', async () => {
  const { screen, backend } = await open(
    makeBoard(),
    '/alerts/new?new=error-share&direction=inbound&origin=finding&both=1',
  );
  expect(textOf(screen)).toContain('Also create this alert for outbound');
  await press(screen, 'Save');
  const saved = backend.calls.filter(({ name }) => name === 'alerts/save-rule').map(({ input }) => input);
  expect(saved).toMatchObject([
    { ruleId: null, draft: { condition: { direction: 'outbound' } } },
    { ruleId: null, draft: { condition: { direction: 'inbound' } } },
  ]);
  screen.unmount();
});

test('rules that could not be read say why, and are read again', async () => {
  const { screen, backend } = await open(makeBoard());
  const alerts = useAlertStore();
  (alerts as { board: AlertBoard | null }).board = null;
  vi.spyOn(backend, 'call').mockRejectedValueOnce(new AppError('cache.locked', ''));
  await alerts.load().catch(() => undefined);
  await flushPromises();
  expect(textOf(screen)).toContain('Try again');
  await press(screen, 'Try again');
  expect(screen.find('[aria-label=Threshold]').exists()).toBe(true);
  screen.unmount();
});

test('a new alert begins with what the past suggests, and says on what that rests', async () => {
  const suggestion = { kind: 'found' as const, threshold: 0.12, count: 2, critical: 0.3, knownMinutes: 2880 };
  const { screen, backend } = await open(makeBoard(), '/alerts/new', makeTest({ suggestion }));
  await vi.advanceTimersByTimeAsync(400);
  await flushPromises();
  expect(screen.get<HTMLInputElement>('input[aria-label=Threshold]').element.value).toBe('12');
  expect(textOf(screen)).toContain('Suggested from 2 d of the past: 12%. It would have fired 2 times.');
  // What a person typed stays.
  const field = screen.get<HTMLInputElement>('input[aria-label=Threshold]');
  await field.setValue('5');
  await field.trigger('change');
  await vi.advanceTimersByTimeAsync(400);
  await flushPromises();
  expect(screen.get<HTMLInputElement>('input[aria-label=Threshold]').element.value).toBe('5');
  await press(screen, 'Use');
  await press(screen, 'Save');
  const saved = backend.calls.filter(({ name }) => name === 'alerts/save-rule');
  expect(saved).toMatchObject([{ input: { draft: { condition: { threshold: 0.12 } } } }]);
  screen.unmount();
});

test('of too little past it says that it suggests nothing, and a saved alert keeps its threshold', async () => {
  const suggestion = { kind: 'too-little' as const, knownMinutes: 120 };
  const { screen } = await open(makeBoard(), '/alerts/new', makeTest({ suggestion }));
  expect(textOf(screen)).toContain('No suggested threshold: 2 h cached, at least 1 day is needed.');
  expect(screen.get<HTMLInputElement>('input[aria-label=Threshold]').element.value).toBe('5');
  screen.unmount();
  const found = { kind: 'found' as const, threshold: 0.2, count: 0, critical: null, knownMinutes: 20_000 };
  const saved = await open(makeBoard(), '/alerts', makeTest({ suggestion: found }));
  await vi.advanceTimersByTimeAsync(400);
  expect(saved.screen.get<HTMLInputElement>('input[aria-label=Threshold]').element.value).toBe('5');
  saved.screen.unmount();
});

test('a critical level is added, must be beyond the warning, and is taken away', async () => {
  const { screen, backend } = await open(makeBoard());
  await screen.get('button[aria-label="Add a critical level"]').trigger('click');
  const field = screen.get<HTMLInputElement>('input[aria-label="Critical threshold"]');
  expect(field.element.value).toBe('15');
  await field.setValue('4');
  await field.trigger('change');
  expect(textOf(screen)).toContain('Critical must be above the warning threshold.');
  const save = screen.findAll('button').find((button) => textOf(button) === 'Save');
  expect(save?.attributes('disabled')).toBeDefined();
  await field.setValue('20');
  await field.trigger('change');
  await press(screen, 'Save');
  expect(backend.calls.findLast(({ name }) => name === 'alerts/save-rule')).toMatchObject({
    input: { draft: { condition: { threshold: 0.05, critical: 0.2 } } },
  });
  await screen.get('button[aria-label="Remove the critical level"]').trigger('click');
  expect(screen.find('input[aria-label="Critical threshold"]').exists()).toBe(false);
  screen.unmount();
});

test('an alert of each service shows where each stands, and mutes one alone', async () => {
  const condition = { ...makeRule().condition, filter: { conditions: [] }, each: 'service' as const };
  const value = (own: number, change: object) => ({
    ...{ value: own, firingSinceMs: null, lastFiredMs: null, level: null, seenMs: TO_MS },
    ...{ latest: { hits: 0, total: 100 } },
    ...change,
  });
  const values = [
    value(7, { firingSinceMs: TO_MS, level: 'critical', latest: { hits: 27, total: 168 } }),
    value(2, { firingSinceMs: TO_MS, level: 'warning' }),
    value(5, {}),
    value(9, { latest: { hits: 1, total: 6 } }),
    value(11, { latest: null }),
  ];
  const state = { firingSinceMs: TO_MS, level: 'critical' as const, judgedToMs: TO_MS, values };
  const board = makeBoard([
    {
      condition: condition,
      valueMutes: [{ value: 2, mute: { untilMs: null } }],
      state: { ...state, hasMoreValues: true },
    },
  ]);
  const tested = makeTest({
    value: 7,
    values: [
      { value: 7, count: 2, judgedToMs: 0 },
      { value: 2, count: 0, judgedToMs: 0 },
    ],
  });
  const { screen, backend } = await open(board, '/alerts/rule', tested);
  const text = textOf(screen);
  expect(text).toContain('1 critical, 1 warning');
  expect(text).toMatch(/Service 7Critical since .*16\.1%27 of 168/u);
  expect(text).toMatch(/Service 2Warning since .*, muted/u);
  expect(text).toContain('Service 5OK0.0%0 of 100');
  expect(text).toContain('Service 9Too few requests–1 of 6');
  expect(text).toContain('Service 11No data––');
  expect(text).toContain('Only 50 values are watched.');
  expect(text).toContain('Service 7: 2 times');
  await screen
    .findAll('button')
    .find((button) =>
      /^Mute .*Service 5/u.test((button.attributes('aria-label') ?? '').replace(/[\u2066-\u2069]/g, '')),
    )
    ?.trigger('click');
  expect(backend.calls.findLast(({ name }) => name === 'alerts/mute-rule')).toMatchObject({
    input: { ruleId: 'rule', value: 5, mute: { untilMs: null } },
  });
  screen.unmount();
});

test('an alert of an imported connection says that it rests', async () => {
  const { screen } = await open(makeBoard([{ state: { rests: 'imported', blindMinutes: 500 } }]));
  expect(textOf(screen)).toContain("Paused: imported records don't change");
  expect(textOf(screen)).not.toContain('No data');
  screen.unmount();
});
