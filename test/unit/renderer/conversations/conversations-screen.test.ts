import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Input, Output } from '../../../../src-main/common/contract/index.ts';
import type { Conversation } from '../../../../src-main/common/model/records/conversation.ts';
import ConversationsScreen from '../../../../src-renderer/screens/conversations/ConversationsScreen.vue';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const NOW_MS = Date.UTC(2026, 10, 27, 9, 12);
const LOST: Conversation = {
  sessionId: 'chat-1',
  firstMs: NOW_MS - 90_000,
  lastMs: NOW_MS - 3000,
  endMs: NOW_MS - 1000,
  channels: [3],
  services: [2, 7],
  client: '<img src=x> Rosa',
  inbound: 4,
  outbound: 6,
  failures: 2,
  outcome: 'lost',
  slowestPart: 'service',
  slowestMs: 10_012,
  slowestService: 7,
  isUnanswered: true,
  firstError: { text: 'Gateway timeout', family: 'Gateway timeout', code: 504 },
  ticks: [{ atMs: NOW_MS - 90_000, isInbound: true, isFailed: false }],
};
const OPENED: Output<'conversations/open'> = {
  viewId: 'list',
  rowCount: 1,
  totalCount: 340,
  knownUntilMs: NOW_MS,
  outcomes: [
    { outcome: 'lost', count: 1 },
    { outcome: 'recovered', count: 19 },
    { outcome: 'unknown', count: 0 },
    { outcome: 'waiting', count: 20 },
    { outcome: 'fine', count: 300 },
  ],
  facets: {
    channels: [{ value: 3, count: 1 }],
    services: [{ value: 7, count: 1 }],
    errors: [{ value: 'Gateway timeout', count: 1 }],
    slowest: [{ value: 'service', count: 1 }],
  },
};

const HOUR_MS = 3_600_000;
const PARTS = [40_000, 80_000, 120_000, 0, 5000, 9_000_000];
const FIGURES = { messages: 400, requests: 800, parts: PARTS };
const TIMES: Output<'conversations/read-times'> = {
  conversations: 300,
  ...FIGURES,
  cut: { conversations: 12, ms: 90_000 },
  channels: [{ value: 3, ...FIGURES }],
  services: [{ value: 7, ...FIGURES }],
  steps: [{ fromMs: NOW_MS - HOUR_MS, toMs: NOW_MS, ...FIGURES }],
  rises: [
    {
      field: 'service',
      value: 7,
      part: 'service',
      fromMs: NOW_MS - HOUR_MS,
      toMs: null,
      usualMs: 400,
      risenMs: 2100,
      count: 532,
    },
  ],
  resultId: 'list-times-1',
  rowCount: 1,
};

let screens: VueWrapper[];
let opened: Input<'conversations/open'>[];
let measured: Input<'conversations/read-times'>[];
let listed: Input<'conversations/list-clients'>[];
beforeEach(() => {
  vi.useFakeTimers({ now: NOW_MS, toFake: ['Date'] });
  [screens, opened, listed, measured] = [[], [], [], []];
});
afterEach(() => {
  for (const screen of screens) screen.unmount();
  vi.useRealTimers();
  document.body.innerHTML = '';
});

async function show(
  own: Partial<Output<'conversations/open'>> = {},
  path = '/conversations?period=yesterday',
) {
  const backend = new ScriptedBackend({
    'connections/list': () => [makeConnection({ id: 'one', serviceZone: 'UTC' })],
    'coverage/read': () => ({ gaps: [], unreadyRecords: 0 }) as never,
    'conversations/open': (question) => {
      opened.push(question);
      return { ...OPENED, ...own };
    },
    'conversations/read-rows': () => [LOST],
    'conversations/count-clients': () => [{ outcome: 'lost', count: 1 }],
    'conversations/read-times': (question) => {
      measured.push(question);
      return TIMES;
    },
    'conversations/close': () => null,
    'conversations/list-clients': (question) => {
      listed.push(question);
      return { resultId: 'clients', rowCount: 1 };
    },
  });
  const { global, router } = await provideApplication(backend, path);
  await useConnectionsStore().load();
  const screen = mount(ConversationsScreen, { global, attachTo: document.body });
  screens.push(screen);
  await flushPromises();
  return { screen, router };
}

