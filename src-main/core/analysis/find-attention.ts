import type { Output } from '../../common/contract/index.ts';
import type { Direction } from '../../common/reporting/reports.ts';
import type { FlowMeasure, TrafficFlow } from './engine/find-flows.ts';

type Attention = Output<'overview/read-attention'>[number];

const HOUR_MS = 3_600_000;
const MIN_FAILURES = 20;
const MIN_REQUESTS = 50;
const ERROR_FACTOR = 3;
const SLOWER_FACTOR = 2;

/**
 * What stands out in the last hour against the time before it, by channel and service: the share of failing requests
 * (4xx, 5xx) at least tripled with 20 failures or more, or the average time at least doubled over 50 requests or
 * more. The usual figures need 50 requests too.
 */
export function findAttention(
  direction: Direction,
  { untilMs, flows }: { readonly untilMs: number; readonly flows: readonly TrafficFlow[] },
): Attention[] {
  return flows.flatMap((flow) => {
    const { channel, service } = flow;
    const place = { direction, channel, service, sinceMs: untilMs - HOUR_MS, untilMs };
    return judgeFlow(flow).map((finding) => ({ ...finding, ...place }));
  });
}

type Finding = Pick<Attention, 'kind' | 'recent' | 'usual' | 'count' | 'trend'>;

function judgeFlow({ recent, usual, trend }: TrafficFlow): Finding[] {
  const findings: Finding[] = [];
  if (usual.requests < MIN_REQUESTS) return findings;
  const usualShare = toErrorShare(usual);
  if (recent.failures >= MIN_FAILURES && toErrorShare(recent) >= ERROR_FACTOR * usualShare) {
    findings.push({
      kind: 'errors-up',
      recent: toErrorShare(recent),
      usual: usualShare,
      count: recent.failures,
      trend: trend.map(toErrorShare),
    });
  }
  const usualMs = usual.averageResponseTimeMs;
  const recentMs = recent.averageResponseTimeMs;
  if (recent.requests >= MIN_REQUESTS && usualMs > 0 && recentMs >= SLOWER_FACTOR * usualMs) {
    findings.push({
      kind: 'slower',
      recent: recentMs,
      usual: usualMs,
      count: recent.requests,
      trend: trend.map(({ averageResponseTimeMs }) => averageResponseTimeMs),
    });
  }
  return findings;
}

function toErrorShare({ requests, failures }: FlowMeasure): number {
  return requests === 0 ? 0 : failures / requests;
}
