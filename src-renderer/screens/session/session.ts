import type { SessionRequest } from '../../../src-main/common/model/records/conversation.ts';
import { type CodeClass, toShownClass } from '../../../src-main/common/model/records/record.ts';
import { pickBucketWidth } from '../../../src-main/common/time/civil-time.ts';
import { SECOND_MS } from '../../../src-main/common/time/durations.ts';
import { toVisible } from '../../../src-main/common/words/visible-text.ts';
import { toNiceCeiling } from '../../charts/chart-marks.ts';

/** A wait is folded from this share of all busy time on, and is drawn as long as this share of it at most. */
const FOLD_SHARE = 0.06;
/** All folded waits together are drawn as long as this share of the busy time. */
const ALL_FOLDS_SHARE = 0.5;
const MIN_TICK_DISTANCE = 0.2;
const TICKS = 4;
const MAX_TICKS = 6;

/** A common axis of time for all requests; places are shares of its length, 0 to 1. */
export interface SessionAxis {
  readonly beginMs: number;
  readonly endMs: number;
  /** How long anything ran. */
  readonly busyMs: number;
  toPlace(atMs: number): number;
  /** The time in which nothing ran, where it was long; drawn narrow where waits are folded. */
  readonly waits: readonly Span[];
  /** Waits that are drawn narrow. */
  readonly folds: readonly { readonly place: number; readonly width: number; readonly lengthMs: number }[];
  readonly ticks: readonly { readonly place: number; readonly sinceBeginMs: number }[];
}

interface Piece extends Span {
  /** Where it begins and how long it is on the axis, in drawn milliseconds. */
  readonly drawnFrom: number;
  readonly drawnLength: number;
  readonly isWait: boolean;
  readonly isFold: boolean;
}

/** Lays out the time of a session. With `fold` the time in which nothing ran is narrow. */
export function createSessionAxis(requests: readonly SessionRequest[], fold: boolean): SessionAxis {
  const busy = joinSpans(
    requests.flatMap((request) => [
      { fromMs: request.dateMs, toMs: request.dateMs },
      ...[toLatencySpan(request), toWorkSpan(request)].filter((span) => span !== null),
    ]),
  );
  const busyMs = busy.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  const pieces = layOut(busy, busyMs, fold);
  const last = pieces.at(-1);
  const drawn = Math.max(1, last === undefined ? 0 : last.drawnFrom + last.drawnLength);
  const beginMs = pieces[0]?.fromMs ?? 0;
  const toPlace = (atMs: number): number => {
    const piece = findPiece(pieces, atMs);
    if (piece === undefined) return 0;
    const length = piece.toMs - piece.fromMs;
    const share = length === 0 ? 0 : Math.min(1, Math.max(0, (atMs - piece.fromMs) / length));
    return (piece.drawnFrom + share * piece.drawnLength) / drawn;
  };
  const folds = pieces.flatMap((piece) =>
    piece.isFold
      ? {
          place: piece.drawnFrom / drawn,
          width: piece.drawnLength / drawn,
          lengthMs: piece.toMs - piece.fromMs,
        }
      : [],
  );
  const waits = pieces.flatMap(({ isWait, fromMs, toMs }) => (isWait ? [{ fromMs, toMs }] : []));
  const endMs = last?.toMs ?? 0;
  const starts =
    folds.length > 0
      ? pieces.flatMap(({ isFold, fromMs }) => (isFold ? [] : fromMs - beginMs))
      : listRoundTimes(endMs - beginMs);
  const ticks: { place: number; sinceBeginMs: number }[] = [];
  for (const sinceBeginMs of starts) {
    const place = toPlace(beginMs + sinceBeginMs);
    if (place <= (ticks.at(-1)?.place ?? -1) + MIN_TICK_DISTANCE && ticks.length > 0) continue;
    // A label that begins at the end would leave the axis.
    if (place < 1 - MIN_TICK_DISTANCE / 2) ticks.push({ place, sinceBeginMs });
  }
  return { beginMs, endMs, busyMs, toPlace, waits, folds, ticks };
}

