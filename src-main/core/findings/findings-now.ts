import type { FindingsReport } from '../../common/model/analysis/finding.ts';
import { listSetAside } from '../../common/model/connections/planned.ts';
import { DETAIL_KINDS } from '../../common/reporting/reports.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import { carryIds, type Identified } from '../analysis/findings/carry-ids.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Ledger } from '../coverage/ledger.ts';
import type { Events } from '../host.ts';
import type { Logger } from '../logging/logger.ts';
import { type FindingsParts, readFindings, readPeriodFindings } from './read-findings.ts';
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
        ...own.map(({ id, kind, part, channel, service, within, sinceMs }) => ({
          id,
          kind,
          part,
          channel,
          service,
          within,
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

/** How far back days are judged before anybody asks. */
const AHEAD_DAYS = 30;
/** After the end of a download or an import; what else is asked then comes first. */
const SETTLE_MS = MINUTE_MS;
/** Days that are counted together, for what is asked of days before those. */
const COUNTED_DAYS = 7;
/** Between two days, so that what a person asks never waits for long. */
const REST_MS = SECOND_MS / 2;

/** Judges days before anybody asks for their incidents. */
interface AheadJudge {
  /** Judges the days of a connection, the last one first; what was judged before is kept and costs nothing. */
  judge(connectionId: string): Promise<void>;
  stop(): void;
}

/**
 * Creates what judges the last thirty days of a connection once a download or an import of its records has ended, and
 * every hour, so that its list of incidents is there when it is opened.
 */
export function createAheadJudge(
  parts: Omit<FindingsParts, 'engine'> & {
    readonly ledger: Pick<Ledger, 'readExtent'>;
    readonly engine: Pick<Engine, 'findPeriodFindings' | 'countTraffic'>;
    readonly connections: Pick<ConnectionStore, 'get' | 'listSaved'>;
    readonly events: Pick<Events, 'on'>;
    readonly logger: Logger;
    now(): number;
  },
): AheadJudge {
  const { connections, events, ledger, logger, now } = parts;
  const ending = new AbortController();
  const timers = new Map<string, NodeJS.Timeout>();
  /** Connections whose days were counted since the last of their records came. */
  const counted = new Set<string>();
  let judging: Promise<void> = Promise.resolve();

  const rest = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, REST_MS).unref());

  const judgeDays = async (connectionId: string): Promise<void> => {
    const extents = await Promise.all(
      DETAIL_KINDS.map((report) => ledger.readExtent({ connectionId, report })),
    );
    const known = extents.filter((extent) => extent !== null);
    if (known.length === 0) return;
    const lastMs = Math.min(now(), Math.max(...known.map(({ toMs }) => toMs)));
    const lastDayMs = Math.floor(lastMs / DAY_MS) * DAY_MS;
    const firstMs = Math.max(Math.min(...known.map(({ fromMs }) => fromMs)), lastDayMs - AHEAD_DAYS * DAY_MS);
    const { plans } = connections.get(connectionId);
    for (let toMs = lastDayMs; toMs > firstMs; toMs -= DAY_MS) {
      if (ending.signal.aborted) return;
      const day = { fromMs: toMs - DAY_MS, toMs };
      const setAside = listSetAside(plans, day);
      await readPeriodFindings(parts, connectionId, now(), { ...day, setAside, signal: ending.signal });
      await rest();
    }
    if (counted.has(connectionId)) return;
    counted.add(connectionId);
    const beginMs = Math.floor(Math.min(...known.map(({ fromMs }) => fromMs)) / DAY_MS) * DAY_MS;
    for (let toMs = lastDayMs; toMs > beginMs && !ending.signal.aborted; toMs -= COUNTED_DAYS * DAY_MS) {
      const fromMs = Math.max(beginMs, toMs - COUNTED_DAYS * DAY_MS);
      await parts.engine.countTraffic({ connectionId, span: { fromMs, toMs } });
      await rest();
    }
  };
  const judge = (connectionId: string): Promise<void> => {
    judging = judging
      .then(() => judgeDays(connectionId))
      .catch((error: unknown) => {
        // A connection that was deleted meanwhile, or an engine that ends; the list judges what it needs itself.
        if (!ending.signal.aborted) logger.info('days not judged', { connectionId, error });
      });
    return judging;
  };
  const judgeLater = (connectionId: string): void => {
    clearTimeout(timers.get(connectionId));
    timers.set(
      connectionId,
      setTimeout(() => {
        timers.delete(connectionId);
        void judge(connectionId);
      }, SETTLE_MS).unref(),
    );
  };
  const judgeAgain = (connectionId: string): void => {
    counted.delete(connectionId);
    judgeLater(connectionId);
  };
  const stopListening = events.on('tasks/changed', ({ kind, connectionId, endedAtMs }) => {
    if ((kind === 'download' || kind === 'library-import') && endedAtMs !== null && connectionId !== null)
      judgeAgain(connectionId);
  });
  const looking = setInterval(() => {
    for (const { id } of connections.listSaved()) judgeLater(id);
  }, HOUR_MS).unref();
  return {
    judge,
    stop() {
      ending.abort();
      stopListening();
      clearInterval(looking);
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
