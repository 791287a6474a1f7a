import { type Theme, themeQuartz } from 'ag-grid-community';
import type { Density } from '../../../src-main/common/model/settings/settings.ts';

const ROW_HEIGHTS_PX: Readonly<Record<Density, number>> = { compact: 24, standard: 27, comfortable: 34 };

/** The height of a grid's row now, the same as that of other tables (`--cs-row`). */
export function readRowHeightPx(): number {
  return ROW_HEIGHTS_PX[(document.documentElement.dataset['density'] ?? 'standard') as Density];
}

/** Creates the grid's theme from the tokens; sizes belong to no colour mode, or the dark one would lack them. */
export function createGridTheme(): Theme {
  return themeQuartz.withParams({
    fontFamily: 'var(--cs-font)',
    fontSize: 12,
    headerFontSize: 11,
    headerFontWeight: 500,
    rowHeight: readRowHeightPx(),
    headerHeight: 30,
    cellHorizontalPadding: 10,
    backgroundColor: 'var(--cs-surface)',
    foregroundColor: 'var(--cs-text-1)',
    textColor: 'var(--cs-text-1)',
    headerBackgroundColor: 'var(--cs-canvas)',
    headerTextColor: 'var(--cs-text-2)',
    headerColumnResizeHandleColor: 'var(--cs-border-strong)',
    headerColumnResizeHandleHeight: 12,
    headerColumnResizeHandleWidth: 1,
    borderColor: 'var(--cs-border)',
    rowBorder: { color: 'var(--cs-border-subtle)' },
    columnBorder: false,
    rowHoverColor: 'var(--cs-hover)',
    selectedRowBackgroundColor: 'var(--cs-selected)',
    oddRowBackgroundColor: 'transparent',
    accentColor: 'var(--cs-accent)',
    rangeSelectionBorderColor: 'transparent',
    wrapperBorder: false,
    wrapperBorderRadius: 0,
    tooltipBackgroundColor: 'var(--cs-tooltip)',
    tooltipTextColor: 'var(--cs-tooltip-text)',
    tooltipBorder: false,
    iconSize: 12,
  });
}

/**
 * A number with a person's own name for it before it, as far as the cell of a table has room. A plain element, since a
 * scroll redraws hundreds of them a second; its texts are set through textContent only.
 */
export function createNamedCell(
  names: {
    find(
      field: string,
      value: unknown,
    ): { readonly name: string; readonly colour?: string | undefined } | null;
    toText(field: string, value: string | number): string;
  },
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

export function createSpan(className: string, text = ''): HTMLSpanElement {
  const span = document.createElement('span');
  span.className = className;
  span.textContent = text;
  return span;
}