function layOut(busy: readonly Span[], busyMs: number, fold: boolean): Piece[] {
  const isLong = ({ fromMs, toMs }: Span): boolean => toMs - fromMs > busyMs * FOLD_SHARE;
  const waits = busy
    .slice(1)
    .map(({ fromMs }, place) => ({ fromMs: busy[place]?.toMs ?? fromMs, toMs: fromMs }));
  const longCount = waits.filter(isLong).length;
  const foldMs = busyMs * Math.min(FOLD_SHARE, ALL_FOLDS_SHARE / Math.max(1, longCount));
  const pieces: Piece[] = [];
  let drawnFrom = 0;
  const add = (span: Span, isWait: boolean): void => {
    const isFold = isWait && fold && busyMs > 0;
    const drawnLength = isFold ? foldMs : span.toMs - span.fromMs;
    pieces.push({ ...span, drawnFrom, drawnLength, isWait, isFold });
    drawnFrom += drawnLength;
  };
  for (const [place, span] of busy.entries()) {
    const wait = waits[place - 1];
    if (wait !== undefined) add(wait, isLong(wait));
    add(span, false);
  }
  return pieces;
}

/** The last piece that begins at or before a time. */
function findPiece(pieces: readonly Piece[], atMs: number): Piece | undefined {
  let low = 0;
  let high = pieces.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pieces[middle]?.fromMs ?? 0) <= atMs) low = middle + 1;
    else high = middle;
  }
  return pieces[Math.max(0, low - 1)];
}

/** Returns round times from 0 to a length, at most six of them: of seconds and more those that people count in. */
function listRoundTimes(lengthMs: number): number[] {
  const stepMs =
    lengthMs > TICKS * SECOND_MS
      ? pickBucketWidth(lengthMs, MAX_TICKS - 1)
      : toNiceCeiling(Math.max(1, lengthMs) / TICKS);
  return Array.from({ length: Math.floor(lengthMs / stepMs) + 1 }, (_, place) => place * stepMs);
}

/** One line of the waterfall. */
export type SessionLine =
  | { readonly kind: 'request'; readonly request: SessionRequest; readonly place: number }
  /** What went wrong in the request above, over the whole width. */
  | { readonly kind: 'error'; readonly text: string; readonly place: number }
  /** Nothing ran; `next` is what ended it. */
  | { readonly kind: 'wait'; readonly span: Span; readonly next: SessionRequest['direction'] }
  /** Outbound requests of the message above may be missing. */
  | { readonly kind: 'gap'; readonly span: Span };

/** Returns the lines of a session: its requests and their errors, the waits between them, and what is not cached of what they caused. */
export function listLines(
  requests: readonly SessionRequest[],
  waits: readonly Span[],
  gaps: readonly Span[],
): SessionLine[] {
  const lines: SessionLine[] = [];
  let nextWait = 0;
  for (const [place, request] of requests.entries()) {
    const span = waits[nextWait];
    if (span !== undefined && request.dateMs >= span.toMs) {
      lines.push({ kind: 'wait', span, next: request.direction });
      nextWait += 1;
    }
    lines.push({ kind: 'request', request, place });
    const text = toVisible(request.error).trim();
    if (text !== '') lines.push({ kind: 'error', text, place });
    const work = request.direction === 'inbound' ? toWorkSpan(request) : null;
    const [gap] = work === null ? [] : clipSpans(gaps, work);
    if (gap !== undefined) lines.push({ kind: 'gap', span: gap });
  }
  return lines;
}

/** A message with what it caused: from its own place up to that of the next one, exclusive. */
interface MessagePlaces {
  readonly first: number;
  readonly end: number;
}

/** Returns the message that a request belongs to, by the order of time. */
export function findMessage(requests: readonly SessionRequest[], place: number): MessagePlaces | null {
  if (requests[place] === undefined) return null;
  let first = place;
  while (first > 0 && requests[first]?.direction === 'outbound') first -= 1;
  let end = place + 1;
  while (requests[end]?.direction === 'outbound') end += 1;
  return { first, end };
}

const MIN_BAR_PX = 2;

/** Bars of one colour in one lane, as the path of an SVG in pixels. */
interface StripBars {
  readonly direction: SessionRequest['direction'];
  readonly colour: CodeClass | 'latency';
  readonly path: string;
}

/** Height and top of the bars of a lane. */
type StripLanes = Readonly<
  Record<SessionRequest['direction'], { readonly y: number; readonly height: number }>
>;

