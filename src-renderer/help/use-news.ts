import { computed, watch, type ComputedRef } from 'vue';
import { useAppStore } from '../stores/window/app.ts';
import { toPlainText } from '../../src-main/common/help/guide-page.ts';
import { findPage, type GuideSection, listSections } from './guide.ts';

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

/** The page of the guide with a part for each version. */
const PAGE = 'news';
const VERSION = /^\d+\.\d+\.\d+$/u;

/** Compares two versions number by number: negative when the first is the older one. */
function compareVersions(left: string, right: string): number {
  const toNumbers = (version: string): number[] => version.split(/[.+-]/u, 3).map(Number);
  const [first, second] = [toNumbers(left), toNumbers(right)];
  const at = first.findIndex((number, index) => number !== second[index]);
  return at < 0 ? 0 : (first[at] ?? 0) - (second[at] ?? 0);
}

/** Returns what the guide says of the versions after `seen`, up to `current`, the newest first as the page has them. */
export function listNews(seen: string, current: string): GuideSection[] {
  const page = findPage(PAGE);
  if (page === null) return [];
  return listSections(page).filter(({ blocks: [heading] }) => {
    const version = heading?.kind === 'heading' ? toPlainText(heading.line) : '';
    if (!VERSION.test(version)) return false;
    return compareVersions(version, seen) > 0 && compareVersions(version, current) <= 0;
  });
}
