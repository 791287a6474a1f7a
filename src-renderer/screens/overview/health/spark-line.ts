export interface SparkSegment {
  readonly line: string;
  readonly area: string;
}

/**
 * Paths of a sparkline in a box of `width` by `height`; null values leave a gap. The scale starts at zero,
 * so that a small change never looks like a large one.
 */
export function toSparkSegments(
  values: readonly (number | null)[],
  width: number,
  height: number,
): SparkSegment[] {
  const top = Math.max(1, ...values.map((value) => value ?? 0)) * 1.08;
  const stepX = values.length > 1 ? width / (values.length - 1) : 0;
  const segments: SparkSegment[] = [];
  let points: { x: number; y: number }[] = [];
  const closeSegment = (): void => {
    const [first, last] = [points[0], points.at(-1)];
    if (first !== undefined && last !== undefined) {
      // A single value has no line to be drawn, so it becomes a short dash.
      const drawn = points.length > 1 ? points : [first, { x: first.x + stepX / 2, y: first.y }];
      const line = drawn.map((point, index) => `${index === 0 ? 'M' : 'L'}${format(point)}`).join('');
      const end = drawn.at(-1) ?? last;
      segments.push({
        line,
        area: `${line}L${format({ x: end.x, y: height })}L${format({ x: first.x, y: height })}Z`,
      });
    }
    points = [];
  };
  values.forEach((value, index) => {
    if (value === null) closeSegment();
    else points.push({ x: index * stepX, y: height - (value / top) * height });
  });
  closeSegment();
  return segments;
}

function format(point: { x: number; y: number }): string {
  return `${point.x.toFixed(1)} ${point.y.toFixed(1)}`;
}
