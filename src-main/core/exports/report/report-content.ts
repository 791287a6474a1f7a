import type { Finding, FindingsGap, NoticedSizes } from '../../../common/model/analysis/finding.ts';
import type { MeasuredGroup, MeasuredGroups, SeriesBucket } from '../../../common/model/analysis/grouping.ts';
import type { Certificate } from '../../../common/model/cache/download.ts';
import type { ErrorFamilies } from '../../../common/model/records/error-family.ts';
import { CODE_CLASSES } from '../../../common/model/records/record.ts';
import type { NamedField, ValueName } from '../../../common/model/records/body-path.ts';
import type { DetailKind } from '../../../common/reporting/reports.ts';
import type { TimeSpan } from '../../../common/time/time-span.ts';
import { toTimeTicks } from '../../../common/words/formats.ts';
import { toVisible } from '../../../common/words/visible-text.ts';
import type { Words } from '../../../common/words/words.ts';
import type { ExportAbout } from '../formats/export-writer.ts';

/** Records between two instants, exclusive of the second, counted by class of response code, and their times. */
export interface ReportBucket extends SeriesBucket {
  /** In the order of CODE_CLASSES. */
  readonly classCounts: readonly number[];
}

/** What of the period is not cached in full. */
interface ReportGap extends TimeSpan {
  readonly state: string;
}

/** What a certificate says, or that the cache can't tell. */
export type ReportCertificate = Certificate | { readonly snapshotId: number };

/** What stands out in a part of the period. */
export interface ReportFindings {
  /** The newest first. */
  readonly list: readonly Finding[];
  /** What was looked at. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Why it can't be said that nothing else stands out. */
  readonly gaps: readonly FindingsGap[];
  /** Where nothing stands out: how large something would have been. */
  readonly noticed?: NoticedSizes;
  /** Findings that are not listed, since a filter leaves records of them out; missing where all are listed. */
  readonly leftOut?: number;
}

/** Everything that a report tells. Times are instants in milliseconds; shares are from 0 to 1. */
export interface ReportContent {
  /** What it is told in. */
  readonly words: Words;
  readonly about: ExportAbout;
  readonly report: DetailKind;
  /** Null for a connection that is gone. */
  readonly connection: { readonly name: string; readonly address: string } | null;
  readonly names: readonly ValueName[];
  readonly applicationVersion: string;
  /** Which records failed is decided by rules of the connection's own. */
  readonly hasOwnRules: boolean;
  readonly fromMs: number;
  readonly toMs: number;
  /** The zone of all times that are shown. */
  readonly zone: string;
  readonly total: MeasuredGroup;
  readonly buckets: readonly ReportBucket[];
  readonly pairs: MeasuredGroups;
  readonly codes: MeasuredGroups;
  readonly families: ErrorFamilies;
  readonly findings: ReportFindings;
  readonly gaps: readonly ReportGap[];
  readonly certificates: readonly ReportCertificate[];
  /** Snapshots whose certificates are not listed. */
  readonly certificatesLeftOut: number;
}

/** Charts are drawn in these units and scaled to the page's width. */
const WIDTH = 1000;
const LEFT = 64;
const RIGHT = 16;
const TOP = 10;
const BOTTOM = 22;
const MAX_TIME_TICKS = 12;
const VALUE_TICKS = 4;
/** A gap that is shorter would not be seen. */
const MIN_GAP_WIDTH = 4;

/** Marks of the code classes, in the order of CODE_CLASSES, as the style sheet names them. */
export const CLASS_NAMES = CODE_CLASSES.map((name) => (name === 'none' ? 'xxx' : name));

/** Where a chart over time draws. */
export interface TimeFrame {
  readonly height: number;
  readonly bottom: number;
  readonly right: number;
  toX(atMs: number): number;
  toY(value: number): number;
}

interface FrameShape {
  readonly height: number;
  /** The largest value that is drawn. */
  readonly max: number;
  /** The largest value that can be: an axis of shares ends at 1. */
  readonly limit?: number;
  /** Says what the picture shows, for those who can't see it. */
  readonly label: string;
  readonly format: (value: number) => string;
}

