import { toCodeClass, type CodeClass, type SessionRequest } from '../../src-main/common/model/record.ts';
import { toNiceCeiling } from '../charts/log-scale.ts';

/** A request of a session on the timeline; positions and widths are shares of its length, 0 to 1. */
export interface SessionBar {
  readonly request: SessionRequest;
  readonly codeClass: CodeClass;
  readonly left: number;
  readonly width: number;
  readonly latencyLeft: number;
  readonly latencyWidth: number;
}

export interface SessionTimeline {
  readonly bars: readonly SessionBar[];
  readonly spanMs: number;
  /** Positions of the ticks, in milliseconds since the session began. */
  readonly ticksMs: readonly number[];
}

/** Writes a share, 0 to 1, as CSS does. */
export function toPercent(share: number): string {
  return `${share * 100}%`;
}

/** Lays out the requests of a session by time. A request begins at its date, after its bot latency. */
export function toSessionTimeline(requests: readonly SessionRequest[]): SessionTimeline {
  const starts = requests.map((request) => request.dateMs - Math.max(0, request.botLatencyMs ?? 0));
  const ends = requests.map((request) => request.dateMs + Math.max(0, request.responseTimeMs ?? 0));
  const beginMs = Math.min(...starts);
  const spanMs = requests.length === 0 ? 0 : Math.max(1, Math.max(...ends) - beginMs);
  const bars = requests
    .map((request): SessionBar => {
      const latencyMs = Math.max(0, request.botLatencyMs ?? 0);
      return {
        request,
        codeClass: toCodeClass(request.responseCode),
        left: (request.dateMs - beginMs) / spanMs,
        width: Math.max(0, request.responseTimeMs ?? 0) / spanMs,
        latencyLeft: (request.dateMs - latencyMs - beginMs) / spanMs,
        latencyWidth: latencyMs / spanMs,
      };
    })
    .sort((a, b) => a.request.dateMs - b.request.dateMs);
  // Three labels at most: more touch each other in the inspector.
  const stepMs = toNiceCeiling(spanMs / 2.5);
  const ticksMs: number[] = [];
  for (let atMs = 0; spanMs > 0 && atMs <= spanMs; atMs += stepMs) ticksMs.push(atMs);
  return { bars, spanMs, ticksMs };
}
