import type { ICellRendererParams, ColDef, ColumnState } from 'ag-grid-community';
import {
  type MARKS,
  PREVIEW_CHARACTERS,
  type RecordMark,
  type RecordOrder,
  type RecordRow,
  toShownClass,
} from '../../../../src-main/common/model/records/record.ts';
import {
  isBodyField,
  isOwnField,
  type NamedField,
} from '../../../../src-main/common/model/records/body-path.ts';
import { SLOW_RESPONSE_MS, toLogShare } from '../../../charts/chart-marks.ts';
import { type Names, useNames } from '../../../names/use-names.ts';
import { createNamedCell, createSpan } from '../../../components/table/grid.ts';
import { formatCount } from '../../../format/formats.ts';
import type { TableColumn } from '../../../../src-main/common/model/records/record-filter.ts';
import {
  type FieldsWith,
  findReportField,
  hasField,
  listFieldsWith,
  RECORD_FIELDS,
  toFieldRow,
} from '../../../../src-main/common/model/records/record-fields.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';
import { formatRecordMoment } from '../../../../src-main/common/time/civil-time.ts';
import { toVisible } from '../../../../src-main/common/words/visible-text.ts';
import { computed } from 'vue';
import { useOwnFields } from '../../../stores/connections/connections.ts';
import { useShownPaths } from '../../../stores/records/shown-paths.ts';

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

/**
 * The code as a badge. Cells are plain elements, not components, since a scroll redraws hundreds of them a second;
 * their texts are set through textContent only.
 */
function renderCode({ data }: CellParams): HTMLElement | string {
  if (data === undefined) return '';
  const badge = createSpan('record-code num');
  badge.dataset['class'] = toShownClass(data.outcome, data.responseCode);
  badge.append(createSpan('record-code-mark'), createSpan('', String(data.responseCode ?? '–')));
  return badge;
}

