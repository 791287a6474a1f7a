import type { ChartConfiguration } from 'chart.js';
import { listFieldsWith } from '../../../../src-main/common/model/records/record-fields.ts';
import type { FieldCondition, FilterField } from '../../../../src-main/common/model/records/record-filter.ts';
import {
  SQL_SHOWN_CHARACTERS,
  type SqlCell,
  type SqlColumn,
  type SqlQuestion,
} from '../../../../src-main/common/model/records/sql.ts';
import { DIRECTIONS } from '../../../../src-main/common/reporting/reports.ts';
import { findSqlColumn } from '../../../../src-main/common/sql/filter-statement.ts';
import { fromCivilTime, utcMsToCivil } from '../../../../src-main/common/time/civil-time.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../src-main/common/time/durations.ts';
import type { TimeSpan } from '../../../../src-main/common/time/time-span.ts';
import {
  CHART_FONT,
  CHART_OPTIONS,
  type ChartColour,
  type ChartColours,
  formatAxisCount,
  setPointer,
  toTooltipStyle,
} from '../../../charts/chart-style.ts';
import { toAddress } from '../../../filters/filter.ts';
import { toPeriodText } from '../../../period/period-selection.ts';
import { findTables } from '../editor/complete-sql.ts';

/** What of a result a chart draws; columns by their place. */
export interface ChartChoice {
  readonly over: number;
  /** A series for each value of this column; null for a series for each column of numbers. */
  readonly split: number | null;
  /** The only column of numbers that is drawn; null for all of them. */
  readonly measure: number | null;
}

/** Numbers in columns of these names say which, not how many: none is drawn as a height. */
const NAMING = new Set(['channel', 'service', 'response_code', 'action_id', 'division']);

const isNaming = ({ name, kind }: SqlColumn): boolean => kind !== 'number' || NAMING.has(name.toLowerCase());

/** Years, times in numbers and the like, in whatever a column is called. */
const NOT_COUNTED = /(?:^|[^a-z])(?:id|code|year\w*|isoyear|epoch\w*|hash|julian)(?:[^a-z]|$)/i;

/** True for a column of numbers that say how many or how much; a code or a year is read without separators. */
export function isAmount(column: SqlColumn): boolean {
  return !isNaming(column) && !NOT_COUNTED.test(column.name);
}

/** Returns the columns that can be drawn as heights, and those by which a chart can be split. */
export function listChartColumns(
  columns: readonly SqlColumn[],
  over: number,
): { readonly measures: readonly number[]; readonly parts: readonly number[] } {
  const places = [...columns.keys()].filter((place) => place !== over);
  const find = (fits: (column: SqlColumn) => boolean): number[] =>
    places.filter((place) => {
      const column = columns[place];
      return column !== undefined && fits(column);
    });
  const measures = find((column) => !isNaming(column));
  // Where nothing else is there to draw, such a number is what was asked for.
  return measures.length > 0
    ? { measures, parts: find(isNaming) }
    : {
        measures: find(({ kind }) => kind === 'number'),
        parts: find(({ kind }) => kind !== 'number'),
      };
}

/**
 * Returns how a result is drawn at first: over its first column of times, else over its first one. Where values of that
 * come more than once, by the first column that tells their rows apart.
 */
export function suggestChoice(
  columns: readonly SqlColumn[],
  rows: readonly (readonly SqlCell[])[],
): ChartChoice {
  const over = Math.max(
    0,
    columns.findIndex(({ kind }) => kind === 'time'),
  );
  const { measures, parts } = listChartColumns(columns, over);
  if (isUnique(rows, [over])) return { over, split: null, measure: null };
  const split = parts.find((part) => isUnique(rows, [over, part])) ?? null;
  return { over, split, measure: split === null ? null : (measures[0] ?? null) };
}

/** True when no two rows have the same values in these columns. */
function isUnique(rows: readonly (readonly SqlCell[])[], places: readonly number[]): boolean {
  return new Set(rows.map((row) => JSON.stringify(places.map((place) => row[place])))).size === rows.length;
}

/** Rows whose points can be told apart on a screen. */
export const MAX_CHART_POINTS = 5000;
/** Series that can be told apart by their colours. */
const MAX_SERIES = 8;

