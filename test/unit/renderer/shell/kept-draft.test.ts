import { mount } from '@vue/test-utils';
import { beforeEach, expect, it } from 'vitest';
import { ref, type Ref } from 'vue';
import { handOnDrafts, useKeptDraft } from '../../../../src-renderer/composables/use-kept-draft.ts';

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

it('what was typed in a window that is closed is there in the next one, once, and a reload keeps its own', () => {
  localStorage.clear();
  const listeners: (() => void)[] = [];
  /** Opens a window of its own, or one again that was reloaded. */
  const begin = (own: Storage) => {
    const addEventListener = (_name: string, listener: () => void) => void listeners.push(listener);
    handOnDrafts({ sessionStorage: own, localStorage, addEventListener } as never, ['other']);
    return () => listeners.pop()?.();
  };
  const closeFirst = begin(sessionStorage);
  open('alert:1').draft.value.name = 'Half of a na';
  sessionStorage.setItem('other', 'SELECT 1');
  closeFirst();
  const reloaded = begin(sessionStorage);
  expect(localStorage).toHaveLength(0);
  expect(open('alert:1').draft.value.name).toBe('Half of a na');
  reloaded();

  sessionStorage.clear();
  begin(sessionStorage);
  expect(open('alert:1').draft.value.name).toBe('Half of a na');
  expect(sessionStorage.getItem('other')).toBe('SELECT 1');
  sessionStorage.clear();
  begin(sessionStorage);
  expect(open('alert:1').kept.isRestored.value).toBe(false);
});

it('drafts that cannot be read are left behind, and those of later windows go on', () => {
  localStorage.clear();
  localStorage.setItem('channelscope.left:torn', '{');
  const listeners: (() => void)[] = [];
  const addEventListener = (_name: string, listener: () => void) => void listeners.push(listener);
  const begin = () => handOnDrafts({ sessionStorage, localStorage, addEventListener } as never, []);
  begin();
  expect(localStorage).toHaveLength(0);
  begin();
  expect(listeners).not.toEqual([]);
});
