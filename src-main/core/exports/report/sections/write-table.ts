import type { MeasuredGroup } from '../../../../common/model/analysis/grouping.ts';
import { toCodeClass } from '../../../../common/model/records/record.ts';
import type { Formats } from '../../../../common/words/formats.ts';
import type { SpokenKey } from '../../../../common/words/messages.ts';
import type { Words } from '../../../../common/words/words.ts';
import { markup, type Markup, type MarkupPart, type ReportContent } from '../report-content.ts';

/** A column of a table and how its cells are set: numbers at the right, times in one line, long texts in full. */
export interface TableColumn {
  readonly name: string;
  readonly kind?: 'number' | 'time' | 'long';
}

/** Columns by the keys of their names. */
export function toColumns(
  { t }: Pick<Words, 't'>,
  columns: readonly (Omit<TableColumn, 'name'> & { readonly key: SpokenKey })[],
): readonly TableColumn[] {
  return columns.map(({ key, ...column }) => ({ ...column, name: t(key) }));
}

const CLASSES = { number: 'n', time: 't', long: 'w' } as const;

/** A table whose rows begin with what they are about. */
export function writeTable(
  caption: string,
  columns: readonly TableColumn[],
  rows: readonly (readonly MarkupPart[])[],
): Markup {
  const toClass = ({ kind }: TableColumn): string => (kind === undefined ? '' : CLASSES[kind]);
  const head = columns.map(
    (column) => markup`<th scope="col" class="${toClass(column)}">${column.name}</th>`,
  );
  const body = rows.map((row) => {
    const cells = row.map((cell, place) => {
      const column = columns[place] ?? { name: '' };
      return place === 0
        ? markup`<th scope="row" class="${toClass(column)}">${cell}</th>`
        : markup`<td class="${toClass(column)}">${cell}</td>`;
    });
    return markup`<tr>
      ${cells}
    </tr> `;
  });
  return markup`<div class="scroll" tabindex="0" role="group" aria-label="${caption}">
    <table aria-label="${caption}">
      <thead>
        <tr>
          ${head}
        </tr>
      </thead>
      <tbody>
        ${body}
      </tbody>
    </table>
  </div>`;
}

/** The numbers behind a picture, folded away on the screen and printed in full. */
export function writeFolded(summary: string, content: Markup): Markup {
  return markup`<details>
    <summary>${summary}</summary>
    ${content}
  </details>`;
}

/** The share of records that failed, 0 to 1; null of none. */
export function toErrorShare({ count, failures }: Pick<MeasuredGroup, 'count' | 'failures'>): number | null {
  return count === 0 ? null : failures / count;
}

/** A time, or a dash where no record has one. */
export function writeTime(valueMs: number | null, { formatDuration }: Formats): string {
  return valueMs === null ? '–' : formatDuration(valueMs);
}

/** A share of 0 to 1 in percent, with two digits after the point below 1 %; a dash where there is none. */
export function writeShare(share: number | null, { formatPercent }: Formats): string {
  return share === null ? '–' : formatPercent(share, share < 0.01 ? 2 : 1);
}

/** The six figures that a report begins with. */
export function writeFigures({ total, words }: ReportContent): Markup {
  const { response } = total;
  const { t, formats } = words;
  const { formatCount } = formats;
  const toTime = (valueMs: number | null): string => writeTime(valueMs, formats);
  const figures: readonly (readonly [name: string, value: string, note: string])[] = [
    [t('report.records'), formatCount(total.count), ''],
    [
      t('report.failed'),
      writeShare(toErrorShare(total), formats),
      t('report.figures.failedNote', { count: formatCount(total.failures) }, total.failures),
    ],
    [
      t('report.figures.median'),
      toTime(response.medianMs),
      t('report.figures.average', { time: toTime(response.averageMs) }),
    ],
    [t('report.figures.p90'), toTime(response.p90Ms), t('report.figures.p90Note')],
    [t('report.p95'), toTime(response.p95Ms), t('report.figures.p99Note', { time: toTime(response.p99Ms) })],
    [
      t('report.figures.slowest'),
      toTime(response.maxMs),
      t('report.figures.slowestNote', { count: formatCount(response.count) }),
    ],
  ];
  const cards = figures.map(
    ([name, value, note]) =>
      markup`<div class="panel">
        <p class="micro faint">${name}</p>
        <p class="figure num">${value}</p>
        <p class="micro quiet num">${note}</p>
      </div>`,
  );
  return markup`<section class="figures" aria-label="${t('report.figures.title')}">${cards}</section>`;
}

/** A shape for each class, so that colour is not the only sign. */
const SHAPES: Readonly<Record<string, Markup>> = {
  '2xx': markup`<circle cx="4" cy="4" r="3.2" />`,
  '3xx': markup`<path d="M4 0L8 4L4 8L0 4Z" />`,
  '4xx': markup`<path d="M4 .6L8 7.4H0Z" />`,
  '5xx': markup`<rect x=".8" y=".8" width="6.4" height="6.4" />`,
  xxx: markup`<path
    fill-rule="evenodd"
    d="M4 .6a3.4 3.4 0 1 0 0 6.8a3.4 3.4 0 1 0 0-6.8M4 2.2a1.8 1.8 0 1 1 0 3.6a1.8 1.8 0 1 1 0-3.6"
  />`,
};

/** The marker of a class, as the style sheet names it. */
export function drawMarker(name: string): Markup {
  return markup`<svg class="c${name}" width="8" height="8" viewBox="0 0 8 8" aria-hidden="true">
    ${SHAPES[name] ?? null}
  </svg>`;
}

/** A response code with the marker and the colour of its class. */
export function writeCode(code: number | null, { t }: Pick<Words, 't'>): Markup {
  const found = toCodeClass(code);
  const name = found === 'none' ? 'xxx' : found;
  return markup`<span class="badge b${name}">${drawMarker(name)}${code ?? t('report.noCode')}</span>`;
}
