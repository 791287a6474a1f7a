import type { SessionRequest } from '../../../src-main/common/model/records/session.ts';

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
  let low = 0;
  let high = joined.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((joined[middle]?.toMs ?? 0) <= fromMs) low = middle + 1;
    else high = middle;
  }
  const parts: Span[] = [];
  for (let place = low; place < joined.length; place += 1) {
    const span = joined[place];
    if (span === undefined || span.fromMs >= toMs) break;
    parts.push({ fromMs: Math.max(fromMs, span.fromMs), toMs: Math.min(toMs, span.toMs) });
  }
  return parts;
}

/** Returns the times in which outbound requests ran. */
export function listOutboundSpans(requests: readonly SessionRequest[]): Span[] {
  return joinSpans(
    requests.flatMap((request) => (request.direction === 'outbound' ? (toWorkSpan(request) ?? []) : [])),
  );
}

/** Where the time of a session went, as its records say it; in milliseconds. */
export interface SessionTimes {
  readonly beforeMs: number;
  /** The connector's time for messages, without that in which an outbound request ran, or may have run. */
  readonly insideMs: number;
  readonly serviceMs: number;
  /** The connector's time for messages of which it is not known whether an outbound request ran. */
  readonly unknownMs: number;
  /** Records that have no response time. */
  readonly untimedCount: number;
}

/** Adds up where the time went. Requests that ran side by side count each. Outbound records of `gaps` are not cached. */
export function measureTimes(
  requests: readonly SessionRequest[],
  gaps: readonly Span[],
  outbound: readonly Span[] = listOutboundSpans(requests),
): SessionTimes {
  const explained = joinSpans([...outbound, ...gaps]);
  const times = { beforeMs: 0, insideMs: 0, serviceMs: 0, unknownMs: 0, untimedCount: 0 };
  for (const request of requests) {
    const latency = toLatencySpan(request);
    if (latency !== null) times.beforeMs += toLength(latency);
    const work = toWorkSpan(request);
    if (work === null) times.untimedCount += 1;
    else if (request.direction === 'outbound') times.serviceMs += toLength(work);
    else {
      const waitedMs = sumUp(clipSpans(outbound, work));
      const explainedMs = sumUp(clipSpans(explained, work));
      times.unknownMs += explainedMs - waitedMs;
      times.insideMs += toLength(work) - explainedMs;
    }
  }
  return times;
}

function sumUp(spans: readonly Span[]): number {
  return spans.reduce((sum, span) => sum + toLength(span), 0);
}

function toLength({ fromMs, toMs }: Span): number {
  return toMs - fromMs;
}
