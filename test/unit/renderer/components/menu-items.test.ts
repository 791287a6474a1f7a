import { mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import { nextTick } from 'vue';
import DropdownMenu from '../../../../src-renderer/components/controls/DropdownMenu.vue';
import type { MenuItem } from '../../../../src-renderer/components/controls/options.ts';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

it('an item stays the same element where another one comes above it while the menu is open', async () => {
  const { global } = await provideApplication(new ScriptedBackend({}));
  const toItem = (id: string): MenuItem => ({ id, label: id, select: () => undefined });
  const view = mount(DropdownMenu, {
    props: { sections: [{ items: [toItem('verify'), toItem('delete')] }] },
    slots: { default: '<button type="button">Actions</button>' },
    global,
    attachTo: document.body,
  });
  await view.get('button').trigger('click');
  await nextTick();
  const list = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[role=menuitem]')];
  const [verify] = list();
  expect(verify?.textContent).toBe('verify');
  await view.setProps({ sections: [{ items: [toItem('refresh'), toItem('verify'), toItem('delete')] }] });
  expect(list().map(({ textContent }) => textContent)).toEqual(['refresh', 'verify', 'delete']);
  expect(list()[1]).toBe(verify);
  view.unmount();
});
