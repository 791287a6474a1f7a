import { onBeforeUnmount, onMounted, readonly, ref, type Ref } from 'vue';

/** Width of an element in whole pixels, kept up to date. */
export function useElementWidth(element: Readonly<Ref<HTMLElement | null>>): Readonly<Ref<number>> {
  const widthPx = ref(0);
  let observer: ResizeObserver | null = null;
  onMounted(() => {
    if (element.value === null) return;
    widthPx.value = Math.floor(element.value.clientWidth);
    observer = new ResizeObserver(() => {
      widthPx.value = Math.floor(element.value?.clientWidth ?? 0);
    });
    observer.observe(element.value);
  });
  onBeforeUnmount(() => observer?.disconnect());
  return readonly(widthPx);
}
