import type { FindingsReport } from '../../common/model/analysis/finding.ts';
import { listSetAside } from '../../common/model/connections/planned-spans.ts';
import { DETAIL_KINDS } from '../../common/reporting/reports.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import { carryIds, type Identified } from '../analysis/findings/carry-ids.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Ledger } from '../coverage/ledger.ts';
import { readFindings } from './read-findings.ts';
import { withoutDismissed } from './to-incidents.ts';

/** What is still told, or was until so long ago, lends its id to what it turns out to be. */
const REMEMBERED_MS = 7 * DAY_MS;

/** What stands out now; the same finding has the same id for all who read it. */
export interface FindingsNow {
  /** Leaves out what a person dismissed. Throws for a connection that is gone. */
  read(connectionId: string): Promise<FindingsReport>;
}

/** Creates what reads the findings of connections, and remembers by which ids they were told. */
export function createFindingsNow(
  parts: Parameters<typeof readFindings>[0] & {
    readonly connections: Pick<ConnectionStore, 'get'>;
    now(): number;
  },
): FindingsNow {
  const told = new Map<string, readonly Identified[]>();
  return {
    read: async (connectionId) => {
      const nowMs = parts.now();
      const { incidents: notes = [], plans } = parts.connections.get(connectionId);
      const setAside = listSetAside(plans, await findShown(parts.ledger, connectionId, nowMs));
      const report = withoutDismissed(await readFindings(parts, connectionId, nowMs, { setAside }), notes);
      const before = told.get(connectionId) ?? [];
      const own = carryIds(before, [...report.findings, ...report.resolved]);
      const ids = new Set(own.map(({ id }) => id));
      const kept = before.filter(({ id, sinceMs }) => !ids.has(id) && sinceMs > nowMs - REMEMBERED_MS);
      told.set(connectionId, [
        ...kept,
        ...own.map(({ id, kind, part, channel, service, sinceMs }) => ({
          id,
          kind,
          part,
          channel,
          service,
          sinceMs,
        })),
      ]);
      const count = report.findings.length;
      return { ...report, findings: own.slice(0, count), resolved: own.slice(count) };
    },
  };
}

/** The days at the end of what is cached, which may be long ago. */
async function findShown(
  ledger: Pick<Ledger, 'readExtent'>,
  connectionId: string,
  nowMs: number,
): Promise<TimeSpan> {
  const extents = await Promise.all(
    DETAIL_KINDS.map((report) => ledger.readExtent({ connectionId, report })),
  );
  const endMs = Math.max(0, ...extents.map((extent) => extent?.toMs ?? 0));
  return { fromMs: Math.min(nowMs, endMs) - REMEMBERED_MS, toMs: nowMs };
}