/** Returns the bars of a session on a straight axis: one path for each colour, however many requests there are. */
export function drawStrip(
  requests: readonly SessionRequest[],
  whole: Span,
  widthPx: number,
  lanes: StripLanes,
): StripBars[] {
  const toX = createPlace(whole, widthPx);
  const paths = new Map<
    string,
    { readonly direction: SessionRequest['direction']; colour: StripBars['colour']; path: string }
  >();
  const add = (direction: SessionRequest['direction'], colour: StripBars['colour'], span: Span): void => {
    const { y, height } = lanes[direction];
    const x = Math.min(toX(span.fromMs), widthPx - MIN_BAR_PX);
    const width = Math.max(MIN_BAR_PX, toX(span.toMs) - x);
    const key = `${direction} ${colour}`;
    const own = paths.get(key) ?? { direction, colour, path: '' };
    own.path += `M${round(x)} ${y}h${round(width)}v${height}h${round(-width)}z`;
    paths.set(key, own);
  };
  for (const request of requests) {
    const latency = toLatencySpan(request);
    if (latency !== null && latency.toMs > latency.fromMs) add(request.direction, 'latency', latency);
    const at = { fromMs: request.dateMs, toMs: request.dateMs };
    add(request.direction, toShownClass(request.outcome, request.responseCode), toWorkSpan(request) ?? at);
  }
  return [...paths.values()];
}

/** Returns where times lie on the strip. */
export function createPlace({ fromMs, toMs }: Span, widthPx: number): (atMs: number) => number {
  const lengthMs = Math.max(1, toMs - fromMs);
  return (atMs) => Math.min(1, Math.max(0, (atMs - fromMs) / lengthMs)) * widthPx;
}

/** Round times of the strip, with their place as a share; the last has room for its words. */
export function listStripTicks({
  fromMs,
  toMs,
}: Span): { readonly place: number; readonly sinceBeginMs: number }[] {
  const lengthMs = Math.max(1, toMs - fromMs);
  return listRoundTimes(lengthMs)
    .map((sinceBeginMs) => ({ place: sinceBeginMs / lengthMs, sinceBeginMs }))
    .filter(({ place }) => place <= 0.95);
}

/** Returns what some requests span together; null of none. */
export function spanAll(requests: readonly SessionRequest[]): Span | null {
  const spans = requests.flatMap((request) => [
    { fromMs: request.dateMs, toMs: request.dateMs },
    ...[toLatencySpan(request), toWorkSpan(request)].filter((span) => span !== null),
  ]);
  return spans.length === 0
    ? null
    : {
        fromMs: spans.reduce((least, { fromMs }) => Math.min(least, fromMs), Infinity),
        toMs: spans.reduce((most, { toMs }) => Math.max(most, toMs), -Infinity),
      };
}

/** The place of the last request that began by a time, or of the first one. */
export function findAt(requests: readonly SessionRequest[], atMs: number): number {
  const place = requests.findLastIndex(
    (request) => (toLatencySpan(request)?.fromMs ?? request.dateMs) <= atMs,
  );
  return Math.max(0, place);
}

function round(value: number): string {
  return value.toFixed(1);
}

/** Milliseconds [fromMs, toMs]. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns the time that a message took to reach the connector; null where the record doesn't say. */
export function toLatencySpan({ dateMs, botLatencyMs }: SessionRequest): Span | null {
  if (botLatencyMs === null || botLatencyMs < 0) return null;
  return { fromMs: dateMs - botLatencyMs, toMs: dateMs };
}

/** Returns the time that a request took from its date on; null where the record doesn't say. */
export function toWorkSpan({ dateMs, responseTimeMs }: SessionRequest): Span | null {
  if (responseTimeMs === null || responseTimeMs < 0) return null;
  return { fromMs: dateMs, toMs: dateMs + responseTimeMs };
}

/** Returns spans in order, those that touch joined. */
export function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.fromMs - b.fromMs)) {
    const last = joined.at(-1);
    if (last === undefined || span.fromMs > last.toMs) joined.push(span);
    else if (span.toMs > last.toMs) joined[joined.length - 1] = { fromMs: last.fromMs, toMs: span.toMs };
  }
  return joined;
}

