import {
  toPlainText,
  type GuideBlock,
  type GuideLine,
  type GuideText,
} from '../../../common/help/guide-page.ts';
import { writeViewLink } from '../../../common/links/view-link.ts';
import { isOutside } from '../../../common/markdown/outside-link.ts';
import { readMarkdown } from '../../../common/markdown/read-markdown.ts';
import type { Words } from '../../../common/words/words.ts';
import { markup, own, type Markup } from '../report/markup.ts';
import { writePage } from '../report/write-report.ts';
import { writeFolded, writeTable } from '../report/sections/write-table.ts';
import type { WrittenCase, WrittenPart } from './written-case.ts';

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
