import { mount } from '@vue/test-utils';
import { describe, expect, test } from 'vitest';
import type { StateSpan, StatusTick } from '../../../../src-main/common/model/connections/status.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import HealthCard from '../../../../src-renderer/screens/overview/health/HealthCard.vue';
import { makeHistory, makeSample } from '../support/samples.ts';
import { surround } from '../support/surround.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const NOW_MS = Date.UTC(2026, 10, 20, 15);
const up = makeSample({ checkedAtMs: NOW_MS });
const FIGURES = [1, 7, 30].map((days) => ({
  spanMs: days * DAY_MS,
  platform: {
    share: days === 1 ? 0.978 : 0.9999,
    seenMs: (days === 30 ? 30 : days * 12) * 60 * MINUTE_MS,
    sinceMs: NOW_MS - DAY_MS,
  },
  connector: { share: 1, seenMs: 12 * MINUTE_MS, sinceMs: NOW_MS - DAY_MS },
  medianResponseTimeMs: 190 + days,
  responseSeenMs: 60 * MINUTE_MS,
}));
const busy = Array.from({ length: 20 }, () => ({ successes: 6, failures: 1 }));
const failing = Array.from({ length: 9 }, () => ({ successes: 0, failures: 4 }));

/** Checked for twelve minutes within five hours. */
const STATE = { sinceMs: NOW_MS - 5.2 * 60 * MINUTE_MS, seenMs: 12 * MINUTE_MS };

function makeTick(index: number, platform: StatusTick['platform']): StatusTick {
  const fromMs = NOW_MS - (90 - index) * 16 * MINUTE_MS;
  return { fromMs, toMs: fromMs + 16 * MINUTE_MS, platform, connector: 'up', internalResponseTimeMs: 200 };
}
const ticks = Array.from({ length: 90 }, (_, index) => makeTick(index, index < 88 ? 'up' : 'down'));

function mountCard(props: Partial<InstanceType<typeof HealthCard>['$props']> = {}) {
  return mount(HealthCard, {
    props: {
      field: 'platform',
      history: { ...makeHistory(up), ticks, platformState: STATE },
      latest: up,
      figures: FIGURES,
      traffic: null,
      faults: { picture: null, figures: null, traffic: null },
      isRefreshing: false,
      refreshSeconds: 30,
      ...props,
    },
    global: surround({ plugins: [createMessages()] }, { nowMs: NOW_MS }),
  });
}

