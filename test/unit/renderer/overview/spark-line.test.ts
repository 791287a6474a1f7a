import { describe, expect, it } from 'vitest';
import { toSparkSegments } from '../../../../src-renderer/screens/overview/health/health.ts';

describe('sparkline', () => {
  it('breaks the line where nothing was measured', () => {
    expect(toSparkSegments([1, 2, null, 3, 4], 100, 40)).toHaveLength(2);
  });

  it('draws a lone value, which as a line of one point nobody would see', () => {
    const [segment] = toSparkSegments([null, 5, null], 100, 40);
    expect(segment?.line).toMatch(/^M50\.0 [\d.]+L75\.0 /);
  });

  it('starts the scale at zero', () => {
    const [segment] = toSparkSegments([0, 100], 100, 54);
    expect(segment?.line).toBe('M0.0 54.0L100.0 4.0');
    expect(segment?.area.endsWith('L100.0 54.0L0.0 54.0Z')).toBe(true);
  });

  it('draws nothing for no values', () => {
    expect(toSparkSegments([], 100, 40)).toEqual([]);
    expect(toSparkSegments([null, null], 100, 40)).toEqual([]);
  });
});