interface ChartSeries {
  readonly name: string;
  /** The value that it stands for; absent where it stands for a column. */
  readonly value?: SqlCell;
  readonly values: readonly (number | null)[];
  /** The row that each value is of. */
  readonly rows: readonly (readonly SqlCell[] | null)[];
}

export interface ResultChart {
  readonly kind: 'line' | 'bar';
  readonly labels: readonly string[];
  readonly series: readonly ChartSeries[];
  /** Columns of numbers, or values, beyond those that are drawn. */
  readonly leftOut: number;
}

/** Why a result can't be drawn. */
type ChartFault = 'empty' | 'one-column' | 'no-numbers' | 'too-many' | 'repeated';

interface Drawn {
  readonly columns: readonly SqlColumn[];
  readonly rows: readonly (readonly SqlCell[])[];
  readonly choice: ChartChoice;
  /** What a value is called. */
  readonly toName: (column: SqlColumn, value: SqlCell) => string;
}

/** Returns a result as a chart; else why it can't be drawn. */
export function toResultChart(drawn: Drawn, rowCount: number): ResultChart | ChartFault {
  const { columns, rows, choice } = drawn;
  const { over, split } = choice;
  if (rowCount === 0) return 'empty';
  if (columns.length < 2) return 'one-column';
  if (rowCount > MAX_CHART_POINTS) return 'too-many';
  const { measures } = listChartColumns(columns, over);
  if (measures.length === 0) return 'no-numbers';
  if (split === null) return drawColumns(drawn, measures);
  // Which of two values for one point is meant is not known, and a sum need not mean anything.
  return isUnique(rows, [over, split])
    ? drawValues(drawn, split, choice.measure ?? measures[0] ?? over)
    : 'repeated';
}

function drawColumns(drawn: Drawn, measures: readonly number[]): ResultChart {
  const { columns, choice } = drawn;
  const shown = choice.measure === null ? measures : measures.filter((place) => place === choice.measure);
  const rows = toOrder(drawn);
  const isOnce = isUnique(rows, [choice.over]);
  const parts = isOnce ? [] : listChartColumns(columns, choice.over).parts;
  const labels = rows.map((row) =>
    [choice.over, ...parts].map((place) => toLabel(drawn, place, row[place])).join(' · '),
  );
  const isTime = columns[choice.over]?.kind === 'time' && isOnce;
  const filled = isTime ? fillTimes(labels) : labels;
  const rowOf = new Map(rows.map((row, place) => [isTime ? labels[place] : place, row]));
  const filledRows = filled.map((label, place) => rowOf.get(isTime ? label : place) ?? null);
  return {
    kind: isTime ? 'line' : 'bar',
    labels: filled,
    series: shown.slice(0, MAX_SERIES).map((measure) => ({
      name: columns[measure]?.name ?? '',
      values: filledRows.map((row) => toNumber(row?.[measure])),
      rows: filledRows,
    })),
    leftOut: Math.max(0, shown.length - MAX_SERIES),
  };
}

/** A series for each value of a column, those with the largest sums first. */
function drawValues(drawn: Drawn, split: number, measure: number): ResultChart {
  const { columns, choice } = drawn;
  const rows = toOrder(drawn);
  const isTime = columns[choice.over]?.kind === 'time';
  const distinct = [...new Set(rows.map((row) => toLabel(drawn, choice.over, row[choice.over])))];
  const labels = isTime ? fillTimes(distinct) : distinct;
  const series = [...Map.groupBy(rows, (row) => row[split] ?? null)].map(([value, ofValue]) => {
    const byLabel = new Map(ofValue.map((row) => [toLabel(drawn, choice.over, row[choice.over]), row]));
    const shown = labels.map((label) => byLabel.get(label) ?? null);
    const values = shown.map((row) => toNumber(row?.[measure]));
    const sum = values.reduce<number>((total, each) => total + (each ?? 0), 0);
    return { own: { name: toSeriesName(drawn, split, value), value, values, rows: shown }, sum };
  });
  const ranked = series.sort((a, b) => b.sum - a.sum);
  return {
    kind: isTime ? 'line' : 'bar',
    labels,
    series: ranked.slice(0, MAX_SERIES).map(({ own }) => own),
    leftOut: Math.max(0, ranked.length - MAX_SERIES),
  };
}