/** The response time with a bar on a logarithmic scale; red above 5 s. */
function renderResponseTime({ data }: CellParams): HTMLElement | string {
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

type Column = ColDef<RecordRow> & { readonly colId: string; readonly width: number };
type ColumnName = FieldsWith<'column'>;

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

/** What the cells of a field show otherwise than their text or number; what went wrong stands beside the code. */
const CELLS: Readonly<Partial<Record<ColumnName, ColDef<RecordRow>>>> = {
  dateMs: { pinned: 'left', cellRenderer: renderDate, cellClass: 'num' },
  responseCode: { pinned: 'left', cellRenderer: renderCode },
  error: { ...TEXT, field: 'error', cellClass: 'record-error', tooltip: toTip },
  responseTimeMs: { type: 'rightAligned', cellRenderer: renderResponseTime },
  channel: { ...NUMBER, cellRenderer: renderNamed('channel') },
  service: { ...NUMBER, cellRenderer: renderNamed('service') },
  actionId: { cellRenderer: renderNamed('actionId'), cellClass: 'num' },
  payload: { ...PREVIEW, field: 'payloadPreview', cellClass: 'record-mono' },
  sessionId: { ...MONO, ...TEXT, field: 'sessionId' },
};

function toPlainCell(field: Exclude<ColumnName, 'dateMs' | 'payload'>): ColDef<RecordRow> {
  if (toFieldRow(field).query.kind === 'text') return { ...TEXT, field };
  const valueGetter: ColDef<RecordRow>['valueGetter'] = ({ data }) => {
    const value = data?.[field];
    return typeof value === 'number' ? formatCount(value) : '';
  };
  return { ...NUMBER, valueGetter };
}

/** Every column of both directions, in order. */
const COLUMNS = listFieldsWith('column').map(
  (colId): Omit<Column, 'colId'> & { readonly colId: ColumnName } => {
    const { width } = RECORD_FIELDS[colId].column;
    const isOwn = colId === 'dateMs' || colId === 'payload';
    return { ...(CELLS[colId] ?? (isOwn ? {} : toPlainCell(colId))), colId, width };
  },
);

/** A path in bodies or in a table of one's own, which is its own name. */
function toPathColumn(path: string): Column {
  return {
    colId: path,
    ...TEXT,
    width: PATH_WIDTH_PX,
    headerName: toVisible(path),
    headerTooltip: toVisible(path),
    valueGetter: ({ data }) => data?.values?.[path] ?? '',
    cellClass: 'record-mono',
    tooltip: toTip,
  };
}

/** The columns that a direction's records have, with the service's own names of their fields. */
function listColumns(
  direction: Direction,
): readonly ((typeof COLUMNS)[number] & { readonly wireName: string })[] {
  return COLUMNS.flatMap((column) => {
    const field = findReportField(column.colId, direction);
    return field === null ? [] : [{ ...column, wireName: field.wireName }];
  });
}

/** Returns the columns that a direction's table can be sorted by. */
export function listSortable(direction: Direction): readonly FieldsWith<'sorted'>[] {
  return listFieldsWith('sorted').filter((column) => hasField(column, direction));
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
  const columns = new Map<string, ReturnType<typeof listColumns>[number]>(
    listColumns(direction).map((column) => [column.colId, column]),
  );
  return toColumnState(layout).flatMap((state) => {
    if (isBodyField(state.colId))
      return [{ ...toPathColumn(state.colId), ...toInitialSort(order, state.colId), ...state }];
    const column = columns.get(state.colId);
    if (column === undefined) return [];
    const { wireName, ...definition } = column;
    return {
      headerName: t(`detail.columns.${state.colId}`),
      headerTooltip: t('detail.fieldTip', { name: wireName }),
      sortable: 'sorted' in RECORD_FIELDS[column.colId],
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
    const column = isBodyField(colId)
      ? colId
      : listFieldsWith('sorted').find((candidate) => candidate === colId);
    return column === undefined ? [] : [{ column, descending: sort === 'desc' }];
  });
  return keys.length === 0 ? fallback : keys.slice(0, MAX_SORT_COLUMNS);
}

/**
 * Returns the columns as they were saved, those of paths among them. Another one that the table no longer has is left out;
 * one that it did not have then comes last.
 */
export function mergeLayout(
  saved: readonly TableColumn[] | undefined,
  defaults: readonly TableColumn[],
): readonly TableColumn[] {
  const known = new Set(defaults.map(({ id }) => id));
  const merged = new Map(
    saved?.filter(({ id }) => known.has(id) || isBodyField(id)).map((column) => [column.id, column]),
  );
  for (const column of defaults) if (!merged.has(column.id)) merged.set(column.id, column);
  return [...merged.values()];
}

/**
 * Returns a layout with room for names in columns that still are as wide as the application sets them up without: they
 * were saved before there were names.
 */
export function widenNamed(
  layout: readonly TableColumn[],
  { from, to }: { readonly from: readonly TableColumn[]; readonly to: readonly TableColumn[] },
): readonly TableColumn[] {
  const narrow = new Map(from.map(({ id, widthPx }) => [id, widthPx]));
  const wide = new Map(to.map(({ id, widthPx }) => [id, widthPx]));
  return layout.map((column) => {
    const widthPx = wide.get(column.id);
    return widthPx !== undefined && column.widthPx === narrow.get(column.id)
      ? { ...column, widthPx }
      : column;
  });
}

/** Returns a layout as the grid's own state of columns. */
export function toColumnState(layout: readonly TableColumn[]) {
  return layout.map(({ id, widthPx, pinned, hidden }) => ({
    colId: id,
    width: widthPx,
    pinned,
    hide: hidden,
  }));
}

/** Returns the layout of the grid's columns, in the order in which they are shown. */
export function fromColumnState(state: readonly ColumnState[]): readonly TableColumn[] {
  return state.map(({ colId, width, pinned, hide }) => ({
    id: colId,
    widthPx: Math.round(width ?? 0),
    pinned: pinned === 'left' || pinned === 'right' ? pinned : null,
    hidden: hide === true,
  }));
}

/** True when two layouts are the same. */
export function isSameLayout(a: readonly TableColumn[], b: readonly TableColumn[]): boolean {
  return JSON.stringify(toColumnState(a)) === JSON.stringify(toColumnState(b));
}

const ERROR = 'error';

/**
 * The columns of a direction's table, kept in the settings; those of paths are the connection's own. That of errors takes no room while no record has one, that of
 * a person's own table none where the connection hasn't that table; each is as it was set up again as soon as there is
 * something to show.
 */
export function useTableLayout(readDirection: () => Direction, hasErrors: () => boolean) {
  const shown = useShownPaths();
  const names = useNames();
  const ownFields = useOwnFields();
  const report = computed(() => `${readDirection()}-detail` as const);
  const named = computed(() => new Set<string>(names.list.map(({ field }) => field)));
  const defaults = computed(() => listDefaultLayout(readDirection(), named.value));
  const whole = computed({
    get: () =>
      widenNamed(mergeLayout(shown.listColumns(report.value), defaults.value), {
        from: listDefaultLayout(readDirection()),
        to: defaults.value,
      }),
    set: (columns: readonly TableColumn[]) => {
      // None stand for those of the application, also when a later version has others.
      const own = isSameLayout(columns, defaults.value) ? [] : [...columns];
      void shown.setColumns(report.value, own);
    },
  });
  const isIdle = ({ id }: TableColumn): boolean =>
    id === ERROR ? !hasErrors() : isOwnField(id) && !ownFields.value.some(({ field }) => field === id);
  const layout = computed({
    get: () => whole.value.map((column) => (isIdle(column) ? { ...column, hidden: true } : column)),
    set: (columns: readonly TableColumn[]) => {
      const before = new Map(whole.value.map((column) => [column.id, column]));
      whole.value = columns.map((column) => {
        const own = before.get(column.id);
        return own !== undefined && isIdle(column) ? { ...column, hidden: own.hidden } : column;
      });
    },
  });
  /** Paths whose values the rows need. */
  const paths = computed(() =>
    layout.value.flatMap(({ id, hidden }) => (!hidden && isBodyField(id) ? [id] : [])),
  );
  return { layout, whole, defaults, paths };
}
