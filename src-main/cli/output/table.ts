import { toTerminalText } from './terminal-text.ts';

export type Cell = string | number | boolean | null;

/** Wider cells are cut: `--json` has all of them. */
const MAX_CELL = 60;
/** Characters that take two columns: East Asian scripts and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Emoji_Presentation}/u;
const segments = new Intl.Segmenter('en', { granularity: 'grapheme' });

interface Shown {
  readonly text: string;
  readonly width: number;
}

function show(cell: Cell): Shown {
  if (cell === null) return { text: '', width: 0 };
  const whole = typeof cell === 'string' ? toTerminalText(cell.slice(0, MAX_CELL * 8)) : String(cell);
  let text = '';
  let width = 0;
  for (const { segment } of segments.segment(whole)) {
    const wide = WIDE.test(segment) ? 2 : 1;
    if (width + wide > MAX_CELL) return { text: `${text}…`, width: width + 1 };
    text += segment;
    width += wide;
  }
  return { text, width };
}

/** Returns a table for people, one line for each row: numbers to the right, columns as wide as what they hold. */
export function toTable(names: readonly string[], rows: readonly (readonly Cell[])[]): string[] {
  const head = names.map((name) => show(name));
  const shown = rows.map((row) => names.map((_name, column) => show(row[column] ?? null)));
  const widths = head.map(({ width }, column) =>
    shown.reduce((widest, row) => Math.max(widest, row[column]?.width ?? 0), width),
  );
  const isNumber = names.map(
    (_name, column) =>
      rows.length > 0 && rows.every((row) => row[column] === null || typeof row[column] === 'number'),
  );
  return [head, ...shown].map((row) =>
    row
      .map(({ text, width }, column) => {
        const space = ' '.repeat((widths[column] ?? 0) - width);
        return isNumber[column] === true ? space + text : text + space;
      })
      .join('  ')
      .trimEnd(),
  );
}
