import { basename } from 'node:path';
import { lexer, type Token, type Tokens } from 'marked';
import type { Plugin } from 'vite';
import { ERROR_CODES } from '../../common/contract/errors.ts';
import {
  type GuideBlock,
  type GuidePage,
  type GuideText,
  toPlainText,
} from '../../common/help/guide-page.ts';
import { readViewLink } from '../../common/links.ts';

const PAGE = /\/resources\/guide\/[\w-]+\.md$/u;

/** Turns each imported page of the guide into data that the window draws: there is one copy, and no HTML is made of it. */
export function compileGuide(): Plugin {
  return {
    name: 'compile-guide',
    transform(code, id) {
      const path = id.replaceAll('\\', '/').split('?')[0] ?? '';
      if (!PAGE.test(path)) return null;
      const page = readGuidePage(basename(path, '.md'), code);
      return { code: `export default JSON.parse(${JSON.stringify(JSON.stringify(page))});`, map: null };
    },
  };
}

const CODES: ReadonlySet<string> = new Set(ERROR_CODES);
const GUIDE_LINK = /^(?:([\w-]+)\.md)?(?:#([\w.-]+))?$/u;
const PICTURE = /^pictures\/([\w-]+\.webp)$/u;
const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

/**
 * Reads the Markdown of a page of the guide. What the window has no way to show, such as HTML, is an error: a build ends
 * with it. A paragraph of error codes alone says that what is below its heading is about them.
 */
export function readGuidePage(name: string, markdown: string): GuidePage {
  const ids = new Map<string, number>();
  const blocks = readBlocks(lexer(markdown), { page: name, ids });
  const [first] = blocks;
  if (first?.kind !== 'heading' || first.level !== 1) throw new Error(`${name}.md begins with no title.`);
  return { name, title: toPlainText(first.line), blocks, errors: findErrors(blocks, name) };
}

interface Place {
  readonly page: string;
  /** How often each id was used so far. */
  readonly ids: Map<string, number>;
}

function readBlocks(tokens: readonly Token[], place: Place): GuideBlock[] {
  return tokens.flatMap((token): GuideBlock[] => {
    switch (token.type) {
      case 'space':
        return [];
      case 'heading': {
        const line = readLine(token.tokens, place);
        const id = nameHeading(toPlainText(line), place.ids);
        return [{ kind: 'heading', level: (token as Tokens.Heading).depth, id, line }];
      }
      case 'paragraph':
      case 'text': {
        const picture = findPicture((token as Tokens.Paragraph | Tokens.Text).tokens ?? []);
        if (picture !== null) return [picture];
        return [{ kind: 'paragraph', line: readLine(token.tokens, place) }];
      }
      case 'list': {
        const { ordered, items } = token as Tokens.List;
        return [
          { kind: 'list', isOrdered: ordered, items: items.map((item) => readBlocks(item.tokens, place)) },
        ];
      }
      case 'table': {
        const { header, rows } = token as Tokens.Table;
        const readCell = (cell: Tokens.TableCell) => readLine(cell.tokens, place);
        return [{ kind: 'table', head: header.map(readCell), rows: rows.map((row) => row.map(readCell)) }];
      }
      case 'code':
        return [{ kind: 'code', text: (token as Tokens.Code).text }];
      default:
        throw new Error(`${place.page}.md holds what Help can't show: ${token.raw}`);
    }
  });
}

function readLine(tokens: readonly Token[] | undefined, place: Place): GuideText[] {
  return (tokens ?? []).flatMap((token): GuideText[] => {
    switch (token.type) {
      case 'text':
      case 'escape':
        return [{ kind: 'text', text: readText((token as Tokens.Text).text) }];
      case 'codespan':
        return [{ kind: 'code', text: (token as Tokens.Codespan).text }];
      case 'strong':
        return [{ kind: 'strong', parts: readLine(token.tokens, place) }];
      case 'em':
        return [{ kind: 'emphasis', parts: readLine(token.tokens, place) }];
      case 'link': {
        const parts = readLine(token.tokens, place);
        const to = findTarget((token as Tokens.Link).href, place.page);
        // A file of the repository has no place in the window.
        return to === null ? parts : [{ kind: 'link', to, parts }];
      }
      default:
        throw new Error(`${place.page}.md holds what Help can't show: ${token.raw}`);
    }
  });
}

/** A picture stands alone between paragraphs, and says in words what it shows. */
function findPicture(tokens: readonly Token[]): GuideBlock | null {
  const [image] = tokens;
  if (image?.type !== 'image' || tokens.length > 1) return null;
  const { href, text: alt } = image as Tokens.Image;
  const file = PICTURE.exec(href)?.[1];
  return file === undefined || alt === '' ? null : { kind: 'picture', file, alt };
}

/** Lines are broken where the file's are; a screen breaks its own. */
function readText(text: string): string {
  return text
    .replaceAll(/\s*\n\s*/gu, ' ')
    .replaceAll(/&(?:amp|lt|gt|quot);/gu, (found) => ENTITIES[found] ?? found);
}

function findTarget(href: string, page: string): string | null {
  const found = GUIDE_LINK.exec(href);
  if (found === null) return readViewLink(href);
  const [, name = page, id] = found;
  return id === undefined ? `/help/${name}` : `/help/${name}/${id}`;
}

/** Ids are those that GitHub gives, so that one link serves both. */
function nameHeading(title: string, ids: Map<string, number>): string {
  const id = title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/gu, '-');
  const before = ids.get(id) ?? 0;
  ids.set(id, before + 1);
  return before === 0 ? id : `${id}-${String(before)}`;
}

function findErrors(blocks: readonly GuideBlock[], page: string): Record<string, string> {
  const errors: Record<string, string> = {};
  let heading = '';
  for (const block of blocks) {
    if (block.kind === 'heading') heading = block.id;
    if (block.kind !== 'paragraph') continue;
    const codes = block.line.filter(({ kind }) => kind === 'code').map((piece) => toPlainText([piece]));
    const isOnlyCodes = block.line.every(
      (piece) => piece.kind === 'code' || /^[\s,]*$/u.test(toPlainText([piece])),
    );
    if (!isOnlyCodes || codes.length === 0) continue;
    const unknown = codes.find((code) => !CODES.has(code));
    if (unknown !== undefined) throw new Error(`${page}.md is about ${unknown}, which is no error code.`);
    for (const code of codes) errors[code] = heading;
  }
  return errors;
}
