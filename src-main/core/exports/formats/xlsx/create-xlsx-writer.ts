import type { ExportColumn } from '../../export-columns.ts';
import type { ExportAbout, ExportWriter, WriterOptions } from '../export-writer.ts';
import { createSheetWriter, MAX_CELL_CHARACTERS, toLetters } from './sheet-xml.ts';
import { beginSheet, endSheet, writeWorkbookParts } from './workbook-xml.ts';
import { createZipWriter } from './zip-writer.ts';

/** Rows of a sheet, its head apart. */
const MAX_SHEET_ROWS = 1_048_575;
/** An entry of the file holds less than 4 GB, and a character takes three bytes at most. */
const MAX_SHEET_CHARACTERS = 1_200_000_000;
const WIDTHS: Readonly<Record<ExportColumn<never>['type'], number>> = {
  text: 24,
  number: 14,
  digits: 14,
  count: 12,
  moment: 24,
};

interface Fact {
  readonly name: string;
  readonly value: string | number;
}
const FACT_COLUMNS: readonly ExportColumn<Fact>[] = [
  { name: 'About this file', type: 'text', read: ({ name }) => name },
  { name: 'Value', type: 'text', read: ({ value }) => value },
];

/**
 * An Excel workbook, streamed: the records on as many sheets as they need, each with its names in a row that stays and can
 * be filtered, then a sheet that says what the file holds.
 */
export function createXlsxWriter<Row>(
  columns: readonly ExportColumn<Row>[],
  about: ExportAbout,
  { sheetRows: maxSheetRows = MAX_SHEET_ROWS }: WriterOptions = {},
): ExportWriter<Row, Uint8Array> {
  const zip = createZipWriter(new Date(about.exportedAt));
  const sheetWriter = createSheetWriter(columns);
  const widths = columns.map(({ type }) => WIDTHS[type]);
  const lastLetters = toLetters(columns.length - 1);
  const sheets: { readonly name: string; readonly filterRange: string | null }[] = [];
  let sheetRows = 0;
  let sheetCharacters = 0;

  const begin = async (path: string, xml: string): Promise<Uint8Array> =>
    Buffer.concat([await zip.begin(path), await zip.write(xml)]);
  const beginNextSheet = (xml: string): Promise<Uint8Array> =>
    begin(`xl/worksheets/sheet${sheets.length + 1}.xml`, xml);
  const startSheet = (): Promise<Uint8Array> => {
    sheetRows = 0;
    sheetCharacters = 0;
    return beginNextSheet(beginSheet(widths) + sheetWriter.writeHead());
  };
  const finishSheet = (): string => {
    const filterRange = `A1:${lastLetters}${sheetRows + 1}`;
    const absolute = `$A$1:$${lastLetters}$${sheetRows + 1}`;
    sheets.push({
      name: `Records${sheets.length === 0 ? '' : ` ${sheets.length + 1}`}`,
      filterRange: absolute,
    });
    return endSheet(filterRange);
  };

  return {
    begin: startSheet,
    async write(rows) {
      const pieces: Uint8Array[] = [];
      let xml = '';
      for (const row of rows) {
        if (sheetRows === maxSheetRows || sheetCharacters > MAX_SHEET_CHARACTERS) {
          pieces.push(await zip.write(xml + finishSheet()), await startSheet());
          xml = '';
        }
        sheetRows += 1;
        const line = sheetWriter.writeRow(row, sheetRows + 1);
        sheetCharacters += line.length;
        xml += line;
      }
      pieces.push(await zip.write(xml));
      return Buffer.concat(pieces);
    },
    async end() {
      const pieces = [await zip.write(finishSheet())];
      const facts = listFacts(about, sheetWriter.countCut(), sheetWriter.countReplaced());
      const factWriter = createSheetWriter(FACT_COLUMNS);
      const rows = facts.map((fact, place) => factWriter.writeRow(fact, place + 2)).join('');
      const sheet = beginSheet([28, 80]) + factWriter.writeHead() + rows + endSheet(null);
      pieces.push(await beginNextSheet(sheet));
      sheets.push({ name: 'About', filterRange: null });
      for (const [path, xml] of writeWorkbookParts(sheets)) {
        pieces.push(await begin(path, xml));
      }
      pieces.push(await zip.end());
      return Buffer.concat(pieces);
    },
    countReplaced: sheetWriter.countReplaced,
    countCut: sheetWriter.countCut,
  };
}

function listFacts(about: ExportAbout, cut: number, replaced: number): Fact[] {
  const facts = Object.entries(about as unknown as Readonly<Record<string, string | number>>).map(
    ([name, value]) => ({
      name,
      value,
    }),
  );
  return [
    ...facts,
    ...(cut === 0
      ? []
      : [
          {
            name: `texts cut at ${MAX_CELL_CHARACTERS} characters, which is all that a cell holds`,
            value: cut,
          },
        ]),
    ...(replaced === 0
      ? []
      : [{ name: 'characters replaced, since a workbook can not hold them', value: replaced }]),
  ];
}
