import { listSetAside } from '../../common/model/connections/planned-spans.ts';
import { DETAIL_KINDS } from '../../common/reporting/reports.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../common/time/durations.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Events } from '../host.ts';
import type { Logger } from '../logging/logger.ts';
import { readPeriodFindings, type FindingsParts } from './read-findings.ts';

/** How far back days are judged before anybody asks. */
const AHEAD_DAYS = 30;
/** After the end of a download or an import; what else is asked then comes first. */
const SETTLE_MS = MINUTE_MS;
/** Between two days, so that what a person asks never waits for long. */
const REST_MS = SECOND_MS / 2;

/** Judges days before anybody asks for their incidents. */
export interface AheadJudge {
  /** Judges the days of a connection, the last one first; what was judged before is kept and costs nothing. */
  judge(connectionId: string): Promise<void>;
  stop(): void;
}

/**
 * Creates what judges the last thirty days of a connection once a download or an import of its records has ended, and
 * every hour, so that its list of incidents is there when it is opened.
 */
export function createAheadJudge(
  parts: FindingsParts & {
    readonly connections: Pick<ConnectionStore, 'get' | 'listSaved'>;
    readonly events: Pick<Events, 'on'>;
    readonly logger: Logger;
    now(): number;
  },
): AheadJudge {
  const { connections, events, ledger, logger, now } = parts;
  const ending = new AbortController();
  const timers = new Map<string, NodeJS.Timeout>();
  let judging: Promise<void> = Promise.resolve();

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
      await new Promise((resolve) => setTimeout(resolve, REST_MS).unref());
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
  const stopListening = events.on('tasks/changed', ({ kind, connectionId, endedAtMs }) => {
    if ((kind === 'download' || kind === 'library-import') && endedAtMs !== null && connectionId !== null)
      judgeLater(connectionId);
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