/** Returns the parts of joined spans that lie within another one. */
export function clipSpans(joined: readonly Span[], { fromMs, toMs }: Span): Span[] {
  const parts: Span[] = [];
  for (let place = findFirst(joined, (span) => span.toMs > fromMs); place < joined.length; place += 1) {
    const span = joined[place];
    if (span === undefined || span.fromMs >= toMs) break;
    parts.push({ fromMs: Math.max(fromMs, span.fromMs), toMs: Math.min(toMs, span.toMs) });
  }
  return parts;
}

/** A message: when it was on its way and worked on, and when requests ran that began meanwhile. */
export interface Message {
  readonly latency: Span | null;
  readonly work: Span | null;
  /** Joined, and within its work: what ran on after it is no part of it. */
  readonly service: readonly Span[];
  /** Of those requests, the ones that began while another message was worked on too: whose they are isn't known. */
  readonly sharedCount: number;
}

/**
 * Returns the message at each place of requests in the order of time; null for outbound ones. Records don't name the
 * message that a request was sent for: it belongs to each in whose work it began.
 */
export function listMessages(requests: readonly SessionRequest[]): (Message | null)[] {
  const outbound = requests.filter(({ direction }) => direction === 'outbound');
  const works = requests.flatMap((request) =>
    request.direction === 'inbound' ? (toWorkSpan(request) ?? []) : [],
  );
  const begins = works.map(({ fromMs }) => fromMs);
  const ends = works.map(({ toMs }) => toMs).sort((a, b) => a - b);
  const isShared = ({ dateMs }: SessionRequest): boolean =>
    findFirst(begins, (atMs) => atMs > dateMs) - findFirst(ends, (atMs) => atMs > dateMs) > 1;
  return requests.map((request) => {
    if (request.direction === 'outbound') return null;
    const work = toWorkSpan(request);
    const own =
      work === null
        ? []
        : outbound.slice(
            findFirst(outbound, ({ dateMs }) => dateMs >= work.fromMs),
            findFirst(outbound, ({ dateMs }) => dateMs >= work.toMs),
          );
    const service = joinSpans(own.flatMap((one) => toWorkSpan(one) ?? []));
    return {
      latency: toLatencySpan(request),
      work,
      service: work === null ? [] : clipSpans(service, work),
      sharedCount: own.filter(isShared).length,
    };
  });
}

/** Where the time of messages went, as their records say it, in milliseconds. Each moment is counted once. */
interface MessageTimes {
  /** On the way to the connector, without the work on another message meanwhile. */
  readonly beforeMs: number;
  /** The work without that in which a request of the message ran, or may have run. */
  readonly insideMs: number;
  readonly serviceMs: number;
  /** The work of which it is not known whether a request ran. */
  readonly unknownMs: number;
}

/** Adds up where the time of one message or of many went. Outbound records of `gaps` are not cached. */
export function measureTimes(messages: readonly (Message | null)[], gaps: readonly Span[]): MessageTimes {
  const known = messages.filter((message) => message !== null);
  const work = joinSpans(known.flatMap((message) => message.work ?? []));
  const service = joinSpans(known.flatMap((message) => message.service));
  const latency = known.flatMap((message) => message.latency ?? []);
  const workMs = sumUp(work);
  const serviceMs = sumUp(service);
  const explained = joinSpans([...service, ...work.flatMap((span) => clipSpans(gaps, span))]);
  const explainedMs = sumUp(explained);
  return {
    beforeMs: sumUp(joinSpans([...work, ...latency])) - workMs,
    insideMs: workMs - explainedMs,
    serviceMs,
    unknownMs: explainedMs - serviceMs,
  };
}

/** Returns how long outbound requests ran outside the work of the messages that they belong to. */
export function measureOutside(
  requests: readonly SessionRequest[],
  messages: readonly (Message | null)[],
): number {
  const outbound = requests.filter(({ direction }) => direction === 'outbound');
  return (
    sumUp(joinSpans(outbound.flatMap((request) => toWorkSpan(request) ?? []))) -
    sumUp(joinSpans(messages.flatMap((message) => message?.service ?? [])))
  );
}

/** The first place of an ordered list from which on something holds; its length where it never does. */
function findFirst<Item>(list: readonly Item[], holds: (item: Item) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = list[middle];
    if (item !== undefined && !holds(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sumUp(spans: readonly Span[]): number {
  return spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
}
