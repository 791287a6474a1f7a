import { mount } from '@vue/test-utils';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { ResponseTimes } from '../../../../src-main/common/model/records/histogram.ts';
import {
  readArea,
  toCellBoxes,
  toCountLevel,
  toCountScale,
} from '../../../../src-renderer/charts/heat/times-grid.ts';
import TimesHeatMap from '../../../../src-renderer/charts/heat/TimesHeatMap.vue';
import { createMessages } from '../../../../src-renderer/messages/index.ts';

const HOUR_MS = 3_600_000;
const TIMES: ResponseTimes = {
  buckets: [0, 1, 2, 3].map((hour) => ({ fromMs: hour * HOUR_MS, toMs: (hour + 1) * HOUR_MS })),
  rows: [
    { fromMs: 80, toMs: 100 },
    { fromMs: 100, toMs: 150 },
    { fromMs: 150, toMs: null },
  ],
  cells: [
    { bucket: 0, row: 0, count: 4, failures: 0 },
    { bucket: 1, row: 1, count: 90, failures: 3 },
    { bucket: 2, row: 1, count: 10, failures: 5 },
    { bucket: 2, row: 2, count: 1, failures: 1 },
  ],
  missingCount: 0,
};
/** Cells of 100 by 40 pixels. */
const BOX = { left: 0, width: 400, bottom: 120, height: 120 };

function show(props: { times?: ResponseTimes; gaps?: { fromMs: number; toMs: number }[] } = {}) {
  const view = mount(TimesHeatMap, {
    props: { times: TIMES, canZoomOut: false, ...props },
    global: { plugins: [createMessages()] },
    attachTo: document.body,
  });
  const plot = view.get('[role=application]');
  const point = (name: string, clientX: number, clientY: number) =>
    plot.trigger(name, { clientX, clientY, button: 0, pointerId: 1 });
  const drag = async (from: readonly [number, number], to: readonly [number, number]) => {
    await point('pointerdown', ...from);
    await point('pointermove', ...to);
    await point('pointerup', ...to);
  };
  const press = (key: string, shiftKey = false) => plot.trigger('keydown', { key, shiftKey });
  const said = () => view.get('.cell > [role=status]').text();
  const panel = () => view.find('[role=group]');
  return { view, plot, point, drag, press, said, panel };
}

beforeEach(() => {
  HTMLElement.prototype.setPointerCapture = () => undefined;
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue(BOX as never);
  document.body.innerHTML = '';
});

