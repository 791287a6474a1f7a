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
export interface GuideEntry {
  /** Shorter than the title of the page. */
  readonly label: string;
  readonly page: GuidePage;
}

export interface GuideGroup {
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
export interface GuideSection {
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
