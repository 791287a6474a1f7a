import { type ErrorCode, toErrorInfo } from '../../common/contract/errors.ts';
import type { Emit, HandlersOf } from '../../common/contract/index.ts';
import { toFollowOptions } from '../../common/model/connections/connection.ts';
import { listDownTimes } from '../../common/model/connections/planned.ts';
import type { HealthState, StatusSample } from '../../common/model/connections/status.ts';
import type { Settings } from '../../common/model/settings/settings.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { Cache } from '../cache/cache.ts';
import { isUnreachable } from '../client/map-network-error.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { SettingsStore } from '../settings/create-settings.ts';

/** For longer, a service's clock may be wrong. */
const MAX_PAUSE_MS = 7 * DAY_MS;
/** Codes of failures before anything was sent: the platform was not checked (decision 28). */
const NOTHING_SENT = /^(?:secrets|connections|local-service)\./;

/** Failures that last until a person changes something: the poll does not repeat them. */
const REFUSED: readonly ErrorCode[] = ['client.credentials-refused', 'client.report-refused'];

/** How long after a check that it didn't read a window counts as closed. */
const CLOSED_AFTER_MS = 60_000;

export interface Monitor {
  /** Requests the status now and keeps the sample, also a failed one. Calls at the same time share one request. */
  check(connectionId: string): Promise<StatusSample>;
  /** Notes that a window shows a connection: it is polled while that goes on, also beside the one shown last. */
  noteShown(connectionId: string): void;
  stop(): void;
}

/**
 * Requests the tenant's status, on demand and at the interval of the settings, and keeps every sample. Refused
 * credentials are asked with again only on demand; saving the connection asks at once.
 */
export function createMonitor(options: {
  cache: Cache;
  connections: ConnectionStore;
  settings: Pick<SettingsStore, 'get'>;
  emit: Emit;
  now(): number;
}): Monitor {
  const { cache, connections, settings, emit, now } = options;
  const lastChecksMs = new Map<string, number>();
  const shownAtMs = new Map<string, number>();
  const checks = new Map<string, Promise<StatusSample>>();
  const refused = new Set<string>();
  /** How long services asked to be left alone, and since when (decision 24). */
  const pauses = new Map<string, { readonly sinceMs: number; readonly lastMs: number }>();
  /** How often each connection was saved: an answer from before belongs to other credentials. */
  const saves = new Map<string, number>();

  /** What a connection can't be asked for now says more than how a call that had begun before ended. */
  const findCause = (connectionId: string, error: unknown): unknown => {
    try {
      connections.clientFor(connectionId);
      return error;
    } catch (reason) {
      return reason;
    }
  };

  const takeSample = async (connectionId: string): Promise<StatusSample> => {
    const checkedAtMs = now();
    try {
      const { reading, roundTripMs } = await connections.clientFor(connectionId).fetchStatus();
      pauses.delete(connectionId);
      return {
        connectionId,
        checkedAtMs,
        roundTripMs,
        ...reading,
        traffic: [...reading.traffic],
        failure: null,
      };
    } catch (error) {
      const { code: found, details } = toErrorInfo(findCause(connectionId, error));
      // Nobody enters the built-in service's credentials: it brings them when it starts.
      const isNotStarted = found === 'secrets.missing' && connections.get(connectionId).kind === 'local';
      const code = isNotStarted ? 'local-service.not-running' : found;
      // A call that the circuit stopped has the reason of the failures before it.
      const cause = code === 'client.circuit-open' ? details['reason'] : code;
      // The circuit's own rest is none that the service asked for.
      const asked = code === 'client.circuit-open' ? null : details['retryAfterMs'];
      if (typeof asked === 'number') {
        pauses.set(connectionId, { sinceMs: now(), lastMs: Math.min(asked, MAX_PAUSE_MS) });
      }
      const state = toFailedState(cause);
      return {
        connectionId,
        checkedAtMs,
        roundTripMs: null,
        platform: state,
        connector: state,
        internalResponseTimeMs: null,
        sessions: null,
        traffic: [],
        trafficText: '',
        failure: code,
      };
    }
  };

  const keepSample = async (connectionId: string): Promise<StatusSample> => {
    const savesBefore = saves.get(connectionId);
    const sample = await takeSample(connectionId);
    // Throws for a connection that was removed meanwhile, so that nothing of it is stored.
    connections.get(connectionId);
    if (saves.get(connectionId) !== savesBefore) return check(connectionId);
    if (REFUSED.some((code) => code === sample.failure)) refused.add(connectionId);
    else refused.delete(connectionId);
    await cache.addStatusSample(sample);
    emit('status/checked', sample);
    return sample;
  };

  const check = (connectionId: string): Promise<StatusSample> => {
    const underWay = checks.get(connectionId);
    if (underWay !== undefined) return underWay;
    lastChecksMs.set(connectionId, now());
    const started = keepSample(connectionId).finally(() => {
      if (checks.get(connectionId) === started) checks.delete(connectionId);
    });
    checks.set(connectionId, started);
    return started;
  };
  connections.watchSaved((connectionId) => {
    saves.set(connectionId, (saves.get(connectionId) ?? 0) + 1);
    refused.delete(connectionId);
    pauses.delete(connectionId);
    checks.delete(connectionId);
    // A check that was never made isn't shown.
    if (lastChecksMs.has(connectionId)) check(connectionId).catch(() => undefined);
  });

  /** A window that shows a connection reads its history after each check: one that doesn't any more was closed. */
  const isShown = (connectionId: string): boolean => {
    const lastMs = shownAtMs.get(connectionId);
    const maxAgoMs = 2 * settings.get().refreshSeconds * 1_000 + CLOSED_AFTER_MS;
    return lastMs !== undefined && Math.abs(now() - lastMs) < maxAgoMs;
  };
  /** A clock that was set back makes no pause longer. */
  const isPausing = (connectionId: string): boolean => {
    const { sinceMs = 0, lastMs = 0 } = pauses.get(connectionId) ?? {};
    return Math.abs(now() - sinceMs) < lastMs;
  };

  return {
    check,
    noteShown: (connectionId) => void shownAtMs.set(connectionId, now()),
    stop: pollStatus({
      readSettings: () => settings.get(),
      listWatched: () => {
        const saved = connections.listSaved().filter(({ kind }) => kind !== 'imported');
        const last = settings.get().lastConnectionId ?? saved[0]?.id;
        return saved
          .map((connection) => ({ connection, isShown: connection.id === last || isShown(connection.id) }))
          .filter((one) => one.isShown || toFollowOptions(one.connection).followed)
          .map((one) => ({ connectionId: one.connection.id, isShown: one.isShown }));
      },
      findLastCheckMs: (connectionId) => lastChecksMs.get(connectionId),
      isRefused: (connectionId) => refused.has(connectionId) || isPausing(connectionId),
      check,
      now,
    }),
  };
}

