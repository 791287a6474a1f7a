import { flushPromises, mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import type { Finding, FindingsReport } from '../../../../src-main/common/model/analysis/finding.ts';
import type { TimeSpan } from '../../../../src-main/common/time/time-span.ts';
import { toFindingExplanation } from '../../../../src-renderer/address/record-links.ts';
import { fromNewAlert, toCondition, toFindingAlert } from '../../../../src-renderer/alerts/alert-link.ts';
import FindingsPanel from '../../../../src-renderer/screens/overview/findings/FindingsPanel.vue';
import { makeFinding } from '../../../support/findings/make-finding.ts';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { surround } from '../support/surround.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 9);
const MINUTE_MS = 60_000;

const errors: Finding = {
  id: 'errors',
  kind: 'errors-up',
  also: [],
  part: null,
  directions: ['inbound', 'outbound'],
  channel: 3,
  service: 7,
  within: [],
  sinceMs: NOW_MS - 336 * MINUTE_MS,
  endedMs: null,
  untilMs: NOW_MS,
  requests: 1086,
  count: 677,
  recent: 677 / 1086,
  usual: 0.0142,
  source: 'days',
  errorFamily: 'Gateway timeout: service <number> did not respond',
  sessionCount: 0,
  clientCount: 0,
  isNewFamily: false,
  shown: [
    { direction: 'inbound', count: 340 },
    { direction: 'outbound', count: 337 },
  ],
  examples: [
    { direction: 'inbound', sessionId: '1f3a77b2-0000-4000-8000-000000000001' },
    { direction: 'outbound', sessionId: '<b>\u202e of nobody' },
    { direction: 'outbound', sessionId: 'short' },
  ],
  filter: {
    conditions: [
      { field: 'responseCode', classes: ['4xx', '5xx'] },
      { field: 'channel', values: [3] },
      { field: 'service', values: [7] },
      { field: 'dateMs', min: NOW_MS - 336 * MINUTE_MS, max: NOW_MS },
    ],
  },
  trend: [0, 0.1, 0.6],
};
const calm: FindingsReport = { findings: [], resolved: [], untilMs: NOW_MS - MINUTE_MS, gaps: [] };

async function show(report: FindingsReport | null, period: TimeSpan | null = null) {
  const { global, router } = await provideApplication(new ScriptedBackend({}));
  const panel = mount(FindingsPanel, {
    props: { report, error: null, period },
    global: surround(global, { nowMs: NOW_MS }),
    attachTo: document.body,
  });
  // Folded in a narrow window.
  const fold = panel.find('button[aria-expanded="false"]');
  if (fold.exists()) await fold.trigger('click');
  return Object.assign(panel, { router });
}

it.each<[Partial<Finding>, title: string, detail: string, when: string]>([
  [
    {},
    'Channel 3 / Service 7: errors 44×',
    '677 of 1,086 failed, 62.3%; usually 1.4%',
    'Since 03:24, both directions',
  ],
  [
    {
      channel: null,
      service: null,
      directions: ['outbound'],
      requests: 74,
      count: 74,
      recent: 1,
      usual: 0.019,
    },
    'Outbound: no success on any channel',
    '74 of 74 failed, 100.0%; usually 1.9%',
    'Since 03:24, outbound',
  ],
  [
    { sessionCount: 214, clientCount: 1 },
    'Channel 3 / Service 7: errors 44×',
    '677 of 1,086 failed, 62.3%; usually 1.4% · 214 sessions, 1 client',
    'Since 03:24, both directions',
  ],
  [
    { service: null, requests: 9, count: 6, recent: 6 / 9, usual: 0.02 },
    'Channel 3: errors 33×',
    '6 of 9 failed; usually 2.0%',
    'Since 03:24, both directions',
  ],
  [
    { kind: 'slower', directions: ['inbound'], requests: 164, count: 160, recent: 712, usual: 166 },
    'Channel 3 / Service 7: 4× slower',
    'Median 712 ms, usually 166 ms',
    'Since 03:24, inbound, 160 successes',
  ],
  [
    { kind: 'new-errors', count: 12, requests: 400, recent: 0.03, usual: 0 },
    'Channel 3 / Service 7: new error',
    '12 of 400 requests; not seen in the 7 days before',
    'Since 03:24, both directions',
  ],
  [
    { kind: 'volume-down', channel: null, requests: 0, count: 0, recent: 0, usual: 310.4 },
    'Service 7: nothing received',
    '0 requests, usually about 310',
    'Since 03:24, both directions',
  ],
  [
    { kind: 'volume-down', requests: 31, count: 31, recent: 31, usual: 310, source: 'hours' },
    'Channel 3 / Service 7: 90% fewer requests',
    '31 requests, about 310 by the hours before',
    'Since 03:24, both directions',
  ],
  [
    { kind: 'volume-up', requests: 930, count: 930, recent: 930, usual: 310 },
    'Channel 3 / Service 7: 3× as many requests',
    '930 requests, usually about 310',
    'Since 03:24, both directions',
  ],
  [
    {
      kind: 'down',
      part: 'connector',
      channel: null,
      service: null,
      requests: 1,
      count: 1,
      errorFamily: null,
    },
    'Connector reported down',
    '1 of 1 request failed meanwhile',
    'Since 03:24',
  ],
  [
    { kind: 'unreachable', channel: null, service: null, requests: 0, count: 0, errorFamily: null },
    'Service unreachable from here',
    'Status checks got no answer; it is not known whether platform and connector were up',
    'Since 03:24',
  ],
])('a finding is told in plain sentences: %#', async (changes, title, detail, when) => {
  const panel = await show({ ...calm, findings: [{ ...errors, ...changes }] });
  expect(panel.find('.title').text()).toBe(title);
  expect(panel.find('.detail').text()).toBe(detail);
  expect(panel.find('.foot .micro').text()).toBe(when);
});

it('a finding leads to exactly its records, with the text of its error as text', async () => {
  const hostile = { ...errors, errorFamily: '<img src=x> <number>' };
  const panel = await show({ ...calm, findings: [hostile] });
  expect(panel.find('.family').text()).toBe('<img src=x> n');
  const address = panel.find('.ways a').attributes('href') ?? '';
  expect(address).toContain('/inbound/detail?q=code:4xx,5xx');
  expect(address).toContain('channel:3');
  expect(address).toContain('2026-11-20T03:24..2026-11-20T09:00');
});

it('the records of each direction are a link of their own, with how many it shows', async () => {
  const panel = await show({ ...calm, findings: [errors] });
  const links = panel.findAll('.ways a');
  expect(links.map((link) => link.text())).toEqual(['Inbound 340', 'Outbound 337']);
  expect(links[1]?.attributes('href')).toContain('/outbound/detail?q=code:4xx,5xx');
  const one = {
    ...errors,
    directions: ['outbound' as const],
    shown: [{ direction: 'outbound' as const, count: 677 }],
  };
  const alone = (await show({ ...calm, findings: [one] })).findAll('.ways a');
  expect(alone.map((link) => link.text())).toEqual(['Open records']);
  expect(alone[0]?.attributes('href')).toContain('/outbound/detail');
});

it.each(['findings', 'resolved'] as const)(
  'three sessions of one of the %s lead to their screens',
  async (list) => {
    const panel = await show({ ...calm, [list]: [errors] });
    const links = panel.findAll('.sessions a');
    expect(links.map((link) => link.text())).toEqual(['1f3a77b2…', '<b>\u202e of …', 'short']);
    expect(links[0]?.attributes('href')).toBe('/session/1f3a77b2-0000-4000-8000-000000000001');
    expect(links[0]?.attributes('aria-label')).toBe('Session 1f3a77b2-0000-4000-8000-000000000001, inbound');
    expect((await show({ ...calm, [list]: [{ ...errors, examples: [] }] })).find('.sessions').exists()).toBe(
      false,
    );
  },
);

it('a service that can not be reached is no outage that an alert could watch', async () => {
  const panel = await show({
    ...calm,
    findings: [{ ...errors, kind: 'unreachable', channel: null, service: null }],
  });
  expect(panel.find('[aria-label^="Create alert"]').exists()).toBe(false);
  expect(panel.text()).not.toContain('down');
});

it('one click explains the time of a finding, with what succeeded in it and at other times', async () => {
  const panel = await show({ ...calm, findings: [errors] });
  await panel.get('[aria-label="Explain: Channel 3 / Service 7: errors 44×"]').trigger('click');
  await flushPromises();
  const { path, query } = panel.router.currentRoute.value;
  expect(path).toBe('/inbound/detail');
  expect(query['explain']).toBe('1');
  expect(query['q']).toContain('channel:3');
  expect(query['q']).toContain('date:');
  expect(query['q']).not.toContain('code:');
  expect(panel.emitted('follow')).toHaveLength(1);
  expect(toFindingExplanation(errors)).toMatchObject({ query });
});

it('every link is called at least by what is seen of it', async () => {
  const panel = await show({
    ...calm,
    findings: [errors],
    resolved: [{ ...errors, id: 'b', endedMs: NOW_MS }],
  });
  for (const link of panel.findAll('.ways a, a.link')) {
    const name = link.attributes('aria-label') ?? link.text();
    expect(name).toContain('Open records');
    expect(name.replace(/\s+/gu, ' ')).toContain(link.text());
  }
});

it('nothing is explained where no requests came', async () => {
  const silent: Finding = { ...errors, kind: 'volume-down', requests: 0, recent: 0 };
  const panel = await show({ ...calm, findings: [silent] });
  expect(panel.find('[aria-label^="Explain"]').exists()).toBe(false);
  expect(panel.find('[aria-label^="Create alert"]').exists()).toBe(true);
});

it.each<[Partial<Finding>, subject: string, threshold: string | undefined]>([
  [{}, 'error-share', '0.3'],
  [{ kind: 'slower', recent: 712, usual: 166 }, 'median', '400'],
  [{ kind: 'new-errors' }, 'new-family', undefined],
  [{ kind: 'volume-down', recent: 0, usual: 310 }, 'silence', undefined],
  [{ kind: 'volume-up', recent: 930, usual: 310, sinceMs: NOW_MS - 20 * MINUTE_MS }, 'volume', '300'],
  [{ kind: 'down', part: 'connector' }, 'connector', undefined],
])('an alert on a finding watches its place for the same: %#', (changes, subject, threshold) => {
  const target = toFindingAlert({ ...errors, ...changes });
  expect(target).toMatchObject({ name: 'alerts', params: { id: 'new' } });
  const { query } = target as { query: Record<string, string | undefined> };
  expect(query).toMatchObject({
    new: subject,
    direction: 'inbound',
    origin: 'finding',
    q: 'channel:3 service:7',
  });
  expect(query['threshold']).toBe(threshold);
});

it.each<[Partial<Finding>, minutes: string, requests: string | undefined]>([
  // 1,086 requests of both directions in 336 minutes: 48 of one direction in 30.
  [{}, '30', '20'],
  [{ directions: ['inbound'], requests: 159, count: 57, sinceMs: NOW_MS - 304 * MINUTE_MS }, '120', '20'],
  [{ kind: 'slower', recent: 712, usual: 166, requests: 9_000 }, '10', '20'],
  [{ requests: 20, count: 12, sinceMs: NOW_MS - 600 * MINUTE_MS }, '240', '5'],
  [{ kind: 'volume-down', recent: 0, usual: 310, sinceMs: NOW_MS - 60 * MINUTE_MS }, '30', undefined],
  [{ kind: 'volume-down', recent: 0, usual: 12, sinceMs: NOW_MS - 120 * MINUTE_MS }, '150', undefined],
])(
  'an alert on a finding looks at as many minutes as its traffic needs: %#',
  (changes, minutes, requests) => {
    const { query } = toFindingAlert({ ...errors, ...changes }) as { query: Record<string, string> };
    expect([query['minutes'], query['requests']]).toEqual([minutes, requests]);
    const idea = fromNewAlert(query);
    const condition = idea === null ? null : toCondition(idea);
    expect(condition).toMatchObject({ minutes: Number(minutes) });
    if (requests !== undefined) expect(condition).toMatchObject({ minRequests: Number(requests) });
  },
);

it('what ended leads to the records of each direction too', async () => {
  const ended = { ...errors, id: 'ended', endedMs: NOW_MS - 200 * MINUTE_MS };
  const panel = await show({ ...calm, resolved: [ended] });
  const links = panel.findAll('.ways a').map((link) => link.attributes('href') ?? '');
  expect(links.map((href) => href.split('?')[0])).toEqual(['/inbound/detail', '/outbound/detail']);
  expect(panel.findAll('[data-finding]')).toHaveLength(1);
});

it('of another period says what stood out in it, and what is not known of it', async () => {
  const period = { fromMs: Date.UTC(2026, 10, 18), toMs: Date.UTC(2026, 10, 19) };
  const over = { ...errors, sinceMs: period.fromMs, endedMs: period.fromMs + 30 * MINUTE_MS };
  const found = await show({ ...calm, resolved: [over], untilMs: period.toMs }, period);
  expect(found.get('header').text()).toContain('What stood out');
  expect(found.text()).not.toContain('Nothing stood out');
  expect(found.text()).toContain('Channel 3 / Service 7: errors');
  const both = { ...calm, findings: [errors], resolved: [over], untilMs: period.toMs };
  expect((await show(both, period)).text()).toContain('Over by the end of the period');
  const quiet = await show({ ...calm, untilMs: period.toMs }, period);
  expect(quiet.text()).toContain('Nothing stood out');
  expect(quiet.text()).toContain('as usual in both directions, 18 Nov');
  const gap = { direction: 'inbound' as const, reason: 'not-cached' as const, ...period };
  const unsure = await show({ ...calm, untilMs: period.toMs, gaps: [gap] }, period);
  expect(unsure.text()).toContain('Not known whether anything stood out');
  expect(unsure.text()).not.toContain('Nothing stood out');
  const nothing = await show({ ...calm, untilMs: null, gaps: [gap] }, period);
  expect(nothing.text()).toContain('none of this period are cached');
});

it('what ended is listed apart, with its span', async () => {
  const ended = { ...errors, id: 'ended', endedMs: NOW_MS - 200 * MINUTE_MS };
  const panel = await show({ ...calm, resolved: [ended] });
  expect(panel.text()).toContain('Nothing stands out');
  expect(panel.text()).toContain('Resolved in the last 24 hours');
  expect(panel.text()).toContain('03:24 – 05:40');
});

it('pointing at a finding or focusing it gives its span, and the arrows go on to the next one', async () => {
  const panel = await show({
    ...calm,
    findings: [errors],
    resolved: [{ ...errors, id: 'ended', endedMs: NOW_MS - 200 * MINUTE_MS }],
  });
  const [first, second] = panel.findAll<HTMLElement>('[data-finding]');
  first?.element.focus();
  expect(panel.emitted('span')?.at(-1)).toEqual([
    {
      fromMs: errors.sinceMs,
      toMs: NOW_MS,
      label: 'Channel 3 / Service 7: errors 44×. Since 03:24, both directions',
    },
  ]);
  await first?.trigger('keydown', { key: 'ArrowDown' });
  expect(document.activeElement).toBe(second?.element);
  expect(panel.emitted('span')?.at(-1)?.[0]).toMatchObject({ toMs: NOW_MS - 200 * MINUTE_MS });
  second?.element.blur();
  expect(panel.emitted('span')?.at(-1)).toEqual([null]);
});

it('leaves no span in the chart of a finding that is gone from under the pointer', async () => {
  const panel = await show({ ...calm, findings: [errors] });
  await panel.get('.item').trigger('mouseenter');
  expect(panel.emitted('span')).toHaveLength(1);
  await panel.setProps({ report: { ...calm, findings: [{ ...errors, requests: 1087 }] } });
  expect(panel.emitted('span')).toHaveLength(1);
  await panel.setProps({ report: null });
  expect(panel.emitted('span')?.at(-1)).toEqual([null]);
});

it('nothing stands out is said only where everything needed is cached', async () => {
  expect((await show(calm)).text()).toContain('both directions, up to 08:59');
  const gaps: FindingsReport['gaps'] = [
    { direction: 'outbound', reason: 'not-cached', fromMs: NOW_MS - 60 * MINUTE_MS, toMs: NOW_MS },
    { direction: 'inbound', reason: 'not-learned', fromMs: NOW_MS - 60 * MINUTE_MS, toMs: NOW_MS },
  ];
  const unsure = (await show({ ...calm, gaps })).text();
  expect(unsure).not.toContain('Nothing stands out');
  expect(unsure).toContain('Outbound: records between 08:00 and 09:00 are missing or incomplete.');
  expect(unsure).toContain('Inbound: too little of earlier hours or days is cached');
  expect((await show({ ...calm, untilMs: null, gaps })).text()).toContain('Nothing to compare yet');
});

it.each<[Partial<Finding>[], string]>([
  [[{}], 'against the same hour of earlier days'],
  [[{ source: 'hours' }], 'against the hours before'],
  [[{}, { id: 'other', source: 'hours' }], 'against earlier days or hours'],
  [[{ kind: 'unreachable', channel: null, service: null, errorFamily: null }], ''],
  [[], ''],
])('says what was compared with only as far as anything was', async (found, words) => {
  const panel = await show({ ...calm, findings: found.map((change) => ({ ...errors, ...change })) });
  const said = /against [a-z ]*(?:days|before|hours)/u.exec(panel.text())?.[0] ?? '';
  expect(said).toBe(words);
});

const noticed = {
  minutes: 15,
  hours: 24,
  channels: [
    { channel: 1, failing: { size: 0.04, hours: 24 }, fewer: { size: 0.6, hours: 24 } },
    { channel: 5, failing: null, fewer: null },
  ],
};
const SAID =
  'An error rate above 4.0% or a drop of more than 60% for 15 min would have been noticed on channel 1. There are too few requests to tell on channel 5.';

it.each([
  ['now', null, 'Nothing stands out'],
  ['in a period', { fromMs: NOW_MS - 1, toMs: NOW_MS }, 'Nothing stood out'],
])(
  'where nothing stands out %s, the window says how large something would have been',
  async (_when, period, title) => {
    const report = { findings: [], resolved: [], untilMs: NOW_MS, gaps: [], noticed };
    const panel = await show(report, period);
    expect(panel.text()).toContain(title);
    expect(panel.text()).toContain(SAID);
  },
);

it('a finding that is there again says when it was there before', async () => {
  const at = (hours: number, minutes: number): number => Date.UTC(2026, 10, 20, hours, minutes);
  const again = makeFinding({ id: 'b', sinceMs: at(8, 3), endedMs: null });
  const before = makeFinding({ id: 'a', sinceMs: at(4, 3), endedMs: at(5, 12) });
  const elsewhere = makeFinding({ id: 'c', channel: 9, sinceMs: at(3, 0), endedMs: at(3, 30) });
  const panel = await show({ findings: [again], resolved: [elsewhere, before], untilMs: NOW_MS, gaps: [] });
  expect(panel.text()).toContain('Since 08:03, inbound; earlier 04:03 – 05:12');
  expect(panel.text()).not.toContain('earlier 03:00');
});