/** Time goes from left to right, whatever the order of the rows. */
function toOrder({ columns, rows, choice: { over } }: Drawn): readonly (readonly SqlCell[])[] {
  if (columns[over]?.kind !== 'time') return rows;
  return rows.toSorted((a, b) => {
    const [first, second] = [String(a[over] ?? ''), String(b[over] ?? '')];
    return first < second ? -1 : first > second ? 1 : 0;
  });
}

function toLabel({ columns, toName }: Drawn, place: number, cell: SqlCell | undefined): string {
  const column = columns[place];
  return cell === null || cell === undefined || column === undefined ? '–' : toName(column, cell);
}

/** A bare number would not say what it is one of. */
function toSeriesName(drawn: Drawn, place: number, value: SqlCell): string {
  const label = toLabel(drawn, place, value);
  const column = drawn.columns[place];
  return column?.kind === 'number' && label === String(value) ? `${column.name} ${label}` : label;
}

function toNumber(cell: SqlCell | undefined): number | null {
  if (cell === null || cell === undefined || cell === '') return null;
  const number = Number(cell);
  return Number.isFinite(number) ? number : null;
}

const TIME = /^\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d{1,3})?)?$/;
/** More would not be told apart. */
const MAX_FILLED = 2000;

/**
 * Returns times in their order with those that are missing among them, so that an hour without rows leaves a gap. Times
 * that don't follow one another at equal distances are returned as they are.
 */
export function fillTimes(times: readonly string[]): readonly string[] {
  const [first = ''] = times;
  if (times.length < 3 || !times.every((time) => TIME.test(time) && time.length === first.length))
    return times;
  const instants = times.map((time) =>
    Date.parse(`${time.replace(' ', 'T')}${time.includes(' ') ? '' : 'T00:00:00'}Z`),
  );
  const stepMs = instants
    .slice(1)
    .reduce((least, at, place) => Math.min(least, at - (instants[place] ?? at)), Infinity);
  const [beginMs = 0] = instants;
  const count = ((instants.at(-1) ?? beginMs) - beginMs) / stepMs + 1;
  const isEven = stepMs > 0 && instants.every((at) => (at - beginMs) % stepMs === 0);
  if (!isEven || count > MAX_FILLED) return times;
  const filled = Array.from({ length: count }, (_, place) => {
    const text = new Date(beginMs + place * stepMs)
      .toISOString()
      .replace('T', ' ')
      .replace(/(\.000)?Z$/, '');
    return text.slice(0, first.length);
  });
  // A time whose text is another one's would lose its row.
  return times.every((time) => filled.includes(time)) ? filled : times;
}

const MAX_POINT_MARKS = 60;
/** One long name would leave no room for those beside it; the tip has it whole. */
const MAX_TICK_CHARACTERS = 20;

/** Everything that Chart.js needs to draw a result, its series in the colours given. Names and labels are drawn as text. */
export function toResultChartConfig(
  chart: ResultChart,
  seriesColours: readonly ChartColour[],
  colours: ChartColours,
  /** What a click on a value does; null where none leads anywhere. */
  pick: ((series: number, place: number) => void) | null,
): ChartConfiguration<'bar' | 'line', (number | null)[], string> {
  const { kind, labels, series } = chart;
  const ticks = { color: colours.faint, font: CHART_FONT };
  return {
    type: kind,
    data: {
      labels: [...labels],
      datasets: series.map(({ name, values }, place) => {
        const colour = colours[seriesColours[place] ?? 'others'];
        return {
          type: kind,
          label: name,
          data: [...values],
          backgroundColor: colour,
          hoverBackgroundColor: colour,
          borderColor: colour,
          borderWidth: kind === 'line' ? 2 : 0,
          ...(kind === 'line'
            ? { pointRadius: values.length > MAX_POINT_MARKS ? 0 : 2 }
            : { borderRadius: 2 }),
        };
      }),
    },
    options: {
      ...CHART_OPTIONS,
      interaction: { mode: 'index', intersect: false },
      onHover: (event, elements) => setPointer(event, pick !== null && elements.length > 0),
      onClick: ({ native }, _elements, drawn) => {
        if (native === null) return;
        // All series of a place light up together; the one that is meant is the nearest.
        const [nearest] = drawn.getElementsAtEventForMode(native, 'nearest', { intersect: false }, false);
        if (nearest !== undefined) pick?.(nearest.datasetIndex, nearest.index);
      },
      scales: {
        x: {
          grid: { display: false },
          ticks: {
            ...ticks,
            maxRotation: 0,
            autoSkip: true,
            autoSkipPadding: 16,
            callback: (value) => toTickText(labels[Number(value)] ?? ''),
          },
        },
        y: {
          beginAtZero: true,
          grid: { color: colours.grid },
          border: { display: false },
          ticks: { ...ticks, callback: (value) => formatAxisCount(Number(value)) },
        },
      },
      plugins: { legend: { display: false }, tooltip: toTooltipStyle(colours) },
    },
  };
}

