import { readFile, stat } from 'node:fs/promises';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { NO_SIMULATION, type Simulation } from '../../common/model/connections/local-service.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import { type Incident, listIncidents } from '../sample/incidents.ts';
import type { ServiceOptions } from '../service-options.ts';

/** Of the time that a request has, a health address is given half: the rest is for the records. */
const SHARE_OF_WAIT = 0.5;
const TENANT = '{tenant}';

/** A line of the log: what a health address says from now on. */
export interface StatusChange {
  readonly at: string;
  readonly status: 'platform' | 'connector';
  /** Null where all tenants share the address. */
  readonly tenant: number | null;
  readonly state: HealthAnswer;
  readonly reason: string;
}

interface PlatformSurroundings {
  readonly now: () => number;
  readonly elapsedMs: () => number;
  readonly logStatus?: (change: StatusChange) => void;
}

/** What the platform says of itself. */
interface WatchedPlatform {
  forTenant(tenant: number): ReportedPlatform;
  stop(): void;
}

/**
 * Asks the platform by the means that the options name: its heartbeat file, its health address, and that of its
 * connector. Each that says down, or can't be asked, counts; what is simulated counts besides.
 */
export async function watchPlatform(
  platform: ReportedPlatform,
  options: Pick<
    ServiceOptions,
    | 'heartbeatFile'
    | 'heartbeatSeconds'
    | 'statusUrl'
    | 'connectorStatusUrl'
    | 'statusSeconds'
    | 'waitSeconds'
  >,
  { now, elapsedMs, logStatus }: PlatformSurroundings,
): Promise<WatchedPlatform> {
  const { heartbeatFile: file, heartbeatSeconds, waitSeconds } = options;
  const heartbeat =
    file === null ? null : await watchHeartbeat(platform, { file, maxAgeMs: heartbeatSeconds * 1000 }, now);
  const createCheck = (
    status: StatusChange['status'],
    template: string | null,
    tenant: number | null,
  ): (() => Promise<HealthReport>) | null => {
    if (template === null) return null;
    return createHealthCheck({
      url: template.replaceAll(TENANT, String(tenant)),
      everyMs: options.statusSeconds * 1000,
      withinMs: waitSeconds * 1000 * SHARE_OF_WAIT,
      elapsedMs,
      onChange: ({ state, reason }) =>
        logStatus?.({ at: new Date(now()).toISOString(), status, tenant, state, reason }),
    });
  };
  /** One for all tenants, or one for each where the address names the tenant. */
  const toChecks = (status: StatusChange['status'], template: string | null) => {
    if (template?.includes(TENANT) === true) return (tenant: number) => createCheck(status, template, tenant);
    const shared = createCheck(status, template, null);
    return () => shared;
  };
  const platformChecks = toChecks('platform', options.statusUrl);
  const connectorChecks = toChecks('connector', options.connectorStatusUrl);
  return {
    forTenant: (tenant) => {
      const [checkPlatform, checkConnector] = [platformChecks(tenant), connectorChecks(tenant)];
      let connectorBefore: HealthAnswer | null = null;
      let connectorChangedMs = -Infinity;
      return {
        read: async () => {
          const [given, said, connectorSaid] = await Promise.all([
            (heartbeat ?? platform).read(),
            checkPlatform?.(),
            checkConnector?.(),
          ]);
          const connector = connectorSaid?.state ?? said?.connector ?? null;
          if (connectorBefore !== null && connector !== connectorBefore) connectorChangedMs = now();
          connectorBefore = connector;
          const { simulation, changedMs } = given;
          return {
            simulation: {
              ...simulation,
              platformDown: simulation.platformDown || said?.state === 'down',
              connectorDown: simulation.connectorDown || connector === 'down',
            },
            // Traffic from before says nothing of a connector that is up again.
            changedMs: Math.max(changedMs, connectorChangedMs),
          };
        },
      };
    },
    stop: () => heartbeat?.stop(),
  };
}

const READ_EVERY_MS = 1_000;

