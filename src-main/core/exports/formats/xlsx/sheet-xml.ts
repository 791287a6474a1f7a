import { DAY_MS } from '../../../../common/time/durations.ts';
import type { ExportColumn, ExportValue } from '../../export-columns.ts';
import { createTextCleaner } from '../replace-unwritable.ts';
import { createZoneMoments, type ZoneMoments } from '../zone-moments.ts';

/** Excel's limits. */
export const MAX_CELL_CHARACTERS = 32_767;
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
export interface SheetWriter<Row> {
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
export function createSheetWriter<Row>(columns: readonly ExportColumn<Row>[]): SheetWriter<Row> {
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
export function toLetters(place: number): string {
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