/** Draws a chart over the report's period: axes, what is not cached hatched, and what `draw` adds. */
export function drawTimeChart(
  { fromMs, toMs, zone, gaps, words }: Pick<ReportContent, 'fromMs' | 'toMs' | 'zone' | 'gaps' | 'words'>,
  { height, max, limit = Infinity, label, format }: FrameShape,
  draw: (frame: TimeFrame) => Markup,
): Markup {
  const ticks = listTicks(max, limit);
  const top = ticks.at(-1) ?? 1;
  const bottom = height - BOTTOM;
  const right = WIDTH - RIGHT;
  const spanMs = Math.max(1, toMs - fromMs);
  const frame: TimeFrame = {
    height,
    bottom,
    right,
    toX: (atMs) => round(LEFT + ((atMs - fromMs) / spanMs) * (right - LEFT)),
    toY: (value) => round(bottom - (Math.min(value, top) / top) * (bottom - TOP)),
  };
  const lines = ticks.map(
    (value) =>
      markup`<line
          class="${value === 0 ? 'base' : 'line'}"
          x1="${LEFT}"
          x2="${right}"
          y1="${frame.toY(value)}"
          y2="${frame.toY(value)}"
        /><text x="${LEFT - 8}" y="${frame.toY(value) + 4}" text-anchor="end">${format(value)}</text>`,
  );
  const times = toTimeTicks({ fromMs, toMs }, zone, MAX_TIME_TICKS, words.formats).map(
    ({ atMs, label: time }) => {
      const x = frame.toX(atMs);
      // A label in the middle would reach over the picture's edge.
      const anchor = x > right - 12 ? 'end' : 'middle';
      return markup`<text x="${x}" y="${height - 6}" text-anchor="${anchor}">${time}</text>`;
    },
  );
  return markup`<svg class="chart" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${label}">
    ${lines}${times}${gaps.filter(isGap).map((gap) => drawGap(gap, frame, words))}${draw(frame)}
  </svg>`;
}

/** What is still open is cached: more may come of it. */
export function isGap({ state }: ReportGap): boolean {
  return state !== 'open';
}

function drawGap({ fromMs, toMs }: ReportGap, { toX, bottom }: TimeFrame, words: Words): Markup {
  const x = toX(fromMs);
  const width = Math.max(MIN_GAP_WIDTH, round(toX(toMs) - x));
  return markup`<rect class="gap" x="${x}" y="${TOP}" width="${width}" height="${bottom - TOP}"
    ><title>${words.t('report.charts.gap')}</title></rect
  >`;
}

/** Round values from 0 to at least `max`, four or five of them. */
export function listTicks(max: number, limit = Infinity): readonly number[] {
  const goal = max > 0 ? max : 1;
  const power = 10 ** Math.floor(Math.log10(goal / VALUE_TICKS));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power * VALUE_TICKS >= goal) ?? 10) * power;
  const count = Math.ceil(Math.min(goal, limit) / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, place) => Number((place * step).toPrecision(12)));
}

/** Enough digits for a picture. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Markup that stands in a document as it is. Only `markup`, `own` and what is written in the source make it. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** What can stand in a template: texts and numbers are escaped, null is nothing. */
export type MarkupPart = Markup | string | number | null | readonly MarkupPart[];

/**
 * Fills a template of HTML or SVG. Every text is escaped, for content and for attributes in double quotes: no value can
 * become markup (rule X-11).
 */
export function markup(strings: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  let text = strings[0] ?? '';
  for (const [place, part] of parts.entries()) text += toText(part) + (strings[place + 1] ?? '');
  return new Markup(text);
}

/**
 * A text from a record, a service or a person: control characters are shown as their pictures, and its direction turns
 * nothing beside it.
 */
export function own(text: string): Markup {
  return new Markup(`<bdi>${escapeHtml(toVisible(text.toWellFormed()))}</bdi>`);
}

/** Fills a message, in which names in braces stand for them, with parts. */
export function fillMarkup(message: string, parts: Readonly<Record<string, MarkupPart>>): Markup {
  const pieces = message
    .split(/\{(\w+)\}/)
    .map((piece, place) => (place % 2 === 1 ? (parts[piece] ?? null) : piece));
  return markup`${pieces}`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for content and for attributes in quotes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

function toText(part: MarkupPart): string {
  if (part === null) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'string') return escapeHtml(toVisible(part.toWellFormed()));
  if (typeof part === 'number') return String(part);
  return part.map(toText).join('');
}

function findName(names: readonly ValueName[], field: NamedField, value: string | number): string | null {
  return names.find((name) => name.field === field && name.value === String(value))?.name ?? null;
}

/** A value with the person's own name before it, where it has one. */
export function toNamedText(names: readonly ValueName[], field: NamedField, value: string | number): string {
  const name = findName(names, field, value);
  return name === null ? String(value) : `${name} ${value}`;
}

/** A number with the person's own name before it, where it has one; a dash where a record has none. */
export function writeNamed(
  names: readonly ValueName[],
  field: NamedField,
  value: string | number | null,
): Markup {
  if (value === null) return markup`<span class="faint">–</span>`;
  const name = findName(names, field, value);
  return name === null ? markup`${value}` : markup`${own(name)} <span class="faint">${value}</span>`;
}

/** The same for several values, the first eight of them. */
export function writeNamedList(
  { names, words }: Pick<ReportContent, 'names' | 'words'>,
  field: NamedField,
  values: readonly number[],
): Markup {
  const shown = values.slice(0, MAX_LISTED);
  const more = values.length - shown.length;
  const parts = shown.map(
    (value, place) => markup`${place === 0 ? '' : ', '}${writeNamed(names, field, value)}`,
  );
  return more === 0
    ? markup`${parts}`
    : fillMarkup(words.t('report.more'), { values: parts, count: words.formats.formatCount(more) });
}

const MAX_LISTED = 8;
