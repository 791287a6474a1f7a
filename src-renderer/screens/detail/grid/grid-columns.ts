import type { ColDef } from 'ag-grid-community';
import type { RecordOrder, RecordRow } from '../../../../src-main/common/model/record.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';
import { formatCount } from '../../../format/numbers.ts';
import { renderCode, renderResponseTime } from './grid-cells.ts';

/** A column, and the exact name of its field in the service's records. */
interface RecordColumn {
  readonly id: string;
  readonly fieldName: string;
  readonly definition: ColDef<RecordRow>;
  readonly only?: Direction;
}

const SORTABLE: readonly RecordOrder['column'][] = [
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

const NUMBER: ColDef<RecordRow> = { type: 'rightAligned', cellClass: ['num', 'ag-right-aligned-cell'] };
const MONO: ColDef<RecordRow> = { cellClass: 'record-mono' };

const COLUMNS: readonly RecordColumn[] = [
  {
    id: 'dateMs',
    fieldName: 'Date',
    definition: { width: 200, valueGetter: ({ data }) => data?.dateText, cellClass: 'num' },
  },
  { id: 'responseCode', fieldName: 'ReponseCode', definition: { width: 70, cellRenderer: renderCode } },
  { id: 'channel', fieldName: 'Channel', definition: { ...NUMBER, width: 76, field: 'channel' } },
  { id: 'service', fieldName: 'Service', definition: { ...NUMBER, width: 72, field: 'service' } },
  { id: 'origin', fieldName: 'Origin', definition: { width: 80, field: 'origin' } },
  { id: 'client', fieldName: 'Client', definition: { width: 126, field: 'client' } },
  {
    id: 'responseTimeMs',
    fieldName: 'ReponseTime',
    definition: { width: 124, type: 'rightAligned', cellRenderer: renderResponseTime },
  },
  {
    id: 'botLatencyMs',
    fieldName: 'BotLatency',
    only: 'inbound',
    definition: {
      ...NUMBER,
      width: 112,
      valueGetter: ({ data }) =>
        typeof data?.botLatencyMs === 'number' ? formatCount(data.botLatencyMs) : '',
    },
  },
  {
    id: 'actionId',
    fieldName: 'ActionId',
    only: 'outbound',
    definition: { width: 110, field: 'actionId', cellClass: 'num' },
  },
  {
    id: 'error',
    fieldName: 'Error',
    definition: { width: 250, field: 'error', cellClass: 'record-error', tooltip: true },
  },
  { id: 'payload', fieldName: 'Payload', definition: { ...MONO, width: 320, field: 'payloadPreview' } },
  { id: 'sessionId', fieldName: 'Id', definition: { ...MONO, width: 270, field: 'sessionId' } },
];

/** Ids of the columns of a direction, in order. */
export function listColumnIds(direction: Direction): readonly string[] {
  return COLUMNS.filter(({ only }) => only === undefined || only === direction).map(({ id }) => id);
}

/** Definitions for the grid; `t` translates a key. */
export function createColumns(
  direction: Direction,
  order: RecordOrder,
  t: (key: string, values?: Record<string, string>) => string,
): ColDef<RecordRow>[] {
  const ids = listColumnIds(direction);
  return COLUMNS.filter(({ id }) => ids.includes(id)).map(({ id, fieldName, definition }) => ({
    colId: id,
    headerName: t(`detail.columns.${id}`),
    headerTooltip: t('detail.fieldTip', { name: fieldName }),
    sortable: (SORTABLE as readonly string[]).includes(id),
    ...(order.column === id ? { initialSort: order.descending ? 'desc' : 'asc' } : {}),
    ...definition,
  }));
}

/** The order that a sort by a column asks for; without one, the default. */
export function toOrder(
  sorted: { readonly colId: string; readonly sort: string | null | undefined } | undefined,
  fallback: RecordOrder,
): RecordOrder {
  const column = SORTABLE.find((candidate) => candidate === sorted?.colId);
  return column === undefined ? fallback : { column, descending: sorted?.sort === 'desc' };
}
