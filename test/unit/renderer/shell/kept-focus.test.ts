import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, expect, test } from 'vitest';
import { defineComponent, ref } from 'vue';
import { useKeptFocus } from '../../../../src-renderer/shell/window.ts';

const rows = ref<string[]>([]);
const isEdited = ref(false);
const screen = ref('one');
let page: VueWrapper;
afterEach(() => page.unmount());

const Window = defineComponent({
  setup: () => {
    useKeptFocus();
    return { rows, isEdited, screen };
  },
  template: `
    <nav><button>Elsewhere</button></nav>
    <main>
      <div :key="screen" class="screen">
        <button class="add">Add</button>
        <ul>
          <li v-for="row in rows" :key="row"><button>{{ row }}</button><button :class="row">Delete</button></li>
        </ul>
        <input v-if="isEdited" aria-label="Name" />
        <button v-else class="edit">Rename</button>
        <div role="grid"><button v-if="!isEdited" class="cell">Cell</button></div>
      </div>
    </main>`,
});

function open(): void {
  rows.value = ['first', 'second', 'third'];
  isEdited.value = false;
  page = mount(Window, { attachTo: document.body });
}
const focus = (selector: string): void => page.get<HTMLElement>(selector).element.focus();
const focused = (): string => {
  const element = document.activeElement;
  return (
    element?.getAttribute('aria-label') ??
    (element === document.body ? 'nothing' : element?.textContent) ??
    ''
  );
};

test('the row that follows has the focus of one that is removed, or else the one before', async () => {
  open();
  focus('.second');
  rows.value = ['first', 'third'];
  await flushPromises();
  expect(focused()).toBe('third');
  focus('.third');
  rows.value = ['first'];
  await flushPromises();
  expect(focused()).toBe('Delete');
  rows.value = [];
  await flushPromises();
  expect(focused()).toBe('Rename');
});

test('what takes the place of something has its focus', async () => {
  open();
  focus('.edit');
  isEdited.value = true;
  await flushPromises();
  expect(focused()).toBe('Name');
});

test('a focus that was given up, or is looked after elsewhere, stays away', async () => {
  open();
  focus('.second');
  (document.activeElement as HTMLElement).blur();
  await flushPromises();
  rows.value = ['first', 'third'];
  await flushPromises();
  expect(focused()).toBe('nothing');
  focus('.cell');
  isEdited.value = true;
  await flushPromises();
  expect(focused()).toBe('nothing');
});

test('a screen that goes as a whole leaves its focus to the one that comes', async () => {
  open();
  focus('.add');
  screen.value = 'two';
  await flushPromises();
  expect(focused()).toBe('nothing');
});
