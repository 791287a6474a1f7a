import { themeQuartz, type Theme } from 'ag-grid-community';
import type { Density } from '../../src-main/common/model/settings/settings.ts';

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
