import { DAY_MS } from '../../../../common/time/durations.ts';
import {
  createZoneMoments,
  type ExportColumn,
  type ExportValue,
  type ZoneMoments,
} from '../../export-columns.ts';
import {
  createTextCleaner,
  type ExportAbout,
  type ExportWriter,
  type WriterOptions,
} from '../export-writer.ts';
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

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const STYLES = `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss.000"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/></cellXfs></styleSheet>`;

/** The parts of a workbook besides its sheets, by their paths in the file. */
function writeWorkbookParts(
  sheets: readonly { readonly name: string; readonly filterRange: string | null }[],
): ReadonlyMap<string, string> {
  const list = sheets.map(
    ({ name }, place) => `<sheet name="${name}" sheetId="${place + 1}" r:id="rId${place + 1}"/>`,
  );
  const names = sheets.flatMap(({ name, filterRange }, place) =>
    filterRange === null
      ? []
      : [
          `<definedName name="_xlnm._FilterDatabase" localSheetId="${place}" hidden="1">'${name}'!${filterRange}</definedName>`,
        ],
  );
  const relations = sheets.map(
    (_sheet, place) =>
      `<Relationship Id="rId${place + 1}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${place + 1}.xml"/>`,
  );
  const types = sheets.map(
    (_sheet, place) =>
      `<Override PartName="/xl/worksheets/sheet${place + 1}.xml" ContentType="${TYPE}.worksheet+xml"/>`,
  );
  return new Map([
    [
      'xl/workbook.xml',
      `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${list.join('')}</sheets>${names.length === 0 ? '' : `<definedNames>${names.join('')}</definedNames>`}</workbook>`,
    ],
    ['xl/styles.xml', STYLES],
    [
      'xl/_rels/workbook.xml.rels',
      `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${relations.join('')}<Relationship Id="rId${sheets.length + 1}" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
    ],
    [
      '_rels/.rels',
      `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    [
      '[Content_Types].xml',
      `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>${types.join('')}<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`,
    ],
  ]);
}

/** What stands before the rows of a sheet; `widths` are those of its columns, in characters. */
function beginSheet(widths: readonly number[]): string {
  const columns = widths.map(
    (width, place) => `<col min="${place + 1}" max="${place + 1}" width="${width}" customWidth="1"/>`,
  );
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  return `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews><cols>${columns.join('')}</cols><sheetData>`;
}

/** What stands behind them. */
function endSheet(filterRange: string | null): string {
  return `</sheetData>${filterRange === null ? '' : `<autoFilter ref="${filterRange}"/>`}</worksheet>`;
}

/** Excel's limits. */
const MAX_CELL_CHARACTERS = 32_767;
/** Excel counts days from here; its calendar is right from March 1900 on. */
const EPOCH_MS = Date.UTC(1899, 11, 30);
const FIRST_MS = Date.UTC(1900, 2, 1);
const LAST_MS = Date.UTC(9999, 11, 31);
/** Places of styles in `STYLES_XML`. */
const STYLE = { text: 1, date: 2, head: 3 } as const;
// What XML 1.0 has no way to write, and halves of surrogate pairs.
const UNWRITABLE =
  // eslint-disable-next-line no-control-regex -- these are what is looked for
  /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
/** Blanks of any kind at an end of a text are dropped unless they are said to count. */
const BLANK_AT_END = /^\s|\s$/;
const KEEP_BLANKS = ' xml:space="preserve"';
/** The underscore that ends one escape may begin the next one. */
const SPECIAL = /[&<>\r]|_(?=x[0-9A-Fa-f]{4}_)/g;
const PLAIN = /^[\t\n\x20-\x25\x27-\x3b=?-\x5e\x60-\ud7ff\ue000-\ufffd]*$/;

/** Writes the rows of a sheet as XML. */
interface SheetWriter<Row> {
  writeHead(): string;
  /** One row; the first one below the head is row 2. */
  writeRow(row: Row, rowNumber: number): string;
  countCut(): number;
  countReplaced(): number;
}

/**
 * Makes the writer of a sheet's rows. Texts are texts, never formulas, and identifiers are among them; numbers, and dates of the
 * clock that is shown, are what they are for Excel. Long texts are cut, and end in a remark that says so.
 */
function createSheetWriter<Row>(columns: readonly ExportColumn<Row>[]): SheetWriter<Row> {
  const cleaner = createTextCleaner(UNWRITABLE);
  const letters = columns.map((_column, place) => toLetters(place));
  const clocks = columns.map(({ readMs, zone = 'UTC' }) =>
    readMs === undefined ? null : createZoneMoments(zone),
  );
  let cut = 0;

  const toText = (text: string): string => {
    let fitting = text;
    if (text.length > MAX_CELL_CHARACTERS) {
      cut += 1;
      fitting = cutText(text);
    }
    return PLAIN.test(fitting) ? fitting : escape(cleaner.clean(fitting));
  };
  const writeText = (reference: string, text: string, style: number): string =>
    `<c r="${reference}" s="${style}" t="inlineStr"><is><t${BLANK_AT_END.test(text) ? KEEP_BLANKS : ''}>${toText(text)}</t></is></c>`;
  const writeCell = (column: ExportColumn<Row>, place: number, row: Row, reference: string): string => {
    const clock = clocks[place] ?? null;
    const serial = clock === null ? null : toSerial(column.readMs?.(row) ?? null, clock);
    if (serial !== null) return `<c r="${reference}" s="${STYLE.date}"><v>${serial}</v></c>`;
    const value = column.read(row);
    if (value === null || value === '') return '';
    const number = toNumber(column.type, value);
    if (number !== null) return `<c r="${reference}"><v>${number}</v></c>`;
    if (typeof value === 'boolean') return `<c r="${reference}" t="b"><v>${value ? 1 : 0}</v></c>`;
    return writeText(reference, String(value), STYLE.text);
  };

  return {
    writeHead: () =>
      `<row r="1">${columns.map(({ name }, place) => writeText(`${letters[place] ?? ''}1`, name, STYLE.head)).join('')}</row>`,
    writeRow(row, rowNumber) {
      let xml = `<row r="${rowNumber}">`;
      for (const [place, column] of columns.entries()) {
        xml += writeCell(column, place, row, `${letters[place] ?? ''}${rowNumber}`);
      }
      return `${xml}</row>`;
    },
    countCut: () => cut,
    countReplaced: cleaner.countReplaced,
  };
}

/** The letters of a column, from 0: A to Z, then AA. */
function toLetters(place: number): string {
  const letter = String.fromCharCode(65 + (place % 26));
  return place < 26 ? letter : toLetters(Math.floor(place / 26) - 1) + letter;
}

/** Excel has the digits of a double, so that longer numbers stay text. */
function toNumber(type: ExportColumn<never>['type'], value: ExportValue): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || (type !== 'count' && type !== 'number')) return null;
  const number = Number(value);
  return Number.isSafeInteger(number) && String(number) === value ? number : null;
}

/** Days since Excel's first one, as the clock shows the instant; null for what its calendar lacks. */
function toSerial(epochMs: number | null, clock: ZoneMoments): number | null {
  if (epochMs === null) return null;
  const clockMs = clock.toClockMs(epochMs);
  if (clockMs < FIRST_MS || clockMs >= LAST_MS) return null;
  return (clockMs - EPOCH_MS) / DAY_MS;
}

function cutText(text: string): string {
  const remark = `… [cut: ${text.length} characters]`;
  // No half of a pair is left at the cut.
  const kept = text.slice(0, MAX_CELL_CHARACTERS - remark.length);
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}${remark}`;
}

function escape(text: string): string {
  return text.replace(SPECIAL, (found) => {
    if (found === '&') return '&amp;';
    if (found === '<') return '&lt;';
    if (found === '>') return '&gt;';
    // A bare one would be read as a line feed.
    if (found === '\r') return '&#13;';
    // Excel reads the text that follows as a character.
    return '_x005F_';
  });
}
