import type { SessionRequest } from '../../../src-main/common/model/records/conversation.ts';

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
export interface MessageTimes {
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
