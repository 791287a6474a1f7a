import { mount } from '@vue/test-utils';
import { expect, test } from 'vitest';
import ItemList from '../../../../src-renderer/components/items/ItemList.vue';
import type { ListedItem } from '../../../../src-renderer/composables/saved-items.ts';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const ITEM_PX = 40;
const LIST_PX = 100;

const makeItem = (id: number): ListedItem => ({
  ...{ id: String(id), name: `Rule ${id}`, tone: 'good', icon: null, isRunning: false, isOff: false },
  ...{ about: '', state: 'Ready', note: '' },
});

/** A page without layout: items of a height below one another, in a list of a height. */
function layOut(list: Element, scrollTop: number): void {
  const at = (top: number, height: number) => () => ({ top, bottom: top + height }) as DOMRect;
  list.getBoundingClientRect = at(0, LIST_PX);
  for (const [place, item] of [...list.children].entries()) {
    item.getBoundingClientRect = at(place * ITEM_PX - scrollTop, ITEM_PX);
  }
}

test('a list says how many of its items are further below', async () => {
  const { global } = await provideApplication(new ScriptedBackend({}));
  const items = Array.from({ length: 6 }, (_, id) => makeItem(id));
  const props = {
    ...{
      title: 'Rules',
      counts: '6',
      items,
      selectedId: '',
      toPlace: (id: string) => ({ name: 'alerts', params: { id } }),
    },
    ...{ addLabel: 'New', newName: null },
  };
  const wrapper = mount(ItemList, { props, global });
  const list = wrapper.get('ul');
  expect(wrapper.find('.below').exists()).toBe(false);
  layOut(list.element, 0);
  await list.trigger('scroll');
  // Of the third there is a half to be seen.
  expect(wrapper.get('.below').text()).toBe('4 more below');
  layOut(list.element, 6 * ITEM_PX - LIST_PX);
  await list.trigger('scroll');
  expect(wrapper.find('.below').exists()).toBe(false);
});
