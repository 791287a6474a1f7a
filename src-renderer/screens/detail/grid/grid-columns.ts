import type { ColDef } from 'ag-grid-community';
import {
  PREVIEW_CHARACTERS,
  type RecordOrder,
  type RecordRow,
} from '../../../../src-main/common/model/records/record.ts';
import { isBodyField } from '../../../../src-main/common/model/records/body-path.ts';
import type { TableColumn } from '../../../../src-main/common/model/records/saved-view.ts';
import { listFields, type Direction } from '../../../../src-main/common/reporting/reports.ts';
import { formatRecordMoment } from '../../../../src-main/common/time/format-moment.ts';
import { toVisible } from '../../../../src-main/common/words/visible-text.ts';
import { formatCount } from '../../../format/numbers.ts';
import { renderCode, renderDate, renderNamed, renderResponseTime } from './grid-cells.ts';
import { toColumnState } from './table-layout.ts';

type Column = ColDef<RecordRow> & { readonly colId: string; readonly width: number };

const SORTABLE: readonly RecordOrder[number]['column'][] = [
  'dateMs',
  'responseCode',
  'channel',
  'service',
  'origin',
  'client',
  'responseTimeMs',
  'botLatencyMs',
  'actionId',
  'error',
];

export const MAX_SORT_COLUMNS = 3;
const MAX_TIP_CHARACTERS = 1000;

const NAMED_WIDTH_PX = 130;
const PATH_WIDTH_PX = 180;

const NUMBER: ColDef<RecordRow> = { type: 'rightAligned', cellClass: ['num', 'ag-right-aligned-cell'] };
const MONO: ColDef<RecordRow> = { cellClass: 'record-mono' };
const TEXT: ColDef<RecordRow> = {
  valueFormatter: ({ value }) => (typeof value === 'string' ? toVisible(value) : ''),
};
/** A payload is shown in part: the text in it, or its beginning. */
const PREVIEW: ColDef<RecordRow> = {
  valueFormatter: ({ value }) => (typeof value === 'string' ? toVisible(withCut(value)) : ''),
};

/** Every column of both directions, in order: what went wrong stands beside the code, also with the inspector open. */
const COLUMNS: readonly Column[] = [
  {
    colId: 'dateMs',
    width: 200,
    pinned: 'left',
    cellRenderer: renderDate,
    cellClass: 'num',
  },
  { colId: 'responseCode', width: 70, pinned: 'left', cellRenderer: renderCode },
  {
    colId: 'error',
    ...TEXT,
    width: 210,
    field: 'error',
    cellClass: 'record-error',
    tooltip: toTip,
  },
  { colId: 'responseTimeMs', width: 124, type: 'rightAligned', cellRenderer: renderResponseTime },
  { colId: 'channel', ...NUMBER, width: 76, cellRenderer: renderNamed('channel') },
  { colId: 'service', ...NUMBER, width: 72, cellRenderer: renderNamed('service') },
  { colId: 'origin', ...TEXT, width: 80, field: 'origin' },
  { colId: 'client', ...TEXT, width: 126, field: 'client' },
  {
    colId: 'botLatencyMs',
    ...NUMBER,
    width: 112,
    valueGetter: ({ data }) => (typeof data?.botLatencyMs === 'number' ? formatCount(data.botLatencyMs) : ''),
  },
  { colId: 'actionId', width: 110, cellRenderer: renderNamed('actionId'), cellClass: 'num' },
  {
    colId: 'payload',
    ...PREVIEW,
    width: 320,
    field: 'payloadPreview',
    cellClass: 'record-mono',
  },
  { colId: 'sessionId', ...MONO, ...TEXT, width: 270, field: 'sessionId' },
];

/** A path in bodies or in a table of one's own, which is its own name. */
function toPathColumn(path: string): Column {
  return {
    colId: path,
    ...TEXT,
    width: PATH_WIDTH_PX,
    headerName: toVisible(path),
    headerTooltip: toVisible(path),
    sortable: false,
    valueGetter: ({ data }) => data?.values?.[path] ?? '',
    cellClass: 'record-mono',
    tooltip: toTip,
  };
}

/** The columns that a direction's records have, with the service's own names of their fields. */
function listColumns(direction: Direction): readonly (Column & { readonly wireName: string })[] {
  const fields = new Map<string, { readonly wireName: string }>(listFields(`${direction}-detail`));
  return COLUMNS.flatMap((column) => {
    const field = fields.get(column.colId === 'dateMs' ? 'dateText' : column.colId);
    return field === undefined ? [] : [{ ...column, wireName: field.wireName }];
  });
}

