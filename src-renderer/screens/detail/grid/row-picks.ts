import type { CellFocusedEvent, GridApi, IRowNode } from 'ag-grid-community';
import { shallowRef } from 'vue';
import { isBodyField } from '../../../../src-main/common/model/records/body-path.ts';
import type { RecordScope } from '../../../../src-main/common/model/records/record-filter.ts';
import type { RecordDetail, RecordRow } from '../../../../src-main/common/model/records/record.ts';
import { type Direction, listFields } from '../../../../src-main/common/reporting/reports.ts';
import { formatRecordMoment, nameZonedField } from '../../../../src-main/common/time/civil-time.ts';
import { useTableClipboard, type WriteTable } from '../../../composables/copy-and-save.ts';
import { isEqualRow, isSameRecord, toRowKey } from '../../../format/row-key.ts';
import { toHtmlTable, toTsv } from '../../../format/table-text.ts';
import { useRecordsStore } from '../../../stores/records/records.ts';
import { useClockStore } from '../../../stores/window/times.ts';

/**
 * The ids of a table's rows. A record keeps its id where another snapshot brings it: one that was downloaded again, or
 * followed, begins to count for moments that an older one was shown of.
 */
export function createRowIds() {
  const known = new Map<string, string>();
  /** The keys of the rows without a date that the view has shown, by their ids. */
  const owners = new Map<string, string>();
  let ownersViewId = '';

  const fromKey = (key: string): string => known.get(key) ?? key;
  const toId = (row: RecordRow): string => fromKey(toRowKey(row));

  /** True for the record that a row showed, as another snapshot has it; one without a date is known by all that it shows. */
  function isShownAgain(one: RecordRow, row: RecordRow): boolean {
    return row.dateMs === null ? isEqualRow(one, row) : isSameRecord(one, row);
  }

  /** Of a table's undated rows each has an id of its own: a record without a date is shown of every snapshot that has it. */
  function own(row: RecordRow): void {
    const key = toRowKey(row);
    const owner = owners.get(toId(row)) ?? key;
    if (owner !== key) known.set(key, `${key}, again`);
    owners.set(toId(row), key);
  }

  return {
    toId,
    /** The id of the record with a key. */
    fromKey,
    /**
     * Has to be called with the rows of a view before they take the place of those that are shown; `kept` are to be known
     * again, and `readRank` tells a row's place among those that show the same.
     */
    recognise(
      rows: readonly RecordRow[],
      kept: readonly RecordRow[],
      readRank: (row: RecordRow) => number,
      viewId: string,
    ): void {
      if (viewId !== ownersViewId) owners.clear();
      ownersViewId = viewId;
      const came = new Set(rows.map(toRowKey));
      for (const row of kept) {
        if (row.dateMs === null && came.has(toRowKey(row))) own(row);
        if (row.dateMs === null && owners.has(toId(row))) continue;
        const equals = rows.filter((one) => one.snapshotId !== row.snapshotId && isShownAgain(one, row));
        const found = equals.length > 1 ? (equals[readRank(row)] ?? equals[0]) : equals[0];
        if (found !== undefined) known.set(toRowKey(found), toId(row));
      }
      for (const row of rows) if (row.dateMs === null) own(row);
    },
  };
}
type RowIds = ReturnType<typeof createRowIds>;

/** Runs what a key without modifiers does to the rows of the table. */
export function onRowKey(event: KeyboardEvent, actions: Readonly<Record<string, () => unknown>>): void {
  const isInTable = event.target instanceof Element && event.target.closest('[role=gridcell]') !== null;
  const action = actions[event.key.toLowerCase()];
  if (!isInTable || action === undefined) return;
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  action();
}

interface PickParts {
  readApi(): GridApi<RecordRow> | null;
  readScope(): RecordScope | null;
  readonly ids: RowIds;
  /** Id of the record that the inspector shows. */
  readShownId(): string | null;
  /** True while the table has the focus of the window. */
  isFocused(): boolean;
  /** Selects a row by its place. */
  select(index: number, isAdded: boolean): void;
  onShow(row: RecordRow): void;
  onPick(pick: GridPick): void;
}

/** The cell that has the table's focus, and the place that the table believes its record to be at. */
interface ActiveCell extends CopiedCell {
  readonly place: number;
}
type SelectedNode = IRowNode<RecordRow> & { readonly data: RecordRow };

/**
 * Knows which records are selected and which cell is the active one, wherever their rows move. A record that the view
 * no longer has is not picked: it is selected again where another view brings it back.
 */
