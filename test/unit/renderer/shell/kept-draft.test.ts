import { mount } from '@vue/test-utils';
import { beforeEach, expect, it } from 'vitest';
import { ref, type Ref } from 'vue';
import { useKeptDraft } from '../../../../src-renderer/composables/use-kept-draft.ts';

interface Form {
  name: string;
  secret: string;
}
const SAVED: Form = { name: 'Errors', secret: '' };

beforeEach(() => sessionStorage.clear());

/** Opens a form on its subject, as a screen does that is come back to. */
function open(subject: string) {
  const draft: Ref<Form> = ref({ ...SAVED });
  let kept!: ReturnType<typeof useKeptDraft<Form>>;
  const setup = () => {
    kept = useKeptDraft(
      subject,
      draft,
      () => SAVED,
      (form) => ({ ...form, secret: '' }),
    );
  };
  const page = mount({ template: '<i />', setup });
  return { draft, kept, leave: () => page.unmount() };
}

it('what was typed of a subject is there again, and of no other one', () => {
  const first = open('alert:1');
  first.draft.value.name = 'Half of a na';
  first.leave();
  expect(open('alert:2').draft.value.name).toBe('Errors');
  const again = open('alert:1');
  expect([again.draft.value.name, again.kept.isRestored.value]).toEqual(['Half of a na', true]);
});

it('what was put back, saved or given up is not kept, and a secret is never written', () => {
  const form = open('alert:1');
  form.draft.value.secret = 'topsecret';
  form.draft.value.name = 'Other';
  expect(sessionStorage.getItem('channelscope.draft:alert:1')).toBe('{"name":"Other","secret":""}');
  form.draft.value.name = 'Errors';
  expect(sessionStorage).toHaveLength(0);
  form.draft.value.name = 'Other';
  form.kept.forget();
  form.draft.value.name = 'Later';
  expect(sessionStorage).toHaveLength(0);
  expect(open('alert:1').kept.isRestored.value).toBe(false);
});
