import { joinJsonTexts } from '../../../common/json/exact-json.ts';
import type { ExportColumn } from '../export-columns.ts';
import type { CreateTextWriter } from './export-writer.ts';

/**
 * One JSON object: what the file is, then `records` with the names and types of the specification, each record
 * on a line of its own. A value that is not known is null; a number that could not be read stands as received, as
 * fields do that the specification doesn't know.
 */
export const createJsonWriter: CreateTextWriter = (columns, about) => {
  const toRecord = createRecordText(columns);
  let separator = '\n';
  return {
    begin: () => `${JSON.stringify(about).slice(0, -1)},"records":[`,
    write(rows) {
      let text = '';
      for (const row of rows) {
        text += `${separator}${toRecord(row)}`;
        separator = ',\n';
      }
      return text;
    },
    end: () => '\n]}\n',
    countReplaced: () => 0,
  };
};

/** One JSON object a line, each a record as `createJsonWriter` writes it. */
export const createNdjsonWriter: CreateTextWriter = (columns) => {
  const toRecord = createRecordText(columns);
  return {
    begin: () => '',
    write: (rows) => {
      let text = '';
      for (const row of rows) text += `${toRecord(row)}\n`;
      return text;
    },
    end: () => '',
    countReplaced: () => 0,
  };
};

function createRecordText<Row>(columns: readonly ExportColumn<Row>[]): (row: Row) => string {
  const own = columns.filter(({ readFields }) => readFields === undefined);
  const holders = columns.filter(({ readFields }) => readFields !== undefined);
  const numbers = new Set(
    own.filter(({ type }) => type !== 'text' && type !== 'moment').map(({ name }) => name),
  );
  const keys = own.map(({ name }, place) => `${place === 0 ? '' : ','}${JSON.stringify(name)}:`);
  const toPlain = (row: Row): string => {
    let text = '{';
    for (const [place, column] of own.entries())
      text += `${keys[place] ?? ''}${JSON.stringify(column.read(row))}`;
    return `${text}}`;
  };
  return (row) => {
    const others = holders.flatMap((column) => {
      const fields = Object.entries(column.readFields?.(row) ?? {});
      return fields.length === 0 ? [] : [{ name: column.name, fields }];
    });
    if (others.length === 0) return toPlain(row);
    const texts = new Map(own.map((column) => [column.name, JSON.stringify(column.read(row))]));
    for (const { name: holder, fields } of others) {
      // A field that is named as one of the file's own columns must not take its place.
      const taken = fields.filter(([name, text]) => {
        const isUnread = numbers.has(name) && texts.get(name) === 'null';
        if (name === holder || (texts.has(name) && !isUnread)) return true;
        texts.set(name, text);
        return false;
      });
      if (taken.length > 0) texts.set(holder, joinJsonTexts(taken));
    }
    return joinJsonTexts(texts);
  };
}
