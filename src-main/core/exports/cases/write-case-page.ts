import {
  toPlainText,
  type GuideBlock,
  type GuideLine,
  type GuideText,
} from '../../../common/help/guide-page.ts';
import { isOutside, writeViewLink } from '../../../common/links.ts';
import { readMarkdown, escapeHtmlIn } from '../../../common/markdown/read-markdown.ts';
import type { PartContent, PinnedContent } from '../../../common/model/cases/case.ts';
import { toVisible } from '../../../common/words/visible-text.ts';
import type { Words } from '../../../common/words/words.ts';
import { markup, type Markup, own } from '../report/report-content.ts';
import { writeFolded, writeTable } from '../report/sections/write-table.ts';
import { writePage } from '../report/write-report.ts';

const MAX_LINE = 24;

/** Writes a case as one page of HTML: no script, no request, pictures as data. */
export function writeCasePage({ title, parts, facts, words, applicationVersion }: WrittenCase): string {
  const { t } = words;
  const body = markup`<header class="case-head">
      <div class="brand">
        <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
          <rect width="14" height="14" rx="3" /></svg
        >${t('casefile.brand')}
      </div>
      <h1>${own(title)}</h1>
    </header>
    ${parts.length === 0 ? markup`<p class="quiet">${t('casefile.noParts')}</p>` : null}
    ${parts.map((part) => writePart(part, words))}
    <footer class="case-foot">${facts.map((fact) => markup`<p>${fact}</p>`)}</footer>`;
  return writePage({ title, words, applicationVersion, body, hasPictures: true });
}

function writePart(part: WrittenPart, words: Words): Markup {
  if (part.kind === 'text')
    return markup`<section class="text">${readMarkdown(part.text).map(writeBlock)}</section>`;
  const { t, formats } = words;
  const { title, of, line, answer, failed, isCut, content, place } = part;
  const { facts, table, picture, statement } = content;
  const rest = table === null ? 0 : table.rowCount - table.rows.length;
  const toSource = (svg: string): string =>
    `data:image/svg+xml;base64,${Buffer.from(svg, 'utf8').toString('base64')}`;
  return markup`<section class="panel part" aria-label="${title}">
    <header>
      <h3>${own(title)}</h3>
      <span class="micro faint">${of}</span>
    </header>
    <p class="micro quiet line">
      ${line.map((piece, at) => {
        const shown = piece === failed ? markup`<span class="bad">${own(piece)}</span>` : own(piece);
        return markup`${at === 0 ? '' : ' · '}${shown}`;
      })}
    </p>
    ${answer === null ? null : markup`<p class="small answer">${answer}</p>`}
    ${
      picture === null
        ? null
        : markup`<picture
              ><source media="(prefers-color-scheme: dark) and screen" srcset="${toSource(picture.dark)}" /><img
                class="picture"
                src="${toSource(picture.light)}"
                alt="${title}"
            /></picture>`
    }
    ${statement === null ? null : markup`<pre class="mono code">${own(statement)}</pre>`}
    ${
      facts.length === 0
        ? null
        : markup`<dl class="facts">${facts.map(
            ({ name, value }) =>
              markup`<div class="${value.length > 60 ? 'wide' : ''}">
                <dt>${own(name)}</dt>
                <dd>${own(value)}</dd>
              </div>`,
          )}</dl>`
    }
    ${writeFigures(part, words)}
    ${
      rest > 0
        ? markup`<p class="micro quiet">${t('casefile.moreRows', { count: formats.formatCount(rest) }, rest)}</p>`
        : null
    }
    ${isCut ? markup`<p class="micro quiet">${t('casefile.line.hiddenFields')}</p>` : null}
    ${place === null ? null : markup`<p class="micro"><a href="${writeViewLink(place)}">${t('casefile.open')}</a></p>`}
  </section>`;
}

/** The table of a part; behind a picture it is folded away, and not printed. */
function writeFigures(
  { title, content: { table, picture } }: Extract<WrittenPart, { kind: 'pinned' }>,
  { t }: Words,
): Markup | null {
  if (table === null || table.rows.length === 0) return null;
  const columns = table.columns.map(({ name, isRight }, place) => ({
    name,
    kind: toKind(table.rows, place, isRight),
  }));
  const written = writeTable(
    title,
    columns,
    table.rows.map((row) => row.map((cell) => own(cell))),
  );
  return picture === null
    ? written
    : markup`<div class="unprinted">${writeFolded(t('report.charts.numbers'), written)}</div>`;
}

/** Short values stay in one line. */
function toKind(
  rows: readonly (readonly string[])[],
  place: number,
  isRight: boolean,
): 'number' | 'time' | 'long' {
  if (isRight) return 'number';
  return rows.every((row) => (row[place]?.length ?? 0) <= MAX_LINE) ? 'time' : 'long';
}