describe('a health card', () => {
  test('says the state, for how long, and the uptime of each span with the time that was seen', () => {
    const card = mountCard();
    expect(card.get('.mark').text()).toBe('Up');
    expect(
      card.findAll('.span').map((each) => each.findAll('dd').map((line) => line.text().replace(/\s+/g, ' '))),
    ).toEqual([
      ['97.8% day', 'watched 12 h'],
      ['>99.9% week', 'watched 3 d 12 h'],
      ['watched 1 d 6 h', 'of 30 days'],
    ]);
  });

  test('says how long a part was seen for without its seconds, from a minute on', () => {
    const seen = (seenMs: number): string =>
      mountCard({
        figures: FIGURES.map((each) => ({ ...each, platform: { ...each.platform, seenMs } })),
      })
        .get('.span')
        .findAll('dd')[0]!
        .text();
    expect(seen(43_000)).toBe('watched 43 s');
    expect(seen(10 * MINUTE_MS + 43_000)).toBe('watched 10 min');
  });

  test('shows the time watched until half of the span is known, rather than 100% of a week after half an hour', () => {
    const card = mountCard({ field: 'connector' });
    expect(card.findAll('.span')[0]?.text()).toContain('watched 12 min');
    expect(card.findAll('.span')[0]?.text()).toContain('of 24 h');
    expect(card.text()).not.toContain('%');
  });

  test.each([
    ['up', busy, false, 'Traffic agrees: 72 inbound successes in 12 min'],
    ['up', [...busy, ...failing], true, 'Reported up, but no inbound success for 9 min'],
    ['down', busy, true, 'Reported down, but 72 inbound successes in 12 min'],
    ['down', [...busy, ...failing, ...failing], false, 'Traffic agrees: no inbound success for 12 min'],
    ['up', busy.slice(0, 2).map(() => ({ successes: 1, failures: 0 })), false, 'No traffic to compare'],
    ['up', null, false, 'No traffic to compare'],
  ] as const)('says what traffic says of %s', (platform, minutes, isAmber, words) => {
    const latest = makeSample({ checkedAtMs: NOW_MS, platform });
    const inbound = minutes === null ? null : { toMs: NOW_MS, minutes: [...minutes] };
    const card = mountCard({ latest, traffic: { inbound, outbound: null } });
    expect(card.get('.body .wide').text()).toBe(words);
    expect(card.find('.amber').exists()).toBe(isAmber);
  });

  test('compares traffic neither with a last known state nor with the time before a state', () => {
    const latest = makeSample({ checkedAtMs: NOW_MS, failure: 'client.timeout' });
    const traffic = { inbound: { toMs: NOW_MS, minutes: busy }, outbound: null };
    expect(mountCard({ latest, traffic }).text()).not.toContain('Traffic');
    const down = makeSample({ checkedAtMs: NOW_MS, platform: 'down' });
    const platformState = { sinceMs: NOW_MS - 20_000, seenMs: 20_000 };
    const card = mountCard({ latest: down, history: { ...makeHistory(down), platformState }, traffic });
    expect(card.text()).toContain('No traffic to compare');
  });

  test('seen: "for 5 h" of a state that was seen for twelve minutes of them', () => {
    expect(mountCard().get('.aside').text()).toBe('seen for 12 min');
    expect(mountCard().get('.aside').attributes('title')).toBe('since 09:48:00');
    const showSince = (platformState: StateSpan) =>
      mountCard({ history: { ...makeHistory(up), ticks, platformState } })
        .get('.aside')
        .text();
    expect(showSince({ sinceMs: NOW_MS - 5 * MINUTE_MS, seenMs: 4.5 * MINUTE_MS })).toBe('since 14:55:00');
    expect(showSince({ sinceMs: NOW_MS - DAY_MS, seenMs: DAY_MS - 20_000 })).toBe('since 19 Nov 15:00:00');
    expect(showSince({ sinceMs: NOW_MS - DAY_MS, seenMs: 0 })).toBe('checked just now');
  });

  test('shows its own part of the status', () => {
    const latest = makeSample({ checkedAtMs: NOW_MS, connector: 'down' });
    expect(mountCard({ latest }).get('.mark').text()).toBe('Up');
    const connector = mountCard({ latest, field: 'connector' });
    expect(connector.get('.mark').text()).toBe('Down');
    expect(connector.get('h2').text()).toBe('Connector');
    expect(connector.text()).toContain('reported');
  });

  test('decision 28, client: what was last known is never shown as what is', () => {
    const latest = makeSample({ checkedAtMs: NOW_MS, failure: 'client.timeout' });
    const lastAnswered = makeSample({ checkedAtMs: NOW_MS - 60 * MINUTE_MS });
    const card = mountCard({ latest, history: { ...makeHistory(latest), lastAnswered, ticks } });
    expect(card.get('.mark').text()).toBe('Unknown');
    // In a line of its own: beside the other words some languages have no room for it.
    expect(card.get('p.line').text()).toBe('Up at 14:00');
    expect(card.text()).toContain('last known state');
    expect(card.find('.dimmed').exists()).toBe(true);
  });

  test('says "Unreachable", not "Unknown", when it is', () => {
    const away = { platform: 'unreachable', connector: 'unreachable', failure: 'client.timeout' } as const;
    const latest = makeSample({ checkedAtMs: NOW_MS, ...away });
    const card = mountCard({ latest, history: { ...makeHistory(latest), ticks } });
    expect(card.get('.mark').text()).toBe('Unreachable from here');
  });

  test('claims nothing of a service that was never reached', () => {
    const latest = makeSample({ failure: 'client.timeout' });
    const card = mountCard({ latest, history: { ...makeHistory(null), ticks: [] }, figures: [] });
    expect(card.text()).toContain('no earlier data');
    expect(card.text()).toContain('not watched yet');
    expect(card.text()).not.toContain('%');
  });

  test('waits for its history with the place kept and no values', () => {
    const card = mountCard({ history: null, latest: null });
    expect(card.get('h2').text()).toBe('Platform');
    expect(card.findAll('.skeleton').length).toBeGreaterThan(2);
    expect(card.find('.mark').exists()).toBe(false);
  });

  test('describes its ticks in one sentence, and names the one under the pointer', async () => {
    const card = mountCard();
    const strip = card.get('.strip');
    expect(strip.attributes('aria-label')).toContain('88 up, 0 partly up, 2 down');
    strip.element.getBoundingClientRect = () => ({ left: 0, width: 900 }) as DOMRect;
    await strip.trigger('pointermove', { clientX: 895 });
    expect(card.get('.hint').text()).toBe('14:44 to 15:00: Down');
    await strip.trigger('pointerleave');
    expect(card.find('.hint').exists()).toBe(false);
  });
});