export function createRowPicks(parts: PickParts) {
  const { readApi, ids } = parts;
  /** Where selected records are in the view; one that the view has not shown yet has no place. */
  const places = new Map<string, number>();
  let active: ActiveCell | null = null;

  const readRow = (index: number): RecordRow | null => readApi()?.getDisplayedRowAtIndex(index)?.data ?? null;
  const toPlace = ({ data }: SelectedNode): number => places.get(ids.toId(data)) ?? 0;

  /** True for a record that the period has moved past. */
  function isPast({ dateMs }: RecordRow): boolean {
    const scope = parts.readScope();
    return scope !== null && 'fromMs' in scope && dateMs !== null && dateMs < scope.fromMs;
  }

  /** The selected records that the view has, from the top. */
  function locate(): readonly SelectedNode[] {
    const nodes = (readApi()?.getSelectedNodes() ?? []).filter(
      (node): node is SelectedNode => node.data !== undefined && !isPast(node.data),
    );
    const before = new Map(places);
    places.clear();
    for (const { data, rowIndex } of nodes) {
      const id = ids.toId(data);
      // A row that has been scrolled away, or is being read again, is where it was.
      const place = rowIndex ?? before.get(id);
      if (place !== undefined) places.set(id, place);
    }
    return nodes.filter(({ data }) => places.has(ids.toId(data))).sort((a, b) => toPlace(a) - toPlace(b));
  }

  function readActive(): CopiedCell | null {
    // Undefined, not null, before a cell had the focus.
    const focused = readApi()?.getFocusedCell() ?? null;
    const row = focused === null ? null : readRow(focused.rowIndex);
    if (active === null && focused !== null && row !== null) {
      active = { row, columnId: focused.column.getColId(), place: focused.rowIndex };
    }
    return active;
  }

  function tell(): void {
    const grid = readApi();
    if (grid === null) return;
    parts.onPick({
      rows: locate().map(({ data }) => data),
      cell: readActive(),
      columnIds: grid.getAllDisplayedColumns().map((column) => column.getColId()),
    });
  }

  /** Takes the active cell to where its record is. A window's other parts keep the focus. */
  function followActive(): void {
    const grid = readApi();
    if (grid === null || active === null) return;
    const node = grid.getRowNode(ids.toId(active.row));
    if (node?.data === undefined || node.rowIndex === null) return;
    active = { ...active, row: node.data };
    // Elsewhere by now: the table is about to say where.
    if (grid.getFocusedCell()?.rowIndex !== active.place) return;
    if (node.rowIndex === active.place || !parts.isFocused()) return;
    if (!grid.getRenderedNodes().includes(node)) return;
    active = { ...active, place: node.rowIndex };
    grid.setFocusedCell(node.rowIndex, active.columnId);
  }

  /** The place of a row among those that show the same, from 0: these are beside one another. */
  function countEqualsAbove(row: RecordRow): number {
    const place = places.get(ids.toId(row)) ?? 0;
    let count = 0;
    while (count < place) {
      const above = readRow(place - count - 1);
      if (above === null || !isEqualRow(above, row)) break;
      count += 1;
    }
    return count;
  }

  return {
    tell,
    followActive,
    /** With the keys the selection follows the active cell; `how` is null where something else moved it. */
    onFocus({ rowIndex, column }: CellFocusedEvent<RecordRow>, how: 'alone' | 'added' | null): void {
      if (rowIndex === null) return;
      const row = readRow(rowIndex);
      const isSame = row !== null && active !== null && ids.toId(row) === ids.toId(active.row);
      const columnId = typeof column === 'string' ? column : (column?.getColId() ?? '');
      active = row === null ? null : { row, columnId, place: rowIndex };
      // A record that moved is not chosen anew, nor is one within whose row the focus moves.
      if (!isSame && how !== null) parts.select(rowIndex, how === 'added');
      tell();
    },
    onSelection(): void {
      tell();
      const nodes = locate();
      const activeId = active === null ? null : ids.toId(active.row);
      const shown = nodes.length === 1 ? nodes[0] : nodes.find(({ data }) => ids.toId(data) === activeId);
      if (shown !== undefined && ids.toId(shown.data) !== parts.readShownId()) parts.onShow(shown.data);
    },
    /** Has to be called with the rows of a view before they take the place of those that are shown. */
    beforeRows(rows: readonly RecordRow[], viewId: string): void {
      const kept = (readApi()?.getSelectedNodes() ?? []).flatMap(({ data }) => data ?? []);
      if (active !== null) kept.push(active.row);
      ids.recognise(rows, kept, countEqualsAbove, viewId);
    },
    onRows(): void {
      followActive();
      if (active !== null || (readApi()?.getSelectedNodes().length ?? 0) > 0) tell();
    },
    /**
     * Has to be called once the rows of another question are gone: which of the selected records its answer has shows
     * when it comes.
     */
    leave(): void {
      places.clear();
      active = null;
      tell();
    },
    /** The place of the record that the inspector shows; null where the view is not known to have it. */
    readPlace(): number | null {
      const nodes = locate();
      const shown =
        nodes.length > 1 ? nodes.find(({ data }) => ids.toId(data) === parts.readShownId()) : null;
      const node = shown ?? nodes[0];
      return node === undefined ? null : toPlace(node);
    },
  };
}

export const ROW_FORMATS = ['tsv', 'markdown', 'json'] as const;
type RowFormat = (typeof ROW_FORMATS)[number];
/** What to copy: the focused cell, or the selected rows in a format. */
export type CopyTarget = 'cell' | RowFormat;

type CopiedRecord = RecordRow | RecordDetail;
type Value = string | number | null;

