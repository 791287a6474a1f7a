import { computed, ref, watch } from 'vue';
import {
  MAX_ALERT_NAME,
  type AlertDraft,
  type AlertRule,
} from '../../../../src-main/common/model/alerts/alert-rule.ts';
import { toCondition, type AlertIdea } from '../../../alerts/alert-link.ts';
import { useKeptDraft } from '../../../composables/use-kept-draft.ts';
import { isBeyond } from './sentence-choices.ts';
import { useAlertWords } from '../alert-words.ts';

const IDEA: AlertIdea = {
  subject: 'error-share',
  direction: 'inbound',
  filter: { conditions: [] },
  origin: 'hand',
};

/** What a person is making of a rule; null for one that isn't saved yet, which begins with an idea. */
export function useRuleDraft(
  readRule: () => AlertRule | null,
  readIdea: () => AlertIdea | null,
  readConnectionId: () => string,
) {
  const words = useAlertWords();

  function toDraft(): AlertDraft {
    const rule = readRule();
    if (rule !== null) {
      const { connectionId, name, isActive, condition } = rule;
      return { connectionId, name, isActive, condition };
    }
    const condition = toCondition(readIdea() ?? IDEA);
    const name = words.suggestName(condition);
    return { connectionId: readConnectionId(), name, isActive: true, condition };
  }

  const draft = ref<AlertDraft>(toDraft());
  const subject = readRule()?.id ?? `new:${JSON.stringify(readIdea())}`;
  const kept = useKeptDraft(`alert:${subject}`, draft, toDraft);
  // Another window or a reload may have been on another connection.
  if (readRule() === null) draft.value.connectionId = readConnectionId();
  let suggested = words.suggestName(draft.value.condition).slice(0, MAX_ALERT_NAME);
  const saved = computed(() => JSON.stringify(toDraft()));
  const isChanged = computed(() => readRule() === null || JSON.stringify(draft.value) !== saved.value);
  const isSound = computed(
    () =>
      draft.value.name.trim() !== '' &&
      draft.value.name.trim().length <= MAX_ALERT_NAME &&
      isBeyond(draft.value.condition),
  );

  function discard(): void {
    draft.value = toDraft();
    suggested = draft.value.name;
  }

  // Until a person names it, a rule is called what it watches.
  watch(
    () => draft.value.condition,
    (condition) => {
      if (readRule() !== null || draft.value.name !== suggested) return;
      suggested = words.suggestName(condition).slice(0, MAX_ALERT_NAME);
      draft.value.name = suggested;
    },
    { deep: true },
  );
  // What isn't saved yet becomes a rule of the connection that is shown, which its past is tested on.
  watch(readConnectionId, (connectionId) => {
    if (readRule() === null) draft.value.connectionId = connectionId;
  });
  // What was saved elsewhere shows where nothing was changed here.
  watch(saved, (now, before) => {
    if (JSON.stringify(draft.value) === before || JSON.stringify(draft.value) === now) discard();
  });

  return { draft, isRestored: kept.isRestored, isChanged, isSound, discard, forget: kept.forget };
}