/** What a platform may write into its heartbeat file; an empty file says that it is up. */
const Heartbeat = Type.Object({
  platform: Type.Optional(Type.Union([Type.Literal('up'), Type.Literal('down')])),
  connector: Type.Optional(Type.Union([Type.Literal('up'), Type.Literal('down')])),
});

interface HeartbeatOptions {
  readonly file: string;
  /** A file that was written longer ago says that the platform is down. */
  readonly maxAgeMs: number;
}

/** The status of a platform that writes a file again and again. */
interface Heartbeat extends ReportedPlatform {
  stop(): void;
}

/**
 * Says that the platform or its connector is down where its heartbeat file says so, is missing, or was not written for
 * too long; what is simulated counts besides. The file is looked at once a second.
 */
async function watchHeartbeat(
  platform: ReportedPlatform,
  { file, maxAgeMs }: HeartbeatOptions,
  now: () => number,
): Promise<Heartbeat> {
  let writtenMs = -Infinity;
  let stated: Static<typeof Heartbeat> = {};
  let connectorChangedMs = -Infinity;
  const look = async (): Promise<void> => {
    try {
      const { mtimeMs } = await stat(file);
      const heartbeat = parseHeartbeat(await readFile(file, 'utf8'));
      if (heartbeat.connector !== stated.connector && writtenMs > -Infinity) connectorChangedMs = now();
      stated = heartbeat;
      writtenMs = mtimeMs;
    } catch {
      writtenMs = -Infinity;
    }
  };
  await look();
  const timer = setInterval(() => void look(), READ_EVERY_MS).unref();
  return {
    read: async () => {
      const { simulation, changedMs } = await platform.read();
      const isLate = now() - writtenMs > maxAgeMs;
      return {
        simulation: {
          ...simulation,
          platformDown: simulation.platformDown || isLate || stated.platform === 'down',
          connectorDown: simulation.connectorDown || stated.connector === 'down',
        },
        // Traffic from before says nothing of a connector that is up again.
        changedMs: Math.max(changedMs, connectorChangedMs),
      };
    },
    stop: () => {
      clearInterval(timer);
    },
  };
}

/** A file that can't be read as one says that something is written, and no more. */
function parseHeartbeat(text: string): Static<typeof Heartbeat> {
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(Heartbeat, value) ? value : {};
  } catch {
    return {};
  }
}

type HealthAnswer = 'up' | 'down';

/** What a health address said of what it stands for. */
interface HealthReport {
  readonly state: HealthAnswer;
  /** What it said of the connector besides; null for nothing. */
  readonly connector: HealthAnswer | null;
  /** Why it is not up; empty where it is. Nothing that was sent or received. */
  readonly reason: string;
}

interface HealthCheckOptions {
  readonly url: string;
  /** It is asked no more often than this. */
  readonly everyMs: number;
  /** It has to answer within this. */
  readonly withinMs: number;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsedMs: () => number;
  /** Takes the first answer, and each that differs from the one before. */
  readonly onChange: (report: HealthReport) => void;
}

/** Words of health endpoints for something that can be used. Any other is not up. */
const UP_WORDS: ReadonlySet<string> = new Set([
  'up',
  'ok',
  'pass',
  'warn',
  'healthy',
  'available',
  'operational',
  'true',
]);
const MAX_BODY_BYTES = 65_536;

const Words = Type.Object({
  status: Type.Optional(Type.Unknown()),
  platform: Type.Optional(Type.Unknown()),
  connector: Type.Optional(Type.Unknown()),
});

/**
 * Returns what asks a health address: up only where it answers with a status of success in time, and its body doesn't
 * say otherwise. Calls within `everyMs` share an answer, and those at once a request.
 */
function createHealthCheck(options: HealthCheckOptions): () => Promise<HealthReport> {
  const { elapsedMs, everyMs, onChange } = options;
  let askedMs = -Infinity;
  let asked: Promise<HealthReport> | null = null;
  let before: HealthReport | null = null;
  const ask = async (): Promise<HealthReport> => {
    const report = await askHealth(options);
    const isOther = report.state !== before?.state || report.reason !== before.reason;
    before = report;
    if (isOther) onChange(report);
    return report;
  };
  return () => {
    if (asked === null || elapsedMs() - askedMs >= everyMs) {
      askedMs = elapsedMs();
      asked = ask();
    }
    return asked;
  };
}

