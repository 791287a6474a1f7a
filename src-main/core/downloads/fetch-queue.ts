import type { ReportKind } from '../../common/reporting/reports.ts';
import { createGate, type Gate } from '../../node/gate.ts';
import { createWalkLimit, type WalkLimit } from './walk-limit.ts';

/** What a download may ask of its service at once. */
export interface ServiceShare extends Omit<WalkLimit, 'read'> {
  /** Walks that this download may run at once; `most` is what the connection allows, null for what is best. */
  read(most: number | null): number;
}

/**
 * The one queue in which downloads and turns of following wait: of a report, a connection's downloads run one after the
 * other in the order they were started. What its service allows at once is shared by those that run, and what it asks of one
 * of them, or of following, holds for all.
 */
export interface FetchQueue {
  download<Result>(
    of: { readonly connectionId: string; readonly report: ReportKind },
    run: (share: ServiceShare) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result>;
  /** A turn of following reads one page at a time, and waits for no download: it would come too late. */
  turn<Result>(run: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
  /** The service of a connection asks for fewer requests, or fails. */
  fallBack(connectionId: string): void;
}

/** Connections whose turns run at once. */
const MAX_TURNS = 2;

/** Builds the queue of an application. */
export function createFetchQueue(now: () => number): FetchQueue {
  const reports = new Map<string, Gate>();
  const services = new Map<string, { readonly limit: WalkLimit; running: number }>();
  const enterTurn = createGate(MAX_TURNS);

  return {
    download({ connectionId, report }, run, signal) {
      const key = `${report} ${connectionId}`;
      const enter = reports.get(key) ?? createGate(1);
      reports.set(key, enter);
      return enter(async () => {
        // What was learned holds while something runs: a service is another one an hour later.
        const service = services.get(connectionId) ?? { limit: createWalkLimit(now), running: 0 };
        services.set(connectionId, service);
        service.running += 1;
        try {
          const { limit } = service;
          return await run({
            ...limit,
            read: (most) => Math.max(1, Math.floor(limit.read(most) / service.running)),
          });
        } finally {
          service.running -= 1;
          if (service.running === 0) services.delete(connectionId);
        }
      }, signal);
    },
    turn: enterTurn,
    fallBack: (connectionId) => services.get(connectionId)?.limit.fallBack(),
  };
}
