import { mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import { defineComponent, nextTick, ref } from 'vue';
import type { AlertRule } from '../../../../src-main/common/model/alerts/alert-rule.ts';
import { useRuleDraft } from '../../../../src-renderer/screens/alerts/editor/rule-draft.ts';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { makeRule } from './alert-samples.ts';

async function makeDraft(rule: AlertRule | null) {
  const connectionId = ref('a');
  const { global } = await provideApplication(new ScriptedBackend({}));
  let made: ReturnType<typeof useRuleDraft> | undefined;
  const Editor = defineComponent({
    setup: () => {
      made = useRuleDraft(
        () => rule,
        () => null,
        () => connectionId.value,
      );
      return () => null;
    },
  });
  mount(Editor, { global });
  return { connectionId, draft: made!.draft };
}

it('a rule that is being made is one of the connection that is shown, also when that changes', async () => {
  const { connectionId, draft } = await makeDraft(null);
  draft.value.name = 'My own';
  connectionId.value = 'b';
  await nextTick();
  expect([draft.value.connectionId, draft.value.name]).toEqual(['b', 'My own']);
});

it('a saved rule stays with its connection', async () => {
  const { connectionId, draft } = await makeDraft(makeRule());
  draft.value.name = 'My own';
  connectionId.value = 'b';
  await nextTick();
  expect(draft.value.connectionId).toBe('a');
});
