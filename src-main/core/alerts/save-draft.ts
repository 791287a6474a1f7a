import { randomUUID } from 'node:crypto';
import { AppError } from '../../common/contract/errors.ts';
import {
  isInboundOnly,
  isOnRecords,
  MAX_ALERT_RULES,
  toCritical,
  toEach,
  withValue,
  type AlertCondition,
  type AlertDraft,
  type AlertRule,
} from '../../common/model/alerts/alert-rule.ts';
import type { AlertOrigin } from '../../common/model/alerts/alert-state.ts';
import { listGroupFields } from '../../common/model/analysis/grouping.ts';
import { isTooLarge } from '../../common/query/filter-tree.ts';
import type { AlertBook } from './alert-book.ts';

/** A rule as it is to be, and who or what asks for it. */
export interface SavedDraft {
  /** Null for a new rule. */
  readonly ruleId: string | null;
  /** Of a new rule that has one already, on another computer. */
  readonly newId?: string;
  readonly draft: AlertDraft;
  readonly origin: AlertOrigin;
}

/**
 * Makes a rule, or changes one, and notes it in the rule's log. Throws `alerts.not-found`, `alerts.too-many` for a new
 * rule beyond MAX_ALERT_RULES, and `app.invalid-input` for what can never fire, or not as it says: a measure or a field
 * that outbound requests don't have, a critical threshold that isn't beyond the other, a filter that is too long.
 */
export async function saveDraft(
  book: Pick<AlertBook, 'getRule' | 'listRules' | 'saveRule' | 'forgetState' | 'addEntry'>,
  { ruleId, newId, draft, origin }: SavedDraft,
  nowMs: number,
): Promise<AlertRule> {
  const { condition } = draft;
  if (
    condition.kind === 'measure' &&
    condition.direction === 'outbound' &&
    isInboundOnly(condition.measure)
  ) {
    throw new AppError('app.invalid-input', 'Only inbound requests have a bot latency.', {
      field: 'direction',
    });
  }
  checkThresholds(condition);
  checkEach(condition);
  const known = ruleId === null ? null : book.getRule(ruleId);
  if (known === null && book.listRules().length >= MAX_ALERT_RULES) {
    throw new AppError('alerts.too-many', 'There are too many rules.', { limit: MAX_ALERT_RULES });
  }
  const rule: AlertRule = {
    ...draft,
    id: known?.id ?? newId ?? randomUUID(),
    name: draft.name.trim(),
    mute: known?.mute ?? null,
    // Values of another field are none of this one's.
    ...(known?.valueMutes === undefined || toEach(known.condition) !== toEach(condition)
      ? {}
      : { valueMutes: known.valueMutes }),
    madeAtMs: known?.madeAtMs ?? nowMs,
    savedAtMs: nowMs,
  };
  await book.saveRule(rule);
  const isOther = known !== null && JSON.stringify(known.condition) !== JSON.stringify(condition);
  const wasSwitched = known !== null && known.isActive !== rule.isActive;
  // What another condition found says nothing of this one; nobody looked while it was off.
  if (isOther || wasSwitched) book.forgetState(rule.id);
  const entry = { ruleId: rule.id, atMs: nowMs, notice: 'by-hand' as const, origin, condition };
  if (known === null) book.addEntry({ ...entry, kind: 'made' });
  else if (isOther) book.addEntry({ ...entry, kind: 'changed', before: known.condition });
  return rule;
}

function checkThresholds(condition: AlertCondition): void {
  const critical = toCritical(condition);
  if (condition.kind !== 'measure' || critical === undefined) return;
  const { comparison, threshold } = condition;
  if (comparison === 'above' ? critical > threshold : critical < threshold) return;
  throw new AppError('app.invalid-input', 'The critical threshold must be beyond the warning threshold.', {
    field: 'critical',
  });
}

function checkEach(condition: AlertCondition): void {
  if (!isOnRecords(condition) || condition.each === undefined) return;
  if (!listGroupFields(condition.direction).includes(condition.each)) {
    throw new AppError('app.invalid-input', 'Requests of this direction do not have the field.', {
      field: 'each',
    });
  }
  const own = withValue(condition, null);
  if (isOnRecords(own) && isTooLarge(own.filter)) {
    throw new AppError('app.invalid-input', 'The filter has too many conditions.', { field: 'filter' });
  }
}
