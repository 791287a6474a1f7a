import { nextTick, onMounted, ref, watch, type Ref } from 'vue';
import { onBeforeRouteUpdate, useRoute } from 'vue-router';
import { findScroller } from '../../composables/find-scroller.ts';

const ABOVE_HEADING_PX = 16;

/** What the router keeps with each step of the history. */
interface HistoryStep {
  readonly position: number;
  readonly back: string | null;
  readonly forward: string | null;
}

function readStep(): HistoryStep {
  const { position, back, forward } = (window.history.state ?? {}) as Partial<HistoryStep>;
  return { position: position ?? 0, back: back ?? null, forward: forward ?? null };
}

/** Shows the part of the page that the address names, and on the way back the place that was left. */
export function useHelpScroll(article: Readonly<Ref<HTMLElement | null>>, section: Readonly<Ref<string>>) {
  const route = useRoute();
  const canGoBack = ref(false);
  const canGoForward = ref(false);
  const left = new Map<number, number>();
  let shown = readStep().position;

  function show(scrollTop: number | undefined): void {
    if (article.value === null) return;
    const page = findScroller(article.value);
    const heading = section.value === '' ? null : document.getElementById(`help-${section.value}`);
    if (heading === null) page.scrollTop = scrollTop ?? 0;
    else {
      const offset = heading.getBoundingClientRect().top - page.getBoundingClientRect().top;
      page.scrollTop = scrollTop ?? page.scrollTop + offset - ABOVE_HEADING_PX;
    }
    (heading ?? article.value).focus({ preventScroll: true });
  }

  function follow(): void {
    const { position, back, forward } = readStep();
    canGoBack.value = back !== null;
    canGoForward.value = forward !== null;
    show(position < shown ? left.get(position) : undefined);
    shown = position;
  }

  onBeforeRouteUpdate(() => {
    left.set(shown, article.value === null ? 0 : findScroller(article.value).scrollTop);
  });
  watch(
    () => route.fullPath,
    () => {
      if (route.name === 'help') void nextTick(follow);
    },
  );
  onMounted(follow);
  return { canGoBack, canGoForward, showAgain: () => show(undefined) } as const;
}