/** Returns the columns that a direction's table can be sorted by. */
export function listSortable(direction: Direction): typeof SORTABLE {
  const present = new Set(listColumns(direction).map(({ colId }) => colId));
  return SORTABLE.filter((column) => present.has(column));
}

/** Returns a direction's columns as the application sets them up; those whose values have names with room for these. */
export function listDefaultLayout(
  direction: Direction,
  named: ReadonlySet<string> = new Set(),
): readonly TableColumn[] {
  return listColumns(direction).map(({ colId, width, pinned }) => ({
    id: colId,
    widthPx: named.has(colId) ? NAMED_WIDTH_PX : width,
    pinned: pinned === 'left' ? pinned : null,
    hidden: false,
  }));
}

/** Returns a layout with other paths among its columns: new ones come last, those that are not named any more go. */
export function withPathColumns(layout: readonly TableColumn[], paths: readonly string[]): TableColumn[] {
  const kept = layout.filter(({ id }) => !isBodyField(id) || paths.includes(id));
  const added = paths.filter((path) => !layout.some(({ id }) => id === path));
  return [
    ...kept.map((column) => (isBodyField(column.id) ? { ...column, hidden: false } : column)),
    ...added.map((id) => ({ id, widthPx: PATH_WIDTH_PX, pinned: null, hidden: false })),
  ];
}

/** What the definitions of the grid's columns are made of. */
interface GridLook {
  readonly layout: readonly TableColumn[];
  readonly order: RecordOrder;
  /** Translates a key. */
  readonly t: (key: string, values?: Record<string, string>) => string;
  /** Returns the zone that dates are shown in. */
  readonly readZone: () => string;
}

/** Creates the definitions of the grid's columns as a layout has them. */
export function createColumns(
  direction: Direction,
  { layout, order, t, readZone }: GridLook,
): ColDef<RecordRow>[] {
  const columns = new Map(listColumns(direction).map((column) => [column.colId, column]));
  return toColumnState(layout).flatMap((state) => {
    if (isBodyField(state.colId)) return [{ ...toPathColumn(state.colId), ...state }];
    const column = columns.get(state.colId);
    if (column === undefined) return [];
    const { wireName, ...definition } = column;
    return {
      headerName: t(`detail.columns.${state.colId}`),
      headerTooltip: t('detail.fieldTip', { name: wireName }),
      sortable: (SORTABLE as readonly string[]).includes(state.colId),
      ...toInitialSort(order, state.colId),
      ...definition,
      ...(state.colId === 'dateMs' ? { valueGetter: toDateGetter(readZone) } : {}),
      ...state,
    };
  });
}

/** A longer text is for the inspector: its tooltip would cover the window. */
function toTip({ value }: { readonly value?: unknown }): string {
  if (typeof value !== 'string') return '';
  return toVisible(value.length > MAX_TIP_CHARACTERS ? `${value.slice(0, MAX_TIP_CHARACTERS)}…` : value);
}

/** A preview that is as long as one can be is the beginning of something longer. */
function withCut(preview: string): string {
  const isCut = preview.length >= PREVIEW_CHARACTERS && Array.from(preview).length >= PREVIEW_CHARACTERS;
  return isCut ? `${preview}…` : preview;
}

/** A date that has no reading is shown as it was received. */
function toDateGetter(
  readZone: () => string,
): (params: { data?: RecordRow | undefined }) => string | undefined {
  return ({ data }) =>
    typeof data?.dateMs === 'number' ? formatRecordMoment(data.dateMs, readZone()) : data?.dateText;
}

function toInitialSort(order: RecordOrder, columnId: string): ColDef<RecordRow> {
  const place = order.findIndex(({ column }) => column === columnId);
  const key = order[place];
  return key === undefined ? {} : { initialSort: key.descending ? 'desc' : 'asc', initialSortIndex: place };
}

/** Returns the order for the sorted columns, the leading one first, or the fallback without any. */
export function toOrder(
  sorted: readonly { readonly colId: string; readonly sort: string | null | undefined }[],
  fallback: RecordOrder,
): RecordOrder {
  const keys = sorted.flatMap(({ colId, sort }) => {
    const column = SORTABLE.find((candidate) => candidate === colId);
    return column === undefined ? [] : [{ column, descending: sort === 'desc' }];
  });
  return keys.length === 0 ? fallback : keys.slice(0, MAX_SORT_COLUMNS);
}
