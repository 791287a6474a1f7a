import type { CreateExportWriter } from './export-writer.ts';

/**
 * One JSON object: what the file is, then `records` with the names and types of the specification, each record
 * on a line of its own. A value that is not known is null.
 */
export const createJsonWriter: CreateExportWriter = (columns, about) => {
  let separator = '\n';
  return {
    begin: () => `${JSON.stringify(about).slice(0, -1)},"records":[`,
    write(rows) {
      let text = '';
      for (const row of rows) {
        const record = Object.fromEntries(columns.map((column) => [column.name, column.read(row)]));
        text += `${separator}${JSON.stringify(record)}`;
        separator = ',\n';
      }
      return text;
    },
    end: () => '\n]}\n',
    countReplaced: () => 0,
  };
};