async function askHealth({ url, withinMs }: HealthCheckOptions): Promise<HealthReport> {
  const signal = AbortSignal.timeout(withinMs);
  try {
    // A page to sign in at is not what was asked for.
    const response = await fetch(url, {
      redirect: 'manual',
      signal,
      headers: { accept: 'application/json' },
    });
    const report = toReport(await readText(response));
    return response.ok ? report : { ...report, state: 'down', reason: `status ${response.status}` };
  } catch {
    return { state: 'down', connector: null, reason: signal.aborted ? 'no answer in time' : 'not reached' };
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A body that is no JSON object says only that there was an answer. */
function toReport(text: string): HealthReport {
  const words = parseWords(text);
  const said = words.platform ?? words.status;
  const isUp = said === undefined || toState(said) === 'up';
  return {
    state: isUp ? 'up' : 'down',
    connector: words.connector === undefined ? null : toState(words.connector),
    reason: isUp ? '' : 'its answer says so',
  };
}

function parseWords(text: string) {
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(Words, value) ? value : {};
  } catch {
    return {};
  }
}

function toState(word: unknown): HealthAnswer {
  return UP_WORDS.has(String(word).toLowerCase()) ? 'up' : 'down';
}

/** What is said of the platform at a moment. */
interface PlatformState {
  readonly simulation: Simulation;
  /** Since when in milliseconds: traffic from before says nothing of how things are now. */
  readonly changedMs: number;
}

/** What the tenant status goes by, besides the records. */
export interface ReportedPlatform {
  read(): PlatformState | Promise<PlatformState>;
}

/** What the sample platform pretends at the moment. Set by whoever runs the service, never over HTTP. */
export interface SimulatedPlatform {
  read(): PlatformState;
  set(simulation: Simulation): void;
}

/** Creates a platform that pretends what `simulation` says, nothing by default; `now` is in milliseconds. */
export function createSimulatedPlatform(now: () => number, simulation = NO_SIMULATION): SimulatedPlatform {
  let current = { simulation, changedMs: -Infinity };
  return {
    read: () => current,
    set: (next) => {
      const { platformDown, connectorDown } = current.simulation;
      const isOther = next.platformDown !== platformDown || next.connectorDown !== connectorDown;
      current = { simulation: next, changedMs: isOther ? now() : current.changedMs };
    },
  };
}

/**
 * What the status operation goes by: what is simulated, and what the sample's incidents say of it while there
 * is new traffic that meets them. `historyEndMs` null means a store without a sample history.
 */
export function reportIncidents(
  platform: Pick<SimulatedPlatform, 'read'>,
  historyEndMs: number | null,
  isLive: () => boolean,
  now: () => number,
): Pick<SimulatedPlatform, 'read'> {
  if (historyEndMs === null) return platform;
  return {
    read: () => {
      const set = platform.read();
      if (!isLive()) return set;
      const nowMs = now();
      const reported = listIncidents(historyEndMs, nowMs - DAY_MS, nowMs + 1).filter(
        (each) => each.reported !== undefined && each.fromMs >= historyEndMs,
      );
      const isReported = (state: Incident['reported']): boolean =>
        reported.some((each) => each.reported === state && nowMs < each.toMs);
      // Traffic from before an incident's end says nothing of how things are after it.
      const changedMs = Math.max(
        set.changedMs,
        ...reported.flatMap(({ fromMs, toMs }) => [fromMs, toMs]).filter((atMs) => atMs <= nowMs),
      );
      const simulation = {
        ...set.simulation,
        platformDown: set.simulation.platformDown || isReported('platform-down'),
        connectorDown: set.simulation.connectorDown || isReported('connector-down'),
      };
      return { simulation, changedMs };
    },
  };
}
