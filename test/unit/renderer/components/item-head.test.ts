import { flushPromises, mount } from '@vue/test-utils';
import { expect, test } from 'vitest';
import ItemHead from '../../../../src-renderer/components/items/ItemHead.vue';
import { createMessages } from '../../../../src-renderer/messages/index.ts';

function show() {
  const head = mount(ItemHead, {
    props: {
      name: 'Errors',
      isActive: true,
      isSaved: true,
      maxLength: 80,
      activeLabel: 'Active',
      'onUpdate:name': (name: string) => head.setProps({ name }),
    },
    global: { plugins: [createMessages()] },
    attachTo: document.body,
  });
  return head;
}

test('Escape in the name gives up what was typed, and Enter keeps it; the focus stays at the name', async () => {
  const head = show();
  const rename = async (name: string, key: string): Promise<void> => {
    await head.get('button[aria-label=Rename]').trigger('click');
    await flushPromises();
    await head.get('input').setValue(name);
    await head.get('input').trigger('keydown', { key });
    await flushPromises();
  };
  await rename('Half of a', 'Escape');
  expect(head.get('h2').text()).toBe('Errors');
  await rename('All errors', 'Enter');
  expect(head.get('h2').text()).toBe('All errors');
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Rename');
  head.unmount();
});
