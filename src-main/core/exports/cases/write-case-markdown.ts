import { writeViewLink } from '../../../common/links/view-link.ts';
import { escapeHtmlIn } from '../../../common/markdown/read-markdown.ts';
import { toVisible } from '../../../common/words/visible-text.ts';
import type { Words } from '../../../common/words/words.ts';
import type { WrittenCase, WrittenPart } from './written-case.ts';

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