it('the totals say how many became what, and whom it hurt', async () => {
  const { screen } = await show();
  const totals = screen.find('[role=group][aria-label="Conversations by outcome"]').text();
  expect(totals).toContain('340 conversations');
  for (const part of ['300 fine', '20 waiting', '0 unknown', '19 recovered', '1 lost'])
    expect(totals).toContain(part);
  expect(totals).toContain('1 client');
  expect(opened[0]).toMatchObject({
    connectionId: 'one',
    toMs: NOW_MS + 1000,
    order: { column: 'start', descending: true },
  });
  expect(opened[0]).not.toHaveProperty('outcomes');
});

it('a total is a filter that the address carries, beside the query and what took longest', async () => {
  const { screen, router } = await show({}, '/conversations?period=yesterday&slowest=service&q=channel:3');
  expect(opened[0]).toMatchObject({
    slowest: ['service'],
    filter: { conditions: [{ field: 'channel', values: [3] }] },
  });
  const lost = screen.findAll('button.total').find((one) => one.text().endsWith('lost'));
  await lost?.trigger('click');
  await flushPromises();
  expect(router.currentRoute.value.query['outcome']).toBe('lost');
  expect(opened.at(-1)).toMatchObject({ outcomes: ['lost'], slowest: ['service'] });
  expect(screen.findAll('button.total').at(-1)?.attributes('aria-pressed')).toBe('true');
});

it('a value of a facet narrows the query to records that have it', async () => {
  const { screen, router } = await show();
  const service = screen.findAll('aside button').find((one) => one.text().startsWith('7'));
  await service?.trigger('click');
  await flushPromises();
  expect(router.currentRoute.value.query['q']).toBe('service:7');
  expect(opened.at(-1)?.filter).toEqual({ conditions: [{ field: 'service', values: [7] }] });
});

it('says why there are none: nothing cached, or nothing that matches', async () => {
  const none = { rowCount: 0, totalCount: 0, knownUntilMs: null };
  const { screen } = await show(none);
  expect(screen.text()).toContain('No conversations in this period');
  expect(screen.text()).toContain("One direction isn't cached");
  const { screen: filtered } = await show({ rowCount: 0 }, '/conversations?period=yesterday&outcome=lost');
  expect(filtered.text()).toContain('No conversation matches');
});

it('the clients behind what is shown are listed for a file, which can mask them', async () => {
  const { screen } = await show();
  const button = screen.findAll('button').find((one) => one.text() === 'Call-back list');
  await button?.trigger('click');
  await flushPromises();
  expect(listed).toEqual([{ viewId: 'list' }]);
});

it('times say where the time went, what became slow first, and what is not counted', async () => {
  const { screen, router } = await show({}, '/conversations?period=yesterday&tab=times');
  expect(measured).toEqual([{ viewId: 'list', zone: expect.any(String) as string }]);
  expect(screen.find('[role=note]').text()).toContain('12 conversations may have a part that is not cached.');
  const rise = screen.find('ol li');
  expect(rise.text()).toContain('Service 7');
  expect(rise.text()).toContain('400 ms → 2,100 ms for each request, 532 requests');
  expect(rise.find('a').attributes('href')).toContain('/outbound/detail');
  const row = screen.find('tbody tr');
  expect(row.text()).toContain('2 min');
  await row.find('button').trigger('click');
  await flushPromises();
  expect(router.currentRoute.value.query).toMatchObject({ q: 'service:7', tab: 'times' });
});

it('the address says what the times are of, and in what', async () => {
  const place = '/conversations?period=yesterday&tab=times&by=channel&measure=mean';
  const { screen, router } = await show({}, place);
  const radios = screen.findAll('[role=radio]');
  const chosen = radios.filter((radio) => radio.attributes('aria-checked') === 'true');
  expect(chosen.map((radio) => radio.text())).toEqual(
    expect.arrayContaining(['For each message', 'Channel']),
  );
  await radios.find((radio) => radio.text() === 'Time')?.trigger('click');
  await flushPromises();
  expect(router.currentRoute.value.query).toMatchObject({ tab: 'times', by: 'time', measure: 'mean' });
});

it('the list asks for no times, and nothing is said to have become slow where nothing did', async () => {
  const { screen } = await show();
  expect(measured).toEqual([]);
  expect(screen.text()).not.toContain('Who became slow first');
});
