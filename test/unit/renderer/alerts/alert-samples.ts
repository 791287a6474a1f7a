import type { AlertRule } from '../../../../src-main/common/model/alerts/alert-rule.ts';
import type {
  AlertBoard,
  AlertState,
  AlertTest,
} from '../../../../src-main/common/model/alerts/alert-state.ts';
import { toCondition } from '../../../../src-renderer/alerts/alert-link.ts';

const HOUR_MS = 3_600_000;
export const TO_MS = Date.UTC(2026, 10, 22, 12);
const FROM_MS = TO_MS - 14 * 24 * HOUR_MS;

export function makeRule(change: Partial<AlertRule> = {}): AlertRule {
  return {
    id: 'rule',
    connectionId: 'a',
    name: 'Service 7 fails',
    isActive: true,
    condition: toCondition({
      subject: 'error-share',
      direction: 'inbound',
      filter: { conditions: [{ field: 'service', values: [7] }] },
      origin: 'hand',
    }),
    mute: null,
    madeAtMs: FROM_MS,
    savedAtMs: FROM_MS,
    ...change,
  };
}

export function makeBoard(
  rules: readonly (Partial<AlertRule> & { readonly state?: Partial<AlertState> })[] = [{}],
): AlertBoard {
  return {
    rules: rules.map(({ state, ...rule }) => ({
      rule: makeRule(rule),
      state: {
        firingSinceMs: null,
        lastFiredMs: null,
        level: null,
        judgedToMs: null,
        blindMinutes: 0,
        rests: null,
        values: [],
        hasMoreValues: false,
        ...state,
      },
    })),
    mutes: [],
    checkedAtMs: TO_MS,
    setAside: 0,
  };
}

export function makeTest(change: Partial<AlertTest> = {}): AlertTest {
  return {
    fromMs: FROM_MS,
    toMs: TO_MS,
    values: [],
    hasMoreValues: false,
    judgedToMs: null,
    knownMinutes: 20_000,
    unknown: [{ fromMs: FROM_MS + 24 * HOUR_MS, toMs: FROM_MS + 29 * HOUR_MS }],
    firings: [
      {
        sinceMs: TO_MS - 50 * HOUR_MS,
        untilMs: TO_MS - 49 * HOUR_MS,
        hits: 34,
        total: 418,
        peak: 0.098,
        level: null,
      },
      { sinceMs: TO_MS - 2 * HOUR_MS, untilMs: null, hits: 1, total: 2, peak: 0.5, level: null },
    ],
    others: [
      { threshold: 0.02, count: 19 },
      { threshold: 0.05, count: 2 },
    ],
    suggestion: { kind: 'found', threshold: 0.05, count: 2, critical: 0.15, knownMinutes: 20_000 },
    notes: [{ kind: 'fired', level: null, atMs: TO_MS, body: 'Error share 61.8% for 10 minutes.' }],
    series: Array.from({ length: 14 * 24 }, (_, hour) => ({
      fromMs: FROM_MS + hour * HOUR_MS,
      value: hour < 24 || hour > 29 ? 0.02 : null,
    })),
    ...change,
  };
}