function toTickText(label: string): string {
  return label.length > MAX_TICK_CHARACTERS ? `${label.slice(0, MAX_TICK_CHARACTERS - 1)}…` : label;
}

/** Columns that hold, under their own name, what records can be filtered by. */
const FIELDS: ReadonlyMap<string, FilterField> = new Map(
  DIRECTIONS.flatMap((direction) =>
    [...listFieldsWith('joined'), 'errorFamily' as const].map((field) => [
      findSqlColumn(field, direction)?.name ?? '',
      field,
    ]),
  ),
);
const OWNER_COLUMN = 'connection_id';
const UNITS: Readonly<Record<string, number>> = {
  second: SECOND_MS,
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
};
const CUT = /\bdate_trunc\(\s*'(\w+?)s?'|\btime_bucket\(\s*INTERVAL\s*'?(\d+)\s*(\w+?)s?\b/gi;

/**
 * Returns where the records are shown that a row of a result is about, as far as its columns say which these are; null
 * where they don't, or where the statement reads the records of both directions or of none.
 */
export function toRowRecords(
  { text, fromMs, toMs, zone, otherConnectionIds = [] }: SqlQuestion,
  columns: readonly SqlColumn[],
  row: readonly SqlCell[],
) {
  const tables = [...findTables(text).values()];
  const directions = DIRECTIONS.filter((direction) => tables.some(({ name }) => name === direction));
  const [direction] = directions;
  if (direction === undefined || directions.length > 1) return null;
  // Which of several connections a row is of must be in it.
  const owner = row[columns.findIndex(({ name }) => name === OWNER_COLUMN)];
  if (otherConnectionIds.length > 0 && typeof owner !== 'string') return null;
  const connection = otherConnectionIds.length > 0 ? { connection: String(owner) } : {};
  const named = columns.flatMap(({ name }, place): FieldCondition[] => {
    const field = FIELDS.get(name.toLowerCase());
    const value = row[place];
    // A text that was cut is none that a record has.
    const isCut = typeof value === 'string' && value.length > SQL_SHOWN_CHARACTERS;
    if (field === undefined || value === undefined || typeof value === 'boolean' || isCut) return [];
    return [{ field, values: [value] }];
  });
  const [time, ...otherTimes] = [...columns.keys()].filter((place) => columns[place]?.kind === 'time');
  const span =
    time === undefined || otherTimes.length > 0
      ? null
      : toSpan(String(row[time] ?? ''), readWidth(text), zone);
  const conditions: FieldCondition[] =
    span === null ? named : [...named, { field: 'dateMs', min: span.fromMs, max: span.toMs }];
  if (conditions.length === 0) return null;
  const period = toPeriodText({ kind: 'custom', fromMs, toMs: toMs - SECOND_MS });
  return { name: `${direction}-detail`, query: { ...toAddress({ conditions }), ...connection, period } };
}

/** How long the times are that a statement cuts its records into; null where it says none, or several. */
function readWidth(text: string): number | null {
  const widths = [...text.matchAll(CUT)].map(([, unit, count = '1', each]) => {
    const ms = UNITS[(unit ?? each ?? '').toLowerCase()];
    return ms === undefined ? null : Number(count) * ms;
  });
  const [width] = widths;
  return width !== undefined && widths.every((other) => other === width) ? width : null;
}

/** The time that begins when a clock of the zone shows a text. */
function toSpan(text: string, widthMs: number | null, zone: string): TimeSpan | null {
  const shownMs = Date.parse(`${text.length === 10 ? `${text} 00:00:00` : text}Z`.replace(' ', 'T'));
  if (widthMs === null || Number.isNaN(shownMs)) return null;
  const toInstant = (atMs: number): number => fromCivilTime(utcMsToCivil(atMs), zone);
  return { fromMs: toInstant(shownMs), toMs: toInstant(shownMs + widthMs) };
}
