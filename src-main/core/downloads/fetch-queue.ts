import type { ReportKind } from '../../common/reporting/reports.ts';
import { createGate, type Gate } from '../../node/gate.ts';

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

/** The most walks that run at once, by what the last pages took. */
interface WalkLimit {
  /** `most` is what the connection allows; null for what is best. */
  read(most: number | null): number;
  /** A page came. */
  note(page: { readonly bytes: number; readonly durationMs: number }): void;
  /** A page was stored, which took so long. */
  noteStored(durationMs: number): void;
  /** The service asks for fewer requests, or fails. */
  fallBack(): void;
}

const MAX_WALKS = 6;
/** Pages that a number of walks is judged by. */
const PAGES_EACH = 2;
/** Another walk is worth it while the rate grows by this much. */
const MIN_GROWTH = 1.08;
/** A service that takes longer than this many times what it takes for one walk is busy enough. */
const MAX_SLOWER = 2;
/** After a service asked for fewer, one walk runs alone for so long. */
const REST_MS = 30_000;
/** How much the last page says of what storing one takes. */
const STORED_WEIGHT = 0.25;
/** A number of walks that was found best is questioned after so many more pages for each of them. */
const SETTLED_WINDOWS = 8;

/**
 * Begins with one walk, tries twice as many, later one more, while the total rate grows and responses take less than
 * twice the time that they take for one, steps back where the last ones made nothing faster, and falls to one when the
 * service fails or asks for a pause. There are never more than keep the storing of pages busy: what comes sooner would
 * only wait in memory, and take the time of both sides. A number that a person chose is kept but for a pause.
 */
export function createWalkLimit(now: () => number): WalkLimit {
  let chosen: number | null = null;
  let current = 1;
  /** Windows that are left until another walk is tried again. */
  let settledWindows = 0;
  let restsUntilMs: number | null = null;
  let aloneMs: number | null = null;
  let storedMs: number | null = null;
  /** The number of the window before, where this one tries more. */
  let triedFrom: number | null = null;
  /** Twice as many are tried until that is too many once. */
  let isDoubling = true;
  let lastRate = 0;
  let window = { sinceMs: now(), pages: 0, bytes: 0, durationMs: 0 };

  const begin = (walks: number): void => {
    current = walks;
    window = { sinceMs: now(), pages: 0, bytes: 0, durationMs: 0 };
  };
  /** Walks that bring pages as fast as they are stored. */
  const countUseful = (): number => {
    if (aloneMs === null || storedMs === null) return MAX_WALKS;
    return Math.min(MAX_WALKS, Math.max(1, Math.ceil(aloneMs / Math.max(1, storedMs))));
  };
  const isResting = (): boolean => {
    if (restsUntilMs === null) return false;
    const leftMs = restsUntilMs - now();
    if (leftMs > 0 && leftMs <= REST_MS) return true;
    restsUntilMs = null;
    begin(1);
    return false;
  };

  return {
    read(most) {
      chosen = most;
      if (isResting()) return 1;
      return most ?? Math.min(current, countUseful());
    },
    note({ bytes, durationMs }) {
      if (isResting() || chosen !== null) return;
      window.pages += 1;
      window.bytes += bytes;
      window.durationMs += durationMs;
      if (window.pages < PAGES_EACH * current) return;
      const meanMs = window.durationMs / window.pages;
      const rate = window.bytes / Math.max(1, now() - window.sinceMs);
      // The first pages of a download are slow: the service and the application begin as well.
      aloneMs = Math.min(aloneMs ?? meanMs, meanMs);
      const isSlow = current > 1 && meanMs > Math.max(1, aloneMs) * MAX_SLOWER;
      const isInVain = triedFrom !== null && rate <= lastRate * MIN_GROWTH;
      if (isSlow || isInVain) {
        // Of twice as many, some may still be worth it.
        const isMuch = isDoubling && triedFrom !== null && current - triedFrom > 1;
        settledWindows = isMuch ? 0 : SETTLED_WINDOWS;
        isDoubling = false;
        begin(Math.max(1, triedFrom ?? current - 1));
        triedFrom = null;
        return;
      }
      lastRate = rate;
      settledWindows = Math.max(0, settledWindows - 1);
      const useful = countUseful();
      const isTrial = settledWindows === 0 && current < useful;
      triedFrom = isTrial ? current : null;
      begin(isTrial ? Math.min(useful, isDoubling ? current * 2 : current + 1) : Math.min(current, useful));
    },
    noteStored(durationMs) {
      storedMs = storedMs === null ? durationMs : storedMs + (durationMs - storedMs) * STORED_WEIGHT;
    },
    fallBack() {
      restsUntilMs = now() + REST_MS;
      settledWindows = 0;
      triedFrom = null;
      isDoubling = true;
      begin(1);
    },
  };
}
