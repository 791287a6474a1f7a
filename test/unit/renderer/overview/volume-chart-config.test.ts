import { describe, expect, it } from 'vitest';
import type { ChartColours } from '../../../../src-renderer/charts/chart-style.ts';
import { toVolumeChartConfig } from '../../../../src-renderer/screens/overview/volume/volume-chart-config.ts';
import { toVolumePoints } from '../../../../src-renderer/screens/overview/volume/volume.ts';

const START_MS = Date.UTC(2026, 10, 20);
const colours = new Proxy({}, { get: () => '#111' }) as ChartColours;
const picked: unknown[] = [];
const pick = (...bar: unknown[]) => void picked.push(bar);
const words = { inbound: 'Inbound', outbound: 'Outbound', errorRate: 'Error rate', uncached: 'not cached' };

function makeConfig(inbound: number[]) {
  const toBuckets = (counts: number[]) =>
    counts.map((count, index) => ({
      fromMs: START_MS + index * 1_800_000,
      toMs: START_MS + (index + 1) * 1_800_000,
      counts: [count * 0.9, 0, 0, count * 0.1, 0],
    }));
  const points = toVolumePoints(toBuckets(inbound), toBuckets(inbound));
  const slots = inbound.map(() => ({ inbound: 'whole' as const, outbound: 'whole' as const }));
  const view = { points, slots, span: null, zone: 'UTC', pick };
  return toVolumeChartConfig(view, colours, words);
}

describe('volume chart', () => {
  it('puts the error rate on its own scale and leaves gaps in it', () => {
    const { datasets } = makeConfig([2000, 0, 4000]).data;
    expect(datasets.map((dataset) => dataset.label)).toEqual(['Error rate', 'Inbound', 'Outbound']);
    expect(datasets[0]?.data).toEqual([0.1, null, 0.1]);
  });

  it('marks a rate between two gaps, which no line would show', () => {
    expect(makeConfig([0, 2000, 0, 10, 10]).data.datasets[0]).toMatchObject({
      pointRadius: [0, 2, 0, 0, 0],
    });
  });

  it('draws no curve between two half hours', () => {
    const [line] = makeConfig([2000, 4000]).data.datasets;
    expect(line).toMatchObject({ stepped: 'middle' });
    expect(line).not.toHaveProperty('tension');
    expect(line).not.toHaveProperty('cubicInterpolationMode');
  });

  it('opens the bar that was clicked: inbound left of the middle of its half hour, outbound right of it', () => {
    const { onClick } = makeConfig([2000, 4000]).options as { onClick: (...call: unknown[]) => void };
    const chart = { scales: { x: { getPixelForValue: () => 100 } } };
    onClick({ x: 90 }, [{ index: 1 }], chart);
    onClick({ x: 110 }, [{ index: 1 }], chart);
    onClick({ x: 110 }, [], chart);
    expect(picked).toEqual([
      [1, 'inbound'],
      [1, 'outbound'],
    ]);
  });

  it('has as many gridlines on the right as on the left, and does not move', () => {
    const { scales, animation } = makeConfig([2000, 0, 4000]).options as {
      scales: Record<'count' | 'rate', { max: number; ticks: { stepSize: number } }>;
      animation: boolean;
    };
    expect(scales.count.max / scales.count.ticks.stepSize).toBeCloseTo(
      scales.rate.max / scales.rate.ticks.stepSize,
    );
    expect(animation).toBe(false);
  });
});
