import {
  toPlainText,
  type GuideBlock,
  type GuideLine,
  type GuidePage,
} from '../../src-main/common/help/guide-page.ts';

/** The page that lists the others. */
const INDEX = 'README';
const PAGE_LINK = /^\/help\/([\w-]+)$/u;

/** A page as the contents list it. */
interface GuideEntry {
  /** Shorter than the title of the page. */
  readonly label: string;
  readonly page: GuidePage;
}

interface GuideGroup {
  readonly title: string;
  readonly entries: readonly GuideEntry[];
}

const files = import.meta.glob<GuidePage>('../../resources/guide/*.md', { eager: true, import: 'default' });
const pictures = import.meta.glob<string>('../../resources/guide/pictures/*.webp', {
  eager: true,
  import: 'default',
  query: '?url',
});
const pages = new Map(Object.values(files).map((page) => [page.name, page]));

/** The pages that Help shows, in the order of the guide's own list: those of its tables. */
export const GUIDE: readonly GuideGroup[] = readGroups(pages.get(INDEX)?.blocks ?? []);
export const GUIDE_ENTRIES: readonly GuideEntry[] = GUIDE.flatMap(({ entries }) => entries);

function readGroups(blocks: readonly GuideBlock[]): GuideGroup[] {
  let title = '';
  return blocks.flatMap((block): GuideGroup[] => {
    if (block.kind === 'heading') title = toPlainText(block.line);
    return block.kind === 'table' ? [{ title, entries: block.rows.flatMap(readEntry) }] : [];
  });
}

function readEntry([cell = []]: readonly GuideLine[]): GuideEntry[] {
  const [link] = cell;
  const page = link?.kind === 'link' ? pages.get(PAGE_LINK.exec(link.to)?.[1] ?? '') : undefined;
  return page === undefined ? [] : [{ label: toPlainText(cell), page }];
}

/** Returns the page of a name, when Help shows it. */
export function findPage(name: string): GuidePage | null {
  return GUIDE_ENTRIES.find(({ page }) => page.name === name)?.page ?? null;
}

/** Returns the address of a picture of the guide. */
export function findPicture(file: string): string | undefined {
  return pictures[`../../resources/guide/pictures/${file}`];
}

/** Whether an address of a link within the guide leads anywhere in the window. */
export function isShown(to: string): boolean {
  const [, place, name = ''] = to.split('/');
  return place !== 'help' || findPage(name) !== null;
}

/** A part of a page: its heading, and what is below it. */
interface GuideSection {
  readonly page: GuidePage;
  readonly id: string;
  readonly blocks: readonly GuideBlock[];
}

/** Returns the part of the guide that is about an error; null when none is. */
export function findErrorSection(code: string): GuideSection | null {
  const page = GUIDE_ENTRIES.find((entry) => code in entry.page.errors)?.page;
  const id = page?.errors[code];
  return page === undefined || id === undefined ? null : (findSection(page, id) ?? null);
}

function findSection(page: GuidePage, id: string): GuideSection | undefined {
  return listSections(page).find((section) => section.id === id);
}

/** Returns the parts of a page, each from its heading to the next one. */
export function listSections(page: GuidePage): GuideSection[] {
  const starts = page.blocks.flatMap((block, index) => (block.kind === 'heading' ? [{ block, index }] : []));
  return starts.map(({ block, index }, number) => ({
    page,
    id: block.id,
    blocks: page.blocks.slice(index, starts[number + 1]?.index),
  }));
}

/** A part of a page that holds what is looked for. */
interface GuideHit {
  readonly to: string;
  readonly label: string;
  /** The heading, where it is not that of the whole page. */
  readonly heading: string;
  /** Some words round the first of those that are looked for. */
  readonly around: string;
}

const MAX_HITS = 40;
const BEFORE_CHARACTERS = 30;
const AROUND_CHARACTERS = 110;

interface SearchedSection extends Omit<GuideHit, 'around'> {
  readonly text: string;
  readonly lowerHeading: string;
  readonly lowerText: string;
}

let searched: readonly SearchedSection[] | null = null;

/** Returns the parts of the guide that hold every typed word, those first whose headings do. */
export function searchGuide(typed: string): GuideHit[] {
  const words = typed.toLowerCase().split(/\s+/u).filter(Boolean);
  if (words.length === 0) return [];
  searched ??= readSections();
  const countInHeading = ({ lowerHeading }: SearchedSection): number =>
    words.filter((word) => lowerHeading.includes(word)).length;
  return searched
    .filter(({ lowerHeading, lowerText }) =>
      words.every((word) => lowerHeading.includes(word) || lowerText.includes(word)),
    )
    .toSorted((left, right) => countInHeading(right) - countInHeading(left))
    .slice(0, MAX_HITS)
    .map((section) => toHit(section, words));
}

function toHit({ to, label, heading, text, lowerText }: SearchedSection, words: readonly string[]): GuideHit {
  const places = words.map((word) => lowerText.indexOf(word)).filter((place) => place >= 0);
  const first = Math.max(0, Math.min(...places, text.length) - BEFORE_CHARACTERS);
  // Not in the middle of a word.
  const start = places.length === 0 || first === 0 ? 0 : text.indexOf(' ', first) + 1;
  const last = start + AROUND_CHARACTERS;
  const end = last >= text.length ? text.length : text.lastIndexOf(' ', last);
  const around = `${start > 0 ? '… ' : ''}${text.slice(start, end).trim()}${end < text.length ? ' …' : ''}`;
  return { to, label, heading, around };
}

function readSections(): SearchedSection[] {
  return GUIDE_ENTRIES.flatMap(({ label, page }) =>
    listSections(page).map(({ id, blocks: [title, ...blocks] }, index) => {
      const heading = title?.kind === 'heading' ? toPlainText(title.line) : '';
      const text = blocks.map(toBlockText).join(' ');
      return {
        to: index === 0 ? `/help/${page.name}` : `/help/${page.name}/${id}`,
        label,
        heading: index === 0 ? '' : heading,
        text,
        lowerHeading: `${label} ${heading}`.toLowerCase(),
        lowerText: text.toLowerCase(),
      };
    }),
  );
}

function toBlockText(block: GuideBlock): string {
  switch (block.kind) {
    case 'heading':
    case 'paragraph':
      return toPlainText(block.line);
    case 'list':
      return block.items.flat().map(toBlockText).join(' ');
    case 'table':
      return [block.head, ...block.rows].map(toRowText).join(' ');
    case 'quote':
      return block.blocks.map(toBlockText).join(' ');
    case 'code':
      return block.text;
    case 'picture':
      return block.alt;
  }
}

const toRowText = (row: readonly GuideLine[]): string => row.map(toPlainText).join(' ');

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
