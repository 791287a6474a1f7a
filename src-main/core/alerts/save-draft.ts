import { randomUUID } from 'node:crypto';
import { AppError } from '../../common/contract/errors.ts';
import {
  isInboundOnly,
  MAX_ALERT_RULES,
  type AlertDraft,
  type AlertRule,
} from '../../common/model/alerts/alert-rule.ts';
import type { AlertOrigin } from '../../common/model/alerts/alert-state.ts';
import type { AlertBook } from './alert-book.ts';

/** A rule as it is to be, and who or what asks for it. */
export interface SavedDraft {
  /** Null for a new rule. */
  readonly ruleId: string | null;
  readonly draft: AlertDraft;
  readonly origin: AlertOrigin;
}

/**
 * Makes a rule, or changes one, and notes it in the rule's log. Throws `alerts.not-found`, `alerts.too-many` for a new
 * rule beyond MAX_ALERT_RULES, and `app.invalid-input` for a measure that outbound requests don't have: it never fired.
 */
export async function saveDraft(
  book: Pick<AlertBook, 'getRule' | 'listRules' | 'saveRule' | 'forgetState' | 'addEntry'>,
  { ruleId, draft, origin }: SavedDraft,
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
  const known = ruleId === null ? null : book.getRule(ruleId);
  if (known === null && book.listRules().length >= MAX_ALERT_RULES) {
    throw new AppError('alerts.too-many', 'There are too many rules.', { limit: MAX_ALERT_RULES });
  }
  const rule: AlertRule = {
    ...draft,
    id: known?.id ?? randomUUID(),
    name: draft.name.trim(),
    mute: known?.mute ?? null,
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