function writeBlock(block: GuideBlock): Markup {
  switch (block.kind) {
    case 'heading':
      return block.level <= 2
        ? markup`<h2 class="heading">${writeLine(block.line)}</h2>`
        : markup`<h3 class="heading">${writeLine(block.line)}</h3>`;
    case 'paragraph':
      return markup`<p>${writeLine(block.line)}</p>`;
    case 'list': {
      const items = block.items.map((item) => markup`<li>${item.map(writeBlock)}</li>`);
      return block.isOrdered
        ? markup`<ol class="points">${items}</ol>`
        : markup`<ul class="points">${items}</ul>`;
    }
    case 'table':
      return writeTable(
        '',
        block.head.map((cell) => ({ name: toPlainText(cell), kind: 'long' })),
        block.rows.map((row) => row.map((cell) => writeLine(cell))),
      );
    case 'quote':
      return markup`<blockquote>${block.blocks.map(writeBlock)}</blockquote>`;
    case 'code':
      return markup`<pre class="mono code">${own(block.text)}</pre>`;
    case 'picture':
      return markup`<p>${own(block.alt)}</p>`;
  }
}

function writeLine(line: GuideLine): Markup {
  return markup`${line.map(writePiece)}`;
}

function writePiece(piece: GuideText): Markup {
  switch (piece.kind) {
    case 'text':
      return markup`${piece.text.split('\n').map((text, at) => (at === 0 ? own(text) : markup`<br />${own(text)}`))}`;
    case 'code':
      return markup`<code class="mono">${own(piece.text)}</code>`;
    case 'strong':
      return markup`<strong>${writeLine(piece.parts)}</strong>`;
    case 'emphasis':
      return markup`<em>${writeLine(piece.parts)}</em>`;
    case 'link': {
      const to = isOutside(piece.to) ? piece.to : writeViewLink(piece.to);
      return markup`<a href="${to}" rel="noreferrer">${writeLine(piece.parts)}</a>`;
    }
  }
}

/** A part as it is written: masked, and with its words. */
export type WrittenPart =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'pinned';
      readonly title: string;
      readonly of: string;
      readonly line: readonly string[];
      /** What asking again found; null where nobody did. */
      readonly answer: string | null;
      /** The piece of the line that says that records failed; null where none did. */
      readonly failed: string | null;
      /** Contents of records are left out of it. */
      readonly isCut: boolean;
      readonly content: PartContent;
      /** What was asked, when, and what it found, masked. */
      readonly taken: Pick<
        PinnedContent,
        'kind' | 'connectionName' | 'takenAtMs' | 'coverage' | 'figures' | 'question'
      >;
      /** A link into the window; null where it would say what is masked. */
      readonly place: string | null;
    };

/** Everything that an exported case says. */
export interface WrittenCase {
  readonly title: string;
  readonly parts: readonly WrittenPart[];
  /** Sentences about the document as a whole. */
  readonly facts: readonly string[];
  readonly words: Words;
  readonly applicationVersion: string;
}

/** What a value must not become: markup, a link, a cell of its own. */
const MARKS = /[\\`*_{}[\]<>#|~]/g;

/**
 * Writes a case as Markdown. What the person wrote stays as it is but for HTML; values of records are escaped, so that none
 * becomes markup. Of a chart its figures are written.
 */
export function writeCaseMarkdown({ title, parts, facts, words }: WrittenCase): string {
  const blocks = [
    `# ${escapeText(title)}`,
    ...(parts.length === 0 ? [words.t('casefile.noParts')] : []),
    ...parts.flatMap((part) =>
      part.kind === 'text' ? [escapeHtmlIn(part.text.trim())] : writePinned(part, words),
    ),
    '---',
    ...facts.map((fact) => `*${escapeText(fact)}*`),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function writePinned(part: Extract<WrittenPart, { kind: 'pinned' }>, { t, formats }: Words): string[] {
  const { title, of, line, answer, isCut, content, place } = part;
  const { facts, table, statement } = content;
  const rest = table === null ? 0 : table.rowCount - table.rows.length;
  return [
    `### ${escapeText(title)}`,
    `*${escapeText([of, ...line].join(' · '))}*`,
    answer === null ? '' : `**${escapeText(answer)}**`,
    statement === null ? '' : writeCode(statement, 'sql'),
    facts.map(({ name, value }) => `- **${escapeText(name)}**: ${escapeText(value)}`).join('\n'),
    table === null || table.rows.length === 0 ? '' : writeRows(table),
    rest > 0 ? t('casefile.moreRows', { count: formats.formatCount(rest) }, rest) : '',
    isCut ? t('casefile.line.hiddenFields') : '',
    place === null ? '' : `[${t('casefile.open')}](${writeViewLink(place)})`,
  ];
}

function writeRows({
  columns,
  rows,
}: {
  readonly columns: readonly { readonly name: string; readonly isRight: boolean }[];
  readonly rows: readonly (readonly string[])[];
}): string {
  const toLine = (cells: readonly string[]): string => `| ${cells.map(escapeText).join(' | ')} |`;
  return [
    toLine(columns.map(({ name }) => name)),
    `|${columns.map(({ isRight }) => (isRight ? '---:|' : '---|')).join('')}`,
    ...rows.map((row) => toLine(columns.map((_column, place) => row[place] ?? ''))),
  ].join('\n');
}

/** A fence longer than any in the text. */
function writeCode(text: string, language: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function escapeText(text: string): string {
  return toVisible(text.toWellFormed())
    .replaceAll(/\s+/g, ' ')
    .replace(MARKS, (mark) => `\\${mark}`);
}
