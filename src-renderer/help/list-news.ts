import { toPlainText } from '../../src-main/common/help/guide-page.ts';
import { findPage, listSections, type GuideSection } from './guide.ts';

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
