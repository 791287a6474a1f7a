import type { SessionRequest } from '../../../src-main/common/model/records/session.ts';
import { toVisible } from '../../../src-main/common/words/visible-text.ts';
import { clipSpans, toWorkSpan, type Span } from './session-times.ts';

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
export interface MessagePlaces {
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
