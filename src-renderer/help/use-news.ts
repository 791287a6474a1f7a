import { computed, watch, type ComputedRef } from 'vue';
import { useAppStore } from '../stores/window/app.ts';

/** What a person has not been told yet: the version that was used before, and this one. */
export interface UnseenNews {
  readonly seen: string;
  readonly current: string;
}

/** Finds out whether another version was used here before; `markSeen` has it not told again. */
export function useNews(): { unseen: ComputedRef<UnseenNews | null>; markSeen: () => void } {
  const app = useAppStore();
  const current = computed(() => app.info?.version ?? '');
  const seen = computed(() => app.settings?.seenVersion ?? null);
  const unseen = computed(() =>
    seen.value === null || seen.value === '' || current.value === '' || seen.value === current.value
      ? null
      : { seen: seen.value, current: current.value },
  );
  // What can't be saved is told once more at the next start.
  const markSeen = (): void =>
    void app.update({ seenVersion: current.value }, 'quiet').catch(() => undefined);
  // A first start has no news.
  watch(
    [seen, current],
    () => {
      if (seen.value === '' && current.value !== '') markSeen();
    },
    { immediate: true },
  );
  return { unseen, markSeen };
}