describe('a heat map of response times', () => {
  test('offers what can be done with the rectangle that was dragged, in either direction', async () => {
    const { view, drag, panel } = show();
    await drag([250, 10], [120, 70]);
    expect(panel().text()).toBe(
      ['1 Jan 01:00 – 03:00', '100 ms or longer', '101 requests', '9 failed', 'Filter to it'].join('') +
        "Find what's different",
    );
    const [filter, explain] = panel().findAll('button');
    expect(document.activeElement).toBe(filter?.element);
    await filter?.trigger('click');
    const area = {
      span: { fromMs: HOUR_MS, toMs: 3 * HOUR_MS },
      times: { fromMs: 100, toMs: null },
      count: 101,
      failures: 9,
    };
    expect(view.emitted('filter')).toEqual([[area]]);
    expect(panel().exists()).toBe(false);
    await drag([120, 70], [250, 10]);
    await panel().findAll('button')[1]?.trigger('click');
    expect(view.emitted('explain')).toEqual([[area]]);
    expect(explain).toBeDefined();
    view.unmount();
  });

  test('keeps the rectangle in sight until it is used or cleared, wherever the focus goes', async () => {
    const { view, drag, press, panel } = show();
    await drag([250, 10], [120, 70]);
    await panel().trigger('focusout', { relatedTarget: document.body });
    expect(panel().exists()).toBe(true);
    expect(view.find('.frame').exists()).toBe(true);
    await panel().get('[aria-label="Clear the selection"]').trigger('click');
    expect(panel().exists()).toBe(false);
    expect(view.find('.frame').exists()).toBe(false);
    await drag([250, 10], [120, 70]);
    await press('Escape');
    expect(view.find('.frame').exists()).toBe(false);
    expect(view.emitted('zoomOut')).toBeUndefined();
    view.unmount();
  });

  test('is used by keys alone: they begin at the fullest cell, say what is marked, and take it back', async () => {
    const { view, press, said, panel, plot } = show();
    (plot.element as HTMLElement).focus();
    await press('ArrowLeft');
    expect(said()).toBe('1 Jan 01:00 – 02:00, 100 ms to 150 ms, 90 requests, 3 failed');
    await press('ArrowRight');
    await press('ArrowUp', true);
    expect(said()).toBe('1 Jan 02:00 – 03:00, 100 ms or longer, 11 requests, 6 failed');
    await press('ArrowLeft');
    expect(said()).toContain('90 requests');
    await press('Enter');
    expect(panel().exists()).toBe(true);
    await panel().trigger('keydown', { key: 'Escape' });
    await vi.waitFor(() => expect(document.activeElement).toBe(plot.element));
    expect(panel().exists()).toBe(false);
    expect(view.emitted('zoomOut')).toBeUndefined();
    await press('Escape');
    expect(view.emitted('zoomOut')).toHaveLength(1);
    view.unmount();
  });

  test('keeps what was chosen where records that arrive bring other cells', async () => {
    const { view, drag, panel } = show();
    await drag([150, 60], [150, 60]);
    const earlier = { fromMs: -HOUR_MS, toMs: 0 };
    await view.setProps({
      times: {
        ...TIMES,
        buckets: [earlier, ...TIMES.buckets],
        rows: [{ fromMs: 60, toMs: 80 }, ...TIMES.rows],
        cells: TIMES.cells.map((cell) => ({ ...cell, bucket: cell.bucket + 1, row: cell.row + 1 })),
      },
    });
    expect(panel().text()).toContain('1 Jan 01:00 – 02:00100 ms to 150 ms90 requests');
    view.unmount();
  });

  test('says that a time is not cached, and not that it is empty', async () => {
    const { view, point } = show({ gaps: [{ fromMs: 3 * HOUR_MS, toMs: 4 * HOUR_MS }] });
    await point('pointermove', 350, 60);
    const tip = view.get('.tip').text();
    expect(tip).toContain('Not cached');
    expect(tip).not.toContain('requests');
    await point('pointermove', 10, 10);
    expect(view.get('.tip').text()).toContain('0 requests');
    expect(view.get('.legend').text()).toContain('Not cached');
    view.unmount();
  });

  test('without a time says so', () => {
    const { view } = show({ times: { ...TIMES, rows: [], cells: [] } });
    expect(view.get('.none').text()).toBe('No cached record here has this time.');
    view.unmount();
  });
});

test('colours grow with counts that differ by powers, and single records can be seen', () => {
  const toScale = (...counts: number[]) => toCountScale(counts.map((count) => ({ count })));
  const scale = toScale(1, 1200);
  expect(scale).toEqual({ edges: [1, 5, 20, 70, 300, 1200], levels: [1, 2, 3, 4, 5] });
  expect([1, 4, 5, 69, 300, 1200].map((count) => toCountLevel(count, scale))).toEqual([1, 1, 2, 3, 5, 5]);
  expect(toScale(1)).toEqual({ edges: [1, 1], levels: [3] });
  for (let most = 1; most < 5000; most += 7) {
    const { edges, levels } = toScale(most);
    expect(levels).toHaveLength(edges.length - 1);
    expect(edges.slice(0, -1).toSorted((a, b) => a - b)).toEqual(edges.slice(0, -1));
    expect(edges.at(-2)).toBeLessThanOrEqual(most);
  }
});

test('cells fill their place, the shortest times at the bottom, and stand out where most failed', () => {
  const boxes = toCellBoxes(TIMES, toCountScale(TIMES.cells), { widthPx: 400, heightPx: 120 });
  expect(boxes[0]).toMatchObject({ left: 0, top: 80, width: 99, height: 39, isFailed: false });
  expect(boxes.map(({ isFailed }) => isFailed)).toEqual([false, false, true, true]);
});

test('an area sums what lies in it', () => {
  const area = { columns: { start: 1, end: 3 }, rows: { start: 0, end: 2 } };
  expect(readArea(TIMES, area)).toEqual({
    span: { fromMs: HOUR_MS, toMs: 3 * HOUR_MS },
    times: { fromMs: 80, toMs: 150 },
    count: 100,
    failures: 8,
  });
  expect(readArea(TIMES, { ...area, rows: { start: 3, end: 4 } })).toBeNull();
});
