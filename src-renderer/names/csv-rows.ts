const DELIMITERS = [',', ';', '\t'] as const;

/**
 * Reads CSV into rows of cells, by RFC 4180; of comma, semicolon and tab, the one that the first line holds most of parts
 * the cells. Rows without any text are left out.
 */
export function readCsvRows(text: string): readonly (readonly string[])[] {
  const body = text.replace(/^\ufeff/, '');
  const [firstLine = ''] = body.split(/\r\n|\r|\n/, 1);
  const countOf = (delimiter: string): number => firstLine.split(delimiter).length;
  const delimiter = DELIMITERS.reduce((best, next) => (countOf(next) > countOf(best) ? next : best));
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  const endCell = (): void => {
    row.push(cell);
    cell = '';
  };
  const endRow = (): void => {
    endCell();
    if (row.some((one) => one.trim() !== '')) rows.push(row);
    row = [];
  };
  for (let place = 0; place < body.length; place += 1) {
    const character = body.charAt(place);
    if (character === '"' && cell === '') {
      const end = findClosingQuote(body, place + 1);
      cell = body.slice(place + 1, end).replaceAll('""', '"');
      place = end;
    } else if (character === delimiter) endCell();
    else if (character === '\n' || character === '\r') {
      if (character === '\r' && body.charAt(place + 1) === '\n') place += 1;
      endRow();
    } else cell += character;
  }
  endRow();
  return rows;
}

/** The place of the quote that ends a cell, or the end of the text. */
function findClosingQuote(text: string, from: number): number {
  let place = text.indexOf('"', from);
  while (place >= 0 && text.charAt(place + 1) === '"') place = text.indexOf('"', place + 2);
  return place < 0 ? text.length : place;
}