/** True when a column shows a part of a text that has to be read for a copy. */
function isPreview(columnId: string): boolean {
  return columnId === 'payload';
}

/** Returns the field of a record that a column shows, as it is cached; its date as the clock in the zone shows it. */
export function readValue(record: CopiedRecord, columnId: string, zone: string): Value {
  if (columnId === 'dateMs') {
    return record.dateMs === null ? record.dateText : formatRecordMoment(record.dateMs, zone);
  }
  if (isBodyField(columnId)) return record.values?.[columnId] ?? null;
  const value: unknown = record[columnId as keyof CopiedRecord];
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

/** The columns of a direction's table to copy, in their order; dates as the clock in the zone shows them. */
interface CopiedColumns {
  readonly columnIds: readonly string[];
  readonly direction: Direction;
  readonly zone: string;
}

/** A table of records under the service's names of their fields. */
interface CopiedTable {
  readonly columns: readonly { readonly name: string; readonly kind: 'time' | 'other' }[];
  readonly rows: readonly (readonly Value[])[];
}

/** Returns records as a table with the columns in the given order. The date's name tells the zone. */
function toCopiedTable(
  records: readonly CopiedRecord[],
  { columnIds, direction, zone }: CopiedColumns,
): CopiedTable {
  const fields = new Map<string, { readonly wireName: string }>(listFields(`${direction}-detail`));
  const names = columnIds.map((id) =>
    id === 'dateMs'
      ? nameZonedField(fields.get('dateText')?.wireName ?? id, zone)
      : (fields.get(id)?.wireName ?? id),
  );
  return {
    columns: names.map((name, place) => ({ name, kind: columnIds[place] === 'dateMs' ? 'time' : 'other' })),
    rows: records.map((record) => columnIds.map((id) => readValue(record, id, zone))),
  };
}

/** Returns records as text, with the columns in the given order. */
export function formatRecords(
  format: RowFormat,
  records: readonly CopiedRecord[],
  copied: CopiedColumns,
): string {
  const { columns, rows } = toCopiedTable(records, copied);
  const names = columns.map(({ name }) => name);
  if (format === 'json') {
    const objects = rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])));
    return `${JSON.stringify(objects, null, 2)}\n`;
  }
  if (format === 'markdown') return toMarkdown(names, rows);
  return toTsv(columns, rows);
}

/** Returns a Markdown table. Characters with a meaning there are escaped, so that a value is shown and not obeyed. */
export function toMarkdown(names: readonly string[], rows: readonly (readonly Value[])[]): string {
  const toCell = (value: Value): string =>
    String(value ?? '')
      .replace(/[\\`*_{}[\]<>#|~&!$]/g, '\\$&')
      .replace(/\r\n|\r|\n/g, '<br>');
  const toLine = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  const head = toLine(names.map(toCell)) + toLine(names.map(() => '---'));
  return head + rows.map((row) => toLine(row.map(toCell))).join('');
}

/** One cell of the table. */
export interface CopiedCell {
  readonly row: RecordRow;
  readonly columnId: string;
}

/** What is picked in the table. */
export interface GridPick {
  /** The selected rows, from the top. */
  readonly rows: readonly RecordRow[];
  /** The focused cell. */
  readonly cell: CopiedCell | null;
  /** Columns in view, in order. */
  readonly columnIds: readonly string[];
}

const NO_PICK: GridPick = { rows: [], cell: null, columnIds: [] };

/** Copies what is picked in a table, with values as they are cached, dates in the clock, and texts in full. */
export function useRowCopy(readDirection: () => Direction, write: WriteTable = useTableClipboard()) {
  const clock = useClockStore();
  const records = useRecordsStore();
  const pick = shallowRef<GridPick>(NO_PICK);

  /** Values at paths are those of the rows. */
  async function readWhole(
    rows: readonly RecordRow[],
    columnIds: readonly string[],
  ): Promise<readonly (RecordRow | RecordDetail)[]> {
    if (!columnIds.some(isPreview)) return rows;
    const whole = await records.readRecords(rows, true);
    return whole.map((record, place) => ({ ...record, values: rows[place]?.values ?? {} }));
  }

  async function copyCell({ row, columnId }: CopiedCell): Promise<void> {
    const [whole] = await readWhole([row], [columnId]);
    if (whole === undefined) return;
    const value = readValue(whole, columnId, clock.zone);
    // A value by itself is pasted anywhere: only what a spreadsheet takes of it is guarded.
    await write(String(value ?? ''), toHtmlTable([], [[value]]));
  }

  async function copy(target: CopyTarget): Promise<void> {
    const { rows, cell, columnIds } = pick.value;
    if (target === 'cell') {
      if (cell !== null) await copyCell(cell);
      return;
    }
    const whole = await readWhole(rows, columnIds);
    const columns = { columnIds, direction: readDirection(), zone: clock.zone };
    if (whole.length === 0) return;
    const table = toCopiedTable(whole, columns);
    const html = target === 'tsv' ? toHtmlTable(table.columns, table.rows) : null;
    await write(formatRecords(target, whole, columns), html);
  }

  return { pick, copy, copyCell };
}
