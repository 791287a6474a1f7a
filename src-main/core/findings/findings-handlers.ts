import type { HandlersOf } from '../../common/contract/index.ts';
import type { FindingsReport } from '../../common/model/analysis/finding.ts';
import { DETAIL_KINDS } from '../../common/reporting/reports.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import { listSetAside } from '../../common/model/connections/planned-spans.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import { carryIds, type Identified } from '../analysis/findings/carry-ids.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { Cache } from '../cache/cache.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Ledger } from '../coverage/create-ledger.ts';
import type { ListWaits } from './list-waits.ts';
import { readFindings, readPeriodFindings } from './read-findings.ts';
import { withoutDismissed } from './to-incidents.ts';

/** What is still told, or was until so long ago, lends its id to what it turns out to be. */
const REMEMBERED_MS = 7 * DAY_MS;

/** The handlers of `findings/…`. */
export function createFindingsHandlers(parts: {
  readonly cache: Cache;
  readonly engine: Engine;
  readonly ledger: Pick<Ledger, 'read' | 'readExtent'>;
  readonly connections: Pick<ConnectionStore, 'get'>;
  readonly waits: ListWaits;
  now(): number;
}): HandlersOf<'findings'> {
  const { connections } = parts;
  const told = new Map<string, readonly Identified[]>();
  return {
    'findings/list': async ({ connectionId, period, listId }): Promise<FindingsReport> => {
      const nowMs = parts.now();
      const { incidents: notes = [], plans } = connections.get(connectionId);
      if (period !== undefined) {
        const setAside = listSetAside(plans, period);
        const { findings, resolved, untilMs, gaps, noticed } = await parts.waits.run(listId, (signal) =>
          readPeriodFindings(parts, connectionId, nowMs, { ...period, setAside, signal }),
        );
        const said = noticed === undefined ? {} : { noticed };
        return withoutDismissed({ findings, resolved, untilMs, gaps, ...said }, notes);
      }
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
    'findings/stop-list': ({ listId }) => {
      parts.waits.stop(listId);
      return null;
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
