import { toPlainText, type GuideBlock, type GuideLine } from '../../src-main/common/help/guide-page.ts';
import { GUIDE_ENTRIES, listSections } from './guide.ts';

/** A part of a page that holds what is looked for. */
export interface GuideHit {
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
