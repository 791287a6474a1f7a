import { toVisible } from '../../../common/words/visible-text.ts';

/** Markup that stands in a document as it is. Only `markup`, `own` and what is written in the source make it. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** What can stand in a template: texts and numbers are escaped, null is nothing. */
export type MarkupPart = Markup | string | number | null | readonly MarkupPart[];

/**
 * Fills a template of HTML or SVG. Every text is escaped, for content and for attributes in double quotes: no value can
 * become markup (rule X-11).
 */
export function markup(strings: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  let text = strings[0] ?? '';
  for (const [place, part] of parts.entries()) text += toText(part) + (strings[place + 1] ?? '');
  return new Markup(text);
}

/**
 * A text from a record, a service or a person: control characters are shown as their pictures, and its direction turns
 * nothing beside it.
 */
export function own(text: string): Markup {
  return new Markup(`<bdi>${escapeHtml(toVisible(text.toWellFormed()))}</bdi>`);
}

/** Fills a message, in which names in braces stand for them, with parts. */
export function fillMarkup(message: string, parts: Readonly<Record<string, MarkupPart>>): Markup {
  const pieces = message
    .split(/\{(\w+)\}/)
    .map((piece, place) => (place % 2 === 1 ? (parts[piece] ?? null) : piece));
  return markup`${pieces}`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for content and for attributes in quotes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

function toText(part: MarkupPart): string {
  if (part === null) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'string') return escapeHtml(toVisible(part.toWellFormed()));
  if (typeof part === 'number') return String(part);
  return part.map(toText).join('');
}
