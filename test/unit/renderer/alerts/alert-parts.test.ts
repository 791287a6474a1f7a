import { flushPromises, mount } from '@vue/test-utils';
import { afterEach, expect, test, vi } from 'vitest';
import { defineComponent } from 'vue';
import { parseQuery } from 'vue-router';
import {
  type AlertIdea,
  fromNewAlert,
  toAlertOnFilter,
  toCondition,
  toNewAlert,
} from '../../../../src-renderer/alerts/alert-link.ts';
import { usePageNotes } from '../../../../src-renderer/alerts/use-page-notes.ts';
import {
  atPlace,
  readPlace,
  readRest,
  withPlace,
  withSubject,
} from '../../../../src-renderer/screens/alerts/editor/rule-draft.ts';
import {
  toFiringRecords,
  findLargest,
  pickLabelled,
  toPath,
  toY,
} from '../../../../src-renderer/screens/alerts/past/firings.ts';
import { toLook } from '../../../../src-renderer/screens/alerts/alert-words.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { makeBoard, makeRule, makeTest, TO_MS } from './alert-samples.ts';

afterEach(() => void vi.unstubAllGlobals());

test('an idea comes back from its address as it was', () => {
  const idea: AlertIdea = {
    subject: 'p95',
    direction: 'outbound',
    filter: { conditions: [{ field: 'channel', values: [3] }] },
    origin: 'chart',
    threshold: 3000,
  };
  const address = toNewAlert(idea);
  expect(fromNewAlert((address as { query: Record<string, string> }).query)).toEqual(idea);
  expect(fromNewAlert(parseQuery('new=moon'))).toBeNull();
  expect(fromNewAlert(parseQuery('new=volume&threshold=-1&direction=up&origin=x'))).toEqual({
    subject: 'volume',
    direction: 'inbound',
    filter: { conditions: [] },
    origin: 'hand',
  });
});

test('an alert on a filter leaves its span out, and counts where all of its records fail', () => {
  const queryOf = (conditions: Parameters<typeof toAlertOnFilter>[1]['conditions']) =>
    (toAlertOnFilter('inbound', { conditions }) as { query: Record<string, string> }).query;
  expect(
    queryOf([
      { field: 'dateMs', min: 1, max: 2 },
      { field: 'service', values: [7] },
    ]),
  ).toMatchObject({ new: 'error-share', q: 'service:7' });
  expect(queryOf([{ field: 'responseCode', values: [504] }])).toMatchObject({ new: 'volume' });
});

test('a channel can be chosen and taken back, whatever else the filter holds', () => {
  const filter = { conditions: [{ field: 'responseCode' as const, values: [504] }] };
  const narrowed = withPlace(filter, 'channel', '3');
  expect(readPlace(narrowed, 'channel')).toBe('3');
  expect(readRest(narrowed)).toEqual(filter);
  expect(withPlace(narrowed, 'channel', 'any')).toEqual(filter);
  expect(readPlace({ conditions: [{ field: 'channel', values: [1, 2] }] }, 'channel')).toBe('any');
});

test('another subject keeps the records, and a threshold only where it means the same', () => {
  const { condition } = makeRule();
  expect(withSubject(condition, 'silence')).toMatchObject({
    kind: 'silence',
    filter: { conditions: [{ field: 'service' }] },
  });
  expect(withSubject(condition, 'p95')).toMatchObject({ measure: 'p95', threshold: 5000 });
  // Findings are of a place alone, and lead back to records of it.
  const placed = withSubject(condition, 'finding');
  expect(placed).toEqual({ kind: 'finding', channel: null, service: 7, isFailuresOnly: false });
  expect(withSubject(atPlace(placed, 'channel', '3'), 'volume')).toMatchObject({
    measure: 'volume',
    filter: {
      conditions: [
        { field: 'channel', values: [3] },
        { field: 'service', values: [7] },
      ],
    },
  });
  const slow = {
    ...toCondition({ subject: 'p95', direction: 'inbound', filter: { conditions: [] }, origin: 'hand' }),
  };
  expect(withSubject({ ...slow, threshold: 200 } as never, 'median')).toMatchObject({ threshold: 200 });
});

