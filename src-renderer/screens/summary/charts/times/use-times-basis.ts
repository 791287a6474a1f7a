import { computed, type ComputedRef } from 'vue';
import type { Direction } from '../../../../../src-main/common/reporting/reports.ts';
import type { usePeriodCoverage } from '../../../../period/use-period-coverage.ts';
import type { Question } from '../../groups/use-measured.ts';
import { withTail, type TimesBasis } from './times-basis.ts';

interface Input {
  readonly direction: Direction;
  readonly question: Question | null;
  readonly zone: string;
  readonly coverage: {
    readonly [Name in 'isKnown' | 'gaps' | 'cachedUntilMs']: ReturnType<
      typeof usePeriodCoverage
    >[Name]['value'];
  };
}

/** What the charts of times are computed from; null where the service is asked. */
export function useTimesBasis(readInput: () => Input): ComputedRef<TimesBasis | null> {
  return computed(() => {
    const { direction, question, zone, coverage } = readInput();
    if (question === null) return null;
    const gaps = coverage.isKnown ? withTail(coverage.gaps, coverage.cachedUntilMs, question.scope) : null;
    return { ...question, direction, zone, gaps };
  });
}
