import type { ICellRendererParams } from 'ag-grid-community';
import { toShownClass, type RecordRow } from '../../../../src-main/common/model/records/record.ts';
import type { MARKS, RecordMark } from '../../../../src-main/common/model/records/record-mark.ts';
import type { NamedField } from '../../../../src-main/common/model/records/value-name.ts';
import { SLOW_RESPONSE_MS, toLogShare } from '../../../charts/log-scale.ts';
import { createNamedCell } from '../../../names/named-cell.ts';
import type { Names } from '../../../names/use-names.ts';
import { formatCount } from '../../../format/numbers.ts';

/** What the cells need beside their row. */
export interface CellContext {
  readonly names: Pick<Names, 'find' | 'toText'>;
  describeMark(mark: RecordMark): string;
}

/** Shapes of the marks, each with a text of its own in every font. */
const SIGNS: Readonly<Record<(typeof MARKS)[number], string>> = {
  star: '★',
  flag: '⚑',
  check: '✓',
  question: '?',
};

type CellParams = ICellRendererParams<RecordRow>;

function createSpan(className: string, text = ''): HTMLSpanElement {
  const span = document.createElement('span');
  span.className = className;
  span.textContent = text;
  return span;
}

/**
 * The code as a badge. Cells are plain elements, not components, since a scroll redraws hundreds of them a second;
 * their texts are set through textContent only.
 */
export function renderCode({ data }: CellParams): HTMLElement | string {
  if (data === undefined) return '';
  const badge = createSpan('record-code num');
  badge.dataset['class'] = toShownClass(data.outcome, data.responseCode);
  badge.append(createSpan('record-code-mark'), createSpan('', String(data.responseCode ?? '–')));
  return badge;
}

/** The response time with a bar on a logarithmic scale; red above 5 s. */
export function renderResponseTime({ data }: CellParams): HTMLElement | string {
  if (data === undefined || data.responseTimeMs === null) return '';
  const cell = createSpan('record-time num');
  const track = createSpan('record-time-track');
  const bar = createSpan('record-time-bar');
  bar.style.width = `${Math.round(toLogShare(data.responseTimeMs) * 40)}px`;
  if (data.responseTimeMs > SLOW_RESPONSE_MS) bar.dataset['slow'] = '';
  track.append(bar);
  cell.append(track, createSpan('record-time-ms', formatCount(data.responseTimeMs, 1)));
  return cell;
}

/** A number with a person's own name for it before it. */
export function renderNamed(field: NamedField) {
  return ({ data, context }: CellParams): HTMLElement | string => {
    const value = data?.[field] ?? null;
    return value === null ? '' : createNamedCell((context as CellContext).names, field, value);
  };
}

/** The date as received, and before it what a person noted on the record. */
export function renderDate({ data, value, context }: CellParams): HTMLElement | string {
  const date = typeof value === 'string' ? value : '';
  if (data?.mark === undefined) return date;
  const { mark, note } = data.mark;
  const cell = createSpan('record-marked');
  const sign = createSpan('record-mark', mark === null ? '✎' : SIGNS[mark]);
  const { describeMark } = context as CellContext;
  sign.title = describeMark(data.mark);
  sign.setAttribute('role', 'img');
  sign.setAttribute('aria-label', sign.title);
  if (note !== '' && mark !== null) sign.dataset['note'] = '';
  cell.append(sign, createSpan('', date));
  return cell;
}
