import type { Names } from './use-names.ts';

/**
 * A number with a person's own name for it before it, as far as the cell of a table has room. A plain element, since a
 * scroll redraws hundreds of them a second; its texts are set through textContent only.
 */
export function createNamedCell(
  names: Pick<Names, 'find' | 'toText'>,
  field: string,
  value: string | number,
): HTMLElement | string {
  const entry = names.find(field, value);
  if (entry === null) return String(value);
  const cell = createSpan('named-cell');
  cell.title = names.toText(field, value);
  if (entry.colour !== undefined) {
    const mark = createSpan('cs-name-mark');
    mark.dataset['colour'] = entry.colour;
    cell.append(mark);
  }
  cell.append(createSpan('named-cell-name', entry.name), createSpan('num', String(value)));
  return cell;
}

function createSpan(className: string, text = ''): HTMLSpanElement {
  const span = document.createElement('span');
  span.className = className;
  span.textContent = text;
  return span;
}
