import { lexer, walkTokens, type Token, type Tokens } from 'marked';
import { toPlainText, type GuideBlock, type GuideText } from '../help/guide-page.ts';
import { isOutside, readViewLink } from '../links.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

/**
 * Reads Markdown that a person wrote as blocks to draw. Nothing in it is an error: HTML stays the text that it is, a
 * picture is its description, and a link that leads nowhere safe is its words. `idStart` begins the id of each heading.
 */
export function readMarkdown(text: string, idStart = ''): GuideBlock[] {
  let headings = 0;
  function readBlocks(tokens: readonly Token[]): GuideBlock[] {
    return tokens.flatMap((token): GuideBlock[] => {
      switch (token.type) {
        case 'space':
        case 'hr':
        case 'def':
          return [];
        case 'heading': {
          headings += 1;
          const level = (token as Tokens.Heading).depth;
          return [{ kind: 'heading', level, id: `${idStart}${headings}`, line: readLine(token.tokens) }];
        }
        case 'blockquote':
          return [{ kind: 'quote', blocks: readBlocks(token.tokens ?? []) }];
        case 'list': {
          const { ordered, items } = token as Tokens.List;
          return [{ kind: 'list', isOrdered: ordered, items: items.map((item) => readItem(item)) }];
        }
        case 'table': {
          const { header, rows } = token as Tokens.Table;
          const readCell = (cell: Tokens.TableCell): GuideText[] => readLine(cell.tokens);
          return [{ kind: 'table', head: header.map(readCell), rows: rows.map((row) => row.map(readCell)) }];
        }
        case 'code':
          return [{ kind: 'code', text: (token as Tokens.Code).text }];
        case 'paragraph':
        case 'text':
          return [{ kind: 'paragraph', line: readLine(token.tokens ?? [token]) }];
        default:
          return [{ kind: 'paragraph', line: [{ kind: 'text', text: token.raw.trim() }] }];
      }
    });
  }
  function readItem({ tokens, task, checked = false }: Tokens.ListItem): GuideBlock[] {
    const blocks = readBlocks(tokens.filter(({ type }) => type !== 'checkbox'));
    const [first, ...rest] = blocks;
    if (!task || first?.kind !== 'paragraph') return blocks;
    const box: GuideText = { kind: 'text', text: checked ? '☑ ' : '☐ ' };
    return [{ ...first, line: [box, ...first.line] }, ...rest];
  }
  return readBlocks(lexer(text));
}

function readLine(tokens: readonly Token[] = []): GuideText[] {
  return tokens.flatMap((token): GuideText[] => {
    switch (token.type) {
      case 'text':
        return token.tokens === undefined || token.tokens.length === 0
          ? [{ kind: 'text', text: readText((token as Tokens.Text).text) }]
          : readLine(token.tokens);
      case 'escape':
        return [{ kind: 'text', text: readText((token as Tokens.Escape).text) }];
      case 'br':
        return [{ kind: 'text', text: '\n' }];
      case 'codespan':
        return [{ kind: 'code', text: (token as Tokens.Codespan).text }];
      case 'strong':
        return [{ kind: 'strong', parts: readLine(token.tokens) }];
      case 'em':
        return [{ kind: 'emphasis', parts: readLine(token.tokens) }];
      case 'del':
        return readLine(token.tokens);
      case 'image':
        return [{ kind: 'text', text: readText((token as Tokens.Image).text) }];
      case 'link': {
        const parts = readLine(token.tokens);
        const { href } = token as Tokens.Link;
        const to = readViewLink(href) ?? (isOutside(href) ? href : null);
        return to === null ? parts : [{ kind: 'link', to, parts }];
      }
      default:
        return [{ kind: 'text', text: token.raw }];
    }
  });
}

/** The words that a text begins with, for a list of parts; empty for a text without any. */
export function readFirstWords(text: string): string {
  for (const block of readMarkdown(text.slice(0, 2_000))) {
    const line = 'line' in block ? toPlainText(block.line).trim() : '';
    if (line !== '') return line;
    if (block.kind === 'code') return block.text.trim();
    if (block.kind !== 'list') continue;
    const [first] = block.items.flat();
    if (first !== undefined && 'line' in first) return toPlainText(first.line).trim();
  }
  return '';
}

/** Returns Markdown in which HTML is escaped: whatever shows it draws the text that stands there. */
export function escapeHtmlIn(text: string): string {
  const found: string[] = [];
  void walkTokens(lexer(text), ({ type, raw }) => {
    if (type === 'html') found.push(raw);
    return undefined;
  });
  let [escaped, rest] = ['', text];
  for (const raw of found) {
    const at = rest.indexOf(raw);
    if (at < 0) continue;
    escaped += rest.slice(0, at) + raw.replaceAll('<', String.raw`\<`);
    rest = rest.slice(at + raw.length);
  }
  return escaped + rest;
}

/** Characters that Markdown writes in another way are meant as they are. */
function readText(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#39);/gu, (found) => ENTITIES[found] ?? found);
}