function toFailedState(cause: unknown): HealthState {
  if (typeof cause === 'string' && NOTHING_SENT.test(cause)) return 'not-checked';
  return isUnreachable(cause) ? 'unreachable' : 'unknown';
}

const LOOK_EVERY_MS = 1_000;

/** What the poll reads and calls. */
interface StatusPoll {
  readonly readSettings: () => Pick<Settings, 'refreshSeconds'>;
  /** The connections that windows show, and others that are followed. */
  listWatched(): readonly { readonly connectionId: string; readonly isShown: boolean }[];
  /** When a connection's status was last requested, by the poll or the window; undefined when it never was. */
  findLastCheckMs(connectionId: string): number | undefined;
  /** True once its credentials were refused, as asking on could lock the account, and for a pause that it asks for. */
  isRefused(connectionId: string): boolean;
  check(connectionId: string): Promise<unknown>;
  now(): number;
}

/**
 * Requests the status of each watched connection whenever its interval is over, also while no window is open. Those that
 * are not shown are spread over the interval. Each look reads the clock and the settings again, so that waking from sleep
 * and a changed interval need no code of their own. Returns a function that ends it.
 */
export function pollStatus(poll: StatusPoll): () => void {
  const underWay = new Set<string>();
  let startedAtMs = -Infinity;
  const look = (): void => {
    const intervalMs = poll.readSettings().refreshSeconds * 1_000;
    if (intervalMs === 0) return;
    const watched = poll.listWatched();
    const [due] = watched
      .map(({ connectionId, isShown }) => {
        const lastMs = poll.findLastCheckMs(connectionId);
        const agoMs = lastMs === undefined ? Infinity : Math.abs(poll.now() - lastMs);
        return { connectionId, isShown, agoMs };
      })
      .filter(({ connectionId, agoMs, isShown }) => {
        if (underWay.has(connectionId) || poll.isRefused(connectionId) || agoMs < intervalMs) return false;
        return isShown || Math.abs(poll.now() - startedAtMs) >= intervalMs / (2 * watched.length);
      })
      .sort((a, b) => Number(b.isShown) - Number(a.isShown) || b.agoMs - a.agoMs);
    if (due === undefined) return;
    const { connectionId } = due;
    startedAtMs = poll.now();
    // One that takes its time keeps back no other; one may be removed before its request.
    underWay.add(connectionId);
    void poll
      .check(connectionId)
      .catch(() => undefined)
      .finally(() => underWay.delete(connectionId));
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}

/** The handlers of `status/…`. */
export function createStatusHandlers(parts: {
  readonly cache: Pick<Cache, 'readStatusFigures' | 'readStatusHistory'>;
  readonly connections: Pick<ConnectionStore, 'get' | 'listSaved'>;
  readonly monitor: Pick<Monitor, 'check' | 'noteShown'>;
  now(): number;
}): HandlersOf<'status'> {
  const { cache, connections, monitor, now } = parts;
  const listPlanned = (connectionId: string, nowMs: number, spanMs: number): TimeSpan[] => {
    const plans = connections.listSaved().find(({ id }) => id === connectionId)?.plans;
    return listDownTimes(plans, { fromMs: nowMs - spanMs, toMs: nowMs });
  };
  return {
    'status/refresh': ({ connectionId }) => {
      connections.get(connectionId);
      return monitor.check(connectionId);
    },
    'status/read-history': ({ untilMs = Infinity, ...input }) => {
      const nowMs = Math.min(now(), untilMs);
      // What is over needs no new checks.
      if (untilMs === Infinity) monitor.noteShown(input.connectionId);
      return cache.readStatusHistory({
        ...input,
        nowMs,
        planned: listPlanned(input.connectionId, nowMs, input.spanMs),
      });
    },
    'status/read-figures': (input) => {
      const nowMs = now();
      const planned = listPlanned(input.connectionId, nowMs, Math.max(...input.spansMs));
      return cache.readStatusFigures({ ...input, nowMs, planned });
    },
  };
}
