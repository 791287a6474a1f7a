import { flushPromises, mount } from '@vue/test-utils';
import { afterEach, expect, test, vi } from 'vitest';
import PopoverPanel from '../../../../src-renderer/components/controls/PopoverPanel.vue';

afterEach(() => void vi.unstubAllGlobals());

test('an open list of values closes when a narrower window hides what it belongs to', async () => {
  const observed: { readonly element: Element; readonly tell: () => void }[] = [];
  vi.stubGlobal(
    'ResizeObserver',
    class {
      readonly #tell: () => void;
      constructor(tell: (entries: never[]) => void) {
        this.#tell = () => tell([]);
      }
      observe(element: Element): void {
        observed.push({ element, tell: this.#tell });
      }
      unobserve(): void {}
      disconnect(): void {}
    },
  );
  const panel = mount(PopoverPanel, {
    slots: { trigger: '<button type="button">Channel</button>', default: '<p>Values</p>' },
    attachTo: document.body,
  });
  const button = panel.get('button').element;
  const resize = async (isShown: boolean): Promise<void> => {
    button.getClientRects = () => (isShown ? [new DOMRect()] : []) as unknown as DOMRectList;
    for (const { element, tell } of observed) if (element === button) tell();
    await flushPromises();
  };
  await panel.get('button').trigger('click');
  await flushPromises();
  expect(document.body.textContent).toContain('Values');
  await resize(true);
  expect(document.body.textContent).toContain('Values');
  await resize(false);
  expect(panel.emitted('update:open')).toEqual([[true], [false]]);
  panel.unmount();
});
