import type { SessionRequest } from '../../../src-main/common/model/records/session.ts';
import { toNiceCeiling } from '../../charts/log-scale.ts';
import { joinSpans, toLatencySpan, toWorkSpan, type Span } from './session-times.ts';

/** A wait is folded from this share of all busy time on, and is drawn as long as this share of it at most. */
const FOLD_SHARE = 0.06;
/** All folded waits together are drawn as long as this share of the busy time. */
const ALL_FOLDS_SHARE = 0.5;
const MIN_TICK_DISTANCE = 0.2;
const TICKS = 4;

/** A common axis of time for all requests; places are shares of its length, 0 to 1. */
export interface SessionAxis {
  readonly beginMs: number;
  toPlace(atMs: number): number;
  /** Waits that are drawn narrow. */
  readonly folds: readonly { readonly place: number; readonly width: number; readonly lengthMs: number }[];
  readonly ticks: readonly { readonly place: number; readonly sinceBeginMs: number }[];
}

interface Piece extends Span {
  /** Where it begins and how long it is on the axis, in drawn milliseconds. */
  readonly drawnFrom: number;
  readonly drawnLength: number;
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
  const pieces = layOut(busy, fold);
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
  return { beginMs, toPlace, folds, ticks };
}

function layOut(busy: readonly Span[], fold: boolean): Piece[] {
  const busyMs = busy.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  const waits = busy.slice(1).map(({ fromMs }, place) => fromMs - (busy[place]?.toMs ?? fromMs));
  const folded = fold && busyMs > 0 ? waits.filter((waitMs) => waitMs > busyMs * FOLD_SHARE).length : 0;
  const foldMs = busyMs * Math.min(FOLD_SHARE, ALL_FOLDS_SHARE / Math.max(1, folded));
  const pieces: Piece[] = [];
  let drawnFrom = 0;
  const add = ({ fromMs, toMs }: Span, isFold: boolean): void => {
    const drawnLength = isFold ? foldMs : toMs - fromMs;
    pieces.push({ fromMs, toMs, drawnFrom, drawnLength, isFold });
    drawnFrom += drawnLength;
  };
  for (const [place, span] of busy.entries()) {
    const before = busy[place - 1];
    if (before !== undefined) {
      const wait = { fromMs: before.toMs, toMs: span.fromMs };
      add(wait, folded > 0 && wait.toMs - wait.fromMs > busyMs * FOLD_SHARE);
    }
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

function listRoundTimes(lengthMs: number): number[] {
  const stepMs = toNiceCeiling(Math.max(1, lengthMs) / TICKS);
  return Array.from({ length: Math.floor(lengthMs / stepMs) + 1 }, (_, place) => place * stepMs);
}
