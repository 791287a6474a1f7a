import { mount } from '@vue/test-utils';
import { describe, expect, test } from 'vitest';
import type { StatusTick } from '../../../../src-main/common/model/status.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import HealthCard from '../../../../src-renderer/screens/overview/HealthCard.vue';
import { makeHistory, makeSample } from '../support/samples.ts';

const MINUTE_MS = 60_000;
const NOW_MS = Date.UTC(2026, 10, 20, 15);
const up = makeSample({ checkedAtMs: NOW_MS });

function makeTick(index: number, platform: StatusTick['platform']): StatusTick {
  const fromMs = NOW_MS - (90 - index) * 16 * MINUTE_MS;
  return { fromMs, toMs: fromMs + 16 * MINUTE_MS, platform, connector: 'up', internalResponseTimeMs: 200 };
}
const ticks = Array.from({ length: 90 }, (_, index) => makeTick(index, index < 88 ? 'up' : 'down'));

function mountCard(props: Partial<InstanceType<typeof HealthCard>['$props']> = {}) {
  return mount(HealthCard, {
    props: {
      field: 'platform',
      history: { ...makeHistory(up), ticks, platformUptime: 0.978, platformSinceMs: NOW_MS - 5 * MINUTE_MS },
      latest: up,
      zone: 'UTC',
      nowMs: NOW_MS,
      refreshSeconds: 30,
      ...props,
    },
    global: { plugins: [createMessages()] },
  });
}

describe('a health card', () => {
  test('says the state, for how long, and the uptime', () => {
    const card = mountCard();
    expect(card.get('.mark').text()).toBe('Up');
    expect(card.text()).toContain('for 5 min');
    expect(card.text()).toContain('97.8% up');
    expect(card.text()).toContain('servers are operating normally');
  });

  test('shows its own part of the status', () => {
    const latest = makeSample({ checkedAtMs: NOW_MS, connector: 'down' });
    expect(mountCard({ latest }).get('.mark').text()).toBe('Up');
    const connector = mountCard({ latest, field: 'connector' });
    expect(connector.get('.mark').text()).toBe('Down');
    expect(connector.get('h2').text()).toBe('Connector');
    expect(connector.text()).toContain('as reported by the service');
  });

  test('decision 28, client: what was last known is never shown as what is', () => {
    const latest = makeSample({ checkedAtMs: NOW_MS, failure: 'client.timeout' });
    const lastAnswered = makeSample({ checkedAtMs: NOW_MS - 60 * MINUTE_MS });
    const card = mountCard({ latest, history: { ...makeHistory(latest), lastAnswered, ticks } });
    expect(card.get('.mark').text()).toBe('Unknown');
    expect(card.text()).toContain('Up at 14:00');
    expect(card.text()).toContain('last known state');
    expect(card.find('.dimmed').exists()).toBe(true);
  });

  test('claims nothing of a service that was never reached', () => {
    const latest = makeSample({ failure: 'client.timeout' });
    const card = mountCard({ latest, history: { ...makeHistory(null), ticks: [] } });
    expect(card.text()).toContain('no earlier data');
    expect(card.text()).toContain('no checks yet');
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
