import { OWN_ROOT } from '../../../../common/model/records/body-path.ts';
import type { RecordDetail } from '../../../../common/model/records/record.ts';
import type { FieldName, DetailKind } from '../../../../common/reporting/reports.ts';
import type { ExportColumn, ExportValue } from '../../export-columns.ts';
import { joinFields } from './create-masks.ts';
import type { Masks } from './masks.ts';

type Column = ExportColumn<RecordDetail>;

const WHOLE_NUMBER = /^-?\d{1,19}$/;

/** Returns the columns as a pack has them: masked, and without those that are left out. */
export function maskColumns(columns: readonly Column[], masks: Masks): readonly Column[] {
  return columns.flatMap((column) => maskColumn(column, masks) ?? []);
}

/** Null where the column is left out. */
function maskColumn(column: Column, masks: Masks): Column | null {
  const { value } = column;
  if (value?.kind === 'other-fields') return maskOtherFields(column, masks);
  if (value?.kind === 'field') return maskField(column, value.name, masks);
  if (value?.kind === 'path') return maskPath(column, value.path, masks);
  // What the person who exports has named or marked is theirs to share; a note may name a client, and so may a date.
  if (value?.kind !== 'note' && value?.kind !== 'moment') return column;
  return replaceText(column, (text, record) =>
    value.kind === 'moment' && record.dateMs !== null ? text : masks.text(text, record.client),
  );
}

function maskField(column: Column, name: FieldName<DetailKind>, masks: Masks): Column | null {
  const { client, payload } = masks.masking;
  switch (name) {
    case 'client':
      return client === 'left-out' ? null : replaceText(column, (text) => masks.client(text));
    case 'payload':
    case 'response':
      if (payload === 'left-out') return null;
      return replaceText(column, (text, record) => masks.content(text, record.client));
    case 'error':
      return replaceText(column, (_text, record) => masks.error(record));
    case 'sessionId':
      return replaceText(column, (text, record) => masks.sessionId(text, record.client));
    case 'dateText':
      return replaceText(column, (text, record) =>
        record.dateMs === null ? masks.text(text, record.client) : text,
      );
    case 'actionId':
      return replaceText(column, (text, record) =>
        WHOLE_NUMBER.test(text) ? text : masks.text(text, record.client),
      );
    default:
      return replaceText(column, (text, record) => masks.text(text, record.client));
  }
}

function maskOtherFields(column: Column, masks: Masks): Column | null {
  if (masks.masking.payload === 'left-out') return null;
  const readFields = ({ extra, client }: RecordDetail): RecordDetail['extra'] =>
    masks.otherFields(extra, client);
  return { ...column, readFields, read: (record) => joinFields(readFields(record)) };
}

/** What a path leads to in a body is masked as the body is; a column of an own table may name a client. */
function maskPath(column: Column, path: string, masks: Masks): Column | null {
  if (path.startsWith(`${OWN_ROOT}.`))
    return replaceText(column, (text, record) => masks.text(text, record.client));
  if (masks.masking.payload === 'left-out') return null;
  return replaceText(column, (text, record) => masks.content(text, record.client));
}

/** Numbers, and what is not there, stay as they are. */
function replaceText(column: Column, toText: (text: string, record: RecordDetail) => string): Column {
  const { read } = column;
  return {
    ...column,
    read: (record): ExportValue => {
      const value = read(record);
      return typeof value === 'string' ? toText(value, record) : value;
    },
  };
}
