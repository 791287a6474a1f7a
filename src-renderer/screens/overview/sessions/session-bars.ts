import type { TrafficGroup } from '../../../../src-main/common/reporting/wire-documents.ts';

export type SessionGrouping = 'pair' | 'channel' | 'service' | 'division';

export interface SessionBar {
  readonly key: string;
  readonly division: number | null;
  readonly channel: number | null;
  readonly service: number | null;
  readonly sessions: number;
  /** Of all sessions, 0 to 1. */
  readonly share: number;
  /** Of the longest bar, 0 to 1. */
  readonly length: number;
}

interface SessionBars {
  readonly bars: readonly SessionBar[];
  /** Number of groups beyond the limit, and of their sessions. */
  readonly restGroups: number;
  readonly restSessions: number;
  readonly total: number;
}

/** Sessions by channel and service, or by one of channel, service and division, most first; all else is joined. */
export function toSessionBars(
  traffic: readonly TrafficGroup[],
  grouping: SessionGrouping,
  limit: number,
): SessionBars {
  const groups = new Map<string, Omit<SessionBar, 'key' | 'share' | 'length'>>();
  for (const entry of traffic) {
    const division = grouping === 'division' ? entry.Division : null;
    const channel = grouping === 'channel' || grouping === 'pair' ? entry.Channel : null;
    const service = grouping === 'service' || grouping === 'pair' ? entry.Service : null;
    const key = `${String(division)}/${String(channel)}/${String(service)}`;
    const sessions = (groups.get(key)?.sessions ?? 0) + entry.Sessions;
    groups.set(key, { division, channel, service, sessions });
  }
  const sorted = [...groups].sort(([, a], [, b]) => b.sessions - a.sessions);
  const total = sorted.reduce((sum, [, group]) => sum + group.sessions, 0);
  const longest = Math.max(1, sorted[0]?.[1].sessions ?? 0);
  const rest = sorted.slice(limit);
  return {
    bars: sorted.slice(0, limit).map(([key, group]) => ({
      key,
      ...group,
      share: total === 0 ? 0 : group.sessions / total,
      length: group.sessions / longest,
    })),
    restGroups: rest.length,
    restSessions: rest.reduce((sum, [, group]) => sum + group.sessions, 0),
    total,
  };
}

/** All sessions of all groups. */
export function countSessions(traffic: readonly TrafficGroup[]): number {
  return traffic.reduce((sum, { Sessions }) => sum + Sessions, 0);
}
