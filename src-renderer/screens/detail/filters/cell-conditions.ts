import {
  isBodyField,
  isListPath,
  type BodyField,
} from '../../../../src-main/common/model/records/body-path.ts';
import { MAX_CELL_CHARACTERS } from '../../../../src-main/common/model/records/body-paths.ts';
import type { RecordRow } from '../../../../src-main/common/model/records/record.ts';
import {
  FILTER_FIELDS,
  type FieldCondition,
  type RecordField,
} from '../../../../src-main/common/model/records/record-filter.ts';
import { MINUTE_MS } from '../../../../src-main/common/time/durations.ts';
import { formatRecordMoment } from '../../../../src-main/common/time/format-moment.ts';

const AROUND_MS = 5 * MINUTE_MS;

/** A cell of the table, as its row holds it. */
export interface Cell {
  readonly field: RecordField | BodyField;
  readonly row: RecordRow;
}

/** Returns the field that a column of the table shows; null for a column that no filter can name. */
function findField(columnId: string): RecordField | BodyField | null {
  if (isBodyField(columnId)) return columnId;
  return FILTER_FIELDS.find((field) => field === columnId) ?? null;
}

/** Returns the cell that an element of the table stands for; `readRow` returns null where no row is loaded. */
export function findTableCell(element: Element, readRow: (index: number) => RecordRow | null): Cell | null {
  const index = element.closest('[row-index]')?.getAttribute('row-index') ?? null;
  const field = findField(element.getAttribute('col-id') ?? '');
  const row = index === null ? null : readRow(Number(index));
  return field === null || row === null ? null : { field, row };
}

/** What the inspector names otherwise than a filter. */
const SHOWN_AS: Readonly<Record<string, RecordField>> = { dateText: 'dateMs' };

/** Returns the value of a record that an element of the inspector shows; null for a long text. */
export function findShownValue(element: Element, record: RecordRow | null): Cell | null {
  const name = element.getAttribute('data-field') ?? '';
  const field = SHOWN_AS[name] ?? findField(name);
  if (record === null || field === null || field === 'payload' || field === 'response') return null;
  return { field, row: record };
}

/** Returns the condition that holds for all records with the value of a cell; null where no such one is known. */
export function toCellCondition({ field, row }: Cell): FieldCondition | null {
  if (isBodyField(field)) return toPathCondition(field, row);
  switch (field) {
    case 'anywhere':
    case 'dateMs':
    case 'errorFamily':
    case 'mark':
    case 'note':
    case 'response':
    case 'payload':
      // Of long texts the row holds a preview at most.
      return null;
    default:
      return { field, values: [row[field] ?? null] };
  }
}

/** Values of a list stand one after the other in a cell, and a long one is cut: neither is a value of the record. */
function toPathCondition(field: BodyField, { values }: RecordRow): FieldCondition | null {
  const value = values?.[field] ?? null;
  const isWhole = value === null || Array.from(value).length < MAX_CELL_CHARACTERS;
  return isWhole && !isListPath(field) ? { field, values: [value] } : null;
}

/** Returns the five minutes before and after a record; null where it has no date. */
export function toTimeAround({ dateMs }: RecordRow): FieldCondition | null {
  return dateMs === null ? null : { field: 'dateMs', min: dateMs - AROUND_MS, max: dateMs + AROUND_MS };
}

/** Returns the value of a cell as text, dates in a zone. */
export function toCellText({ field, row }: Cell, zone: string): string {
  if (field === 'dateMs') return row.dateMs === null ? row.dateText : formatRecordMoment(row.dateMs, zone);
  if (field === 'payload') return row.payloadPreview;
  if (isBodyField(field)) return row.values?.[field] ?? '';
  switch (field) {
    case 'anywhere':
    case 'errorFamily':
    case 'mark':
    case 'note':
    case 'response':
      return '';
    default:
      return String(row[field] ?? '');
  }
}
