import type { TimeSpan } from '../../../../src-main/common/time/time-span.ts';

/** Returns the places of those of a span's equal parts that lie within gaps. */
export function listUnknown({ fromMs, toMs }: TimeSpan, count: number, gaps: readonly TimeSpan[]): number[] {
  const lengthMs = (toMs - fromMs) / count;
  return Array.from({ length: count }, (_, place) => place).filter((place) => {
    const [beginMs, endMs] = [fromMs + place * lengthMs, fromMs + (place + 1) * lengthMs];
    return gaps.some((gap) => gap.fromMs <= beginMs && gap.toMs >= endMs);
  });
}
