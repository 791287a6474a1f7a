import { computed, nextTick, ref, type ComputedRef, type Ref } from 'vue';

const STEPS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => Math.min(at + 1, last),
  ArrowUp: (at) => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_at, last) => last,
};

/**
 * The keys of the fields: all of them are one stop of Tab. Up and Down go from line to line, marked with `data-stop`; Right
 * and Left go through the buttons of a line, and unfold and fold a field at its name.
 */
export function useFieldKeys(
  body: Readonly<Ref<HTMLElement | null>>,
  readStops: () => readonly string[],
): {
  /** The line that Tab leads to. */
  readonly stop: ComputedRef<string>;
  onKeydown(event: KeyboardEvent): void;
  onFocusin(event: FocusEvent): void;
  /** Has to be called before the lines change: a line that goes must not take the focus with it. */
  keepFocus(): Promise<void>;
} {
  const last = ref('');
  const stop = computed(() => {
    const stops = readStops();
    return stops.includes(last.value) ? last.value : (stops[0] ?? '');
  });

  const hasFocus = (): boolean => body.value?.contains(document.activeElement) ?? false;
  const find = (name: string): HTMLElement | undefined =>
    [...(body.value?.querySelectorAll<HTMLElement>('[data-stop]') ?? [])].find(
      ({ dataset }) => dataset['stop'] === name,
    );
  const findLine = (target: EventTarget | null): Element | null =>
    target instanceof Element ? target.closest('[data-line]') : null;

  function goSideways(by: -1 | 1, button: Element): void {
    const isFolded = button.getAttribute('aria-expanded');
    if (isFolded !== null && button.hasAttribute('data-fold')) {
      if ((isFolded === 'true') === by < 0 && button instanceof HTMLElement) button.click();
      return;
    }
    const buttons = [...(findLine(button)?.querySelectorAll<HTMLElement>('button') ?? [])];
    buttons[buttons.findIndex((one) => one === button) + by]?.focus();
  }

  return {
    stop,
    onKeydown(event) {
      const { target, key } = event;
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const name = findLine(target)?.querySelector<HTMLElement>('[data-stop]')?.dataset['stop'];
      if (name === undefined || !(target instanceof Element)) return;
      const step = STEPS[key];
      if (step !== undefined) {
        const stops = readStops();
        const next = stops[step(stops.indexOf(name), stops.length - 1)] ?? name;
        find(next)?.focus();
      } else if (key === 'ArrowRight' || key === 'ArrowLeft')
        goSideways(key === 'ArrowRight' ? 1 : -1, target);
      else return;
      event.preventDefault();
    },
    onFocusin({ target }) {
      const name = findLine(target)?.querySelector<HTMLElement>('[data-stop]')?.dataset['stop'];
      if (name !== undefined) last.value = name;
    },
    async keepFocus() {
      if (!hasFocus()) return;
      await nextTick();
      if (!hasFocus()) find(stop.value)?.focus();
    },
  };
}
