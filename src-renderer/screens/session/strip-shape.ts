import { toShownClass, type CodeClass } from '../../../src-main/common/model/records/record.ts';
import type { SessionRequest } from '../../../src-main/common/model/records/session.ts';
import { listRoundTimes } from './session-axis.ts';
import { toLatencySpan, toWorkSpan, type Span } from './session-times.ts';

const MIN_BAR_PX = 2;

/** Bars of one colour in one lane, as the path of an SVG in pixels. */
export interface StripBars {
  readonly direction: SessionRequest['direction'];
  readonly colour: CodeClass | 'latency';
  readonly path: string;
}

/** Height and top of the bars of a lane. */
export type StripLanes = Readonly<
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
