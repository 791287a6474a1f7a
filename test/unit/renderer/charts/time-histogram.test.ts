import { mount } from '@vue/test-utils';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { formatAxisCount } from '../../../../src-renderer/charts/chart-style.ts';
import TimeHistogram from '../../../../src-renderer/charts/TimeHistogram.vue';
import { createMessages } from '../../../../src-renderer/messages/index.ts';

const MINUTE_MS = 60_000;
const buckets = [5, 0, 1200, 8].map((count, index) => ({
  fromMs: index * MINUTE_MS,
  toMs: (index + 1) * MINUTE_MS,
  counts: [count, 0, 0, index === 3 ? 2 : 0, 0],
}));

function mountHistogram(selection: { fromMs?: number; toMs?: number } = {}) {
  const histogram = mount(TimeHistogram, {
    props: { buckets, zone: 'UTC', label: 'Records', fromMs: undefined, toMs: undefined, ...selection },
    global: { plugins: [createMessages()] },
  });
  const plot = histogram.get('[role=slider]');
  const point = (name: string, clientX: number) => plot.trigger(name, { clientX, button: 0, pointerId: 1 });
  return { histogram, plot, point };
}

beforeEach(() => {
  HTMLElement.prototype.setPointerCapture = () => undefined;
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue({ left: 0, width: 400 } as never);
});

describe('a time histogram', () => {
  test('selects the whole buckets that the pointer is dragged over, in either direction', async () => {
    const { histogram, point } = mountHistogram();
    await point('pointerdown', 250);
    await point('pointermove', 120);
    await point('pointerup', 120);
    expect(histogram.emitted('select')).toEqual([[{ fromMs: MINUTE_MS, toMs: 3 * MINUTE_MS }]]);
  });

  test('forgets a drag that the system took over', async () => {
    const { histogram, point } = mountHistogram();
    await point('pointerdown', 250);
    await point('pointercancel', 250);
    await point('pointerup', 250);
    expect(histogram.emitted('select')).toBeUndefined();
  });

  test('moves the selection with the arrow keys and clears it with Escape', async () => {
    const { histogram, plot } = mountHistogram({ fromMs: MINUTE_MS, toMs: 2 * MINUTE_MS });
    await plot.trigger('keydown', { key: 'ArrowRight' });
    await plot.trigger('keydown', { key: 'Escape' });
    await plot.trigger('keydown', { key: 'a' });
    expect(histogram.emitted('select')).toEqual([[{ fromMs: 2 * MINUTE_MS, toMs: 3 * MINUTE_MS }], [null]]);
  });

  test('names the bucket under the pointer with its code classes and total', async () => {
    const { histogram, point } = mountHistogram();
    await point('pointermove', 390);
    const tip = histogram.get('.tip').text();
    expect(tip).toContain('00:03:00');
    expect(tip).toMatch(/2xx\s*8/u);
    expect(tip).toMatch(/5xx\s*2/u);
    expect(tip).toMatch(/Total\s*10/u);
    await point('pointerleave', 390);
    expect(histogram.find('.tip').exists()).toBe(false);
  });

  test('says what is selected, and its highest count', () => {
    const { histogram, plot } = mountHistogram({ fromMs: 0, toMs: MINUTE_MS });
    expect(plot.attributes('aria-valuetext')).toContain('00:01');
    expect(histogram.get('.scale').text()).toContain('1.2k');
  });
});

test.each([
  [0, '0'],
  [950, '950'],
  [1250, '1.25k'],
  [12_345, '12.3k'],
  [2_500_000, '2.5M'],
])('%s on an axis is %s', (count, label) => {
  expect(formatAxisCount(count)).toBe(label);
});