test('a firing leads to what it counted, from the minutes before it', () => {
  const { query } = toFiringRecords(makeRule().condition, { sinceMs: TO_MS }, TO_MS + 60_000) as {
    query: Record<string, string>;
  };
  expect(query['q']).toBe('service:7 outcome:failed');
  expect(query['period']).toContain('2026-11-22');
  expect(
    toFiringRecords({ kind: 'down', part: 'platform', minutes: 5 }, { sinceMs: TO_MS }, TO_MS),
  ).toBeNull();
});

test('the strip draws nothing where nothing was measured, and no date over another', () => {
  const box = { left: 0, width: 336, top: 0, height: 100 };
  const path = toPath(makeTest(), 1, box);
  expect(path.match(/M/g)).toHaveLength(2);
  expect(toY(0.25, 1, box)).toBe(50);
  expect([...pickLabelled([100, 150, 300], box, 90)].toSorted()).toEqual([1, 2]);
  // Near the left edge a date begins at its mark, and so needs the room to the right of it.
  expect([...pickLabelled([10, 120, 300], box, 90)].toSorted()).toEqual([1, 2]);
  expect([...pickLabelled([10, 200], box, 90)].toSorted()).toEqual([0, 1]);
});

test.each([
  [10_084, 11_000],
  [122, 130],
  [7, 7],
])('the scale of the strip ends at a number that is short enough to be printed: %d', (value, end) => {
  const series = [{ fromMs: 0, value }];
  expect(findLargest({ ...makeTest(), series }, null, false)).toBe(end);
});

test('a notification leads to its alert', async () => {
  const shown: { title: string; click: () => void }[] = [];
  class FakeNotification extends EventTarget {
    static permission = 'granted';
    close = (): void => undefined;
    constructor(title: string) {
      super();
      shown.push({ title, click: () => this.dispatchEvent(new Event('click')) });
    }
  }
  vi.stubGlobal('Notification', FakeNotification);
  const opened = { ruleId: 'rule', connectionId: 'a', id: 'n', title: '', body: '', atMs: 0 };
  const backend: ScriptedBackend = new ScriptedBackend({
    'connections/list': () => [makeConnection()],
    'alerts/list': () => makeBoard([{ state: { firingSinceMs: 5 } }]),
    'alerts/take-opened': () => (backend.countCalls('alerts/take-opened') === 2 ? opened : null),
    'alerts/confirm-note': () => null,
  });
  const { router, global } = await provideApplication(backend, '/overview');
  router.addRoute({ path: '/alerts/:id?', name: 'alerts', component: { template: '<i />' } });
  await useConnectionsStore().load();
  let notes: ReturnType<typeof usePageNotes> | undefined;
  const page = mount(
    defineComponent({
      setup: () => {
        notes = usePageNotes();
        return {};
      },
      template: '<i />',
    }),
    { global },
  );
  await notes?.begin();
  await flushPromises();
  expect(router.currentRoute.value.path).toBe('/overview');
  backend.emit('alerts/opened', opened);
  await flushPromises();
  expect(router.currentRoute.value.path).toBe('/alerts/rule');
  await router.push('/overview');
  backend.emit('alerts/noted', { ...opened, title: 'Errors' });
  expect(shown.map(({ title }) => title)).toEqual(['Errors']);
  expect(backend.calls.at(-1)).toEqual({ name: 'alerts/confirm-note', input: { noteId: 'n' } });
  shown[0]?.click();
  await flushPromises();
  expect(router.currentRoute.value.path).toBe('/alerts/rule');
  // Without leave nothing is shown, nothing confirmed, and nobody is asked.
  FakeNotification.permission = 'default';
  backend.emit('alerts/noted', opened);
  expect(shown).toHaveLength(1);
  page.unmount();
});

test('a mute that has run out is none any more', () => {
  const [item] = makeBoard([{ mute: { untilMs: TO_MS } }]).rules;
  expect(toLook(item!, TO_MS - 1)).toBe('muted');
  expect(toLook(item!, TO_MS)).toBe('ready');
  const [muted] = makeBoard([{ mute: { untilMs: null } }]).rules;
  expect(toLook(muted!, TO_MS)).toBe('muted');
});
