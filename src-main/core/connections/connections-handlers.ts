import { AppError, toErrorInfo } from '../../common/contract/errors.ts';
import type { HandlersOf, Input } from '../../common/contract/index.ts';
import type { TestStep } from '../../common/model/cache/task.ts';
import {
  type ConnectionDraft,
  tidySecrets,
  type ZoneEvidence,
  type ZoneFinding,
} from '../../common/model/connections/connection.ts';
import { readDate } from '../../common/reporting/reading/read-date.ts';
import { judgeEnd } from '../../common/reporting/reading/read-envelope.ts';
import { readPage, type ReadPage } from '../../common/reporting/reading/read-page.ts';
import { type DetailKind, REPORT_KINDS, type ReportKind } from '../../common/reporting/reports.ts';
import { formatWireDate, toWireDate } from '../../common/reporting/wire-documents.ts';
import { toOffsetMs, utcMsToCivil } from '../../common/time/civil-time.ts';
import { HOUR_MS, MINUTE_MS } from '../../common/time/durations.ts';
import { createGate } from '../../node/gate.ts';
import type { Cache } from '../cache/cache.ts';
import { reachAddress } from '../client/map-network-error.ts';
import type { ReportingClient } from '../client/reporting-client.ts';
import type { Host } from '../host.ts';
import type { SettingsStore } from '../settings/create-settings.ts';
import { isActive, type TaskHandle, type TaskRegistry } from '../tasks/task-registry.ts';
import { checkDraft, type SavedConnection } from './connection-file.ts';
import type { BothSecrets, ConnectionStore } from './create-connections.ts';

/** A short period is enough to see that a report is served. */
const TEST_PERIOD_MS = HOUR_MS;
/** Where both summaries share an identifier, the outbound groups come after all the inbound ones (decision 11). */
const SUMMARY_GROUPS = 1_000;
/** Services that send fewer groups at once are asked for more pages, until some of the wanted direction have come. */
const MOST_PAGES = 20;

type StepResult = Pick<TestStep, 'detail' | 'values'> & { readonly warned?: boolean };

export interface ConnectionTest {
  readonly draft: ConnectionDraft;
  readonly client: ReportingClient;
  now(): number;
  /** Returns the status of any HTTP response; rejects with a `client.*` AppError. */
  reach(signal: AbortSignal): Promise<number>;
}

async function askReport(test: ConnectionTest, report: ReportKind, signal: AbortSignal): Promise<StepResult> {
  const nowMs = test.now();
  const { serviceZone } = test.draft;
  const ask = async (lastDocument: string): Promise<ReadPage> => {
    const response = await test.client.fetchPage(
      {
        report,
        startDate: toWireDate(nowMs - TEST_PERIOD_MS, serviceZone),
        endDate: toWireDate(nowMs, serviceZone),
        size: report.endsWith('detail') ? 1 : SUMMARY_GROUPS,
        lastDocument,
      },
      { signal },
    );
    return readPage(new Uint8Array(response.bytes), { report, zone: serviceZone });
  };
  const { page, otherGroups } = await findOwnGroups(ask);
  if (isInboundOnly(page)) return { detail: 'inbound-columns', values: {}, warned: true };
  // Nothing showed how the service names and writes its fields.
  if (page.recordCount === 0) return { detail: 'no-records', values: {}, warned: true };
  const total = page.totalDocument ?? page.recordCount;
  return report.endsWith('detail')
    ? { detail: 'records', values: { received: page.recordCount, total } }
    : // An identifier that both summaries share is answered with the groups of both.
      { detail: 'groups', values: { total: total - otherGroups } };
}

/** Goes on from page to page while only inbound groups come, and counts the groups that are not of the report. */
async function findOwnGroups(ask: (lastDocument: string) => Promise<ReadPage>) {
  const asked = [''];
  let page = await ask('');
  let otherGroups = page.recordCount - page.groups.length;
  while (isInboundOnly(page) && asked.length < MOST_PAGES) {
    const { nextCursor } = judgeEnd({
      ...page,
      cursorSent: asked.at(-1) ?? '',
      isAfterEmpty: false,
      seenCursors: (cursor) => asked.includes(cursor),
      hasAll: () => false,
    });
    if (nextCursor === null) break;
    asked.push(nextCursor);
    const next = await ask(nextCursor);
    if (next.recordCount === 0) break;
    page = next;
    otherGroups += page.recordCount - page.groups.length;
  }
  return { page, otherGroups };
}

function isInboundOnly({ remarks }: ReadPage): boolean {
  return remarks.some(({ code }) => code === 'answer-has-inbound-only');
}

/** Runs the seven steps in order, updates the task with each, and stops at the first failure. */
export async function testConnection(test: ConnectionTest, task: TaskHandle): Promise<void> {
  const { signal } = task;
  const runs: [TestStep['name'], () => Promise<StepResult>][] = [
    ['reach', async () => ({ detail: 'answered', values: { status: await test.reach(signal) } })],
    [
      'token',
      async () => {
        await test.client.createToken(signal);
        return { detail: 'token-received', values: {} };
      },
    ],
    [
      'status',
      async () => {
        const { reading } = await test.client.fetchStatus(signal);
        return { detail: 'states', values: { platform: reading.platform, connector: reading.connector } };
      },
    ],
    ...REPORT_KINDS.map((report): [TestStep['name'], () => Promise<StepResult>] => [
      report,
      () => askReport(test, report, signal),
    ]),
  ];
  const steps: TestStep[] = runs.map(([name]) => ({
    name,
    state: 'waiting',
    durationMs: null,
    detail: '',
    values: {},
    error: null,
  }));
  const set = (index: number, change: Partial<TestStep>): void => {
    const step = steps[index];
    if (step !== undefined) steps[index] = { ...step, ...change };
    task.update({ steps: [...steps] });
  };

  task.progress(0, runs.length);
  for (const [index, [, run]] of runs.entries()) {
    signal.throwIfAborted();
    const startedAtMs = test.now();
    set(index, { state: 'running' });
    try {
      const { warned = false, ...result } = await run();
      set(index, { ...result, state: warned ? 'warned' : 'passed', durationMs: test.now() - startedAtMs });
    } catch (error) {
      const cause = signal.aborted
        ? new AppError('app.cancelled', 'The test was cancelled.', {}, error)
        : error;
      set(index, { state: 'failed', error: toErrorInfo(cause), durationMs: test.now() - startedAtMs });
      throw cause;
    }
    task.progress(index + 1, runs.length);
  }
}

interface ZoneDetection {
  readonly client: Pick<ReportingClient, 'fetchPage'>;
  /** The zone that the connection is set to. */
  readonly zone: string;
  readonly signal: AbortSignal;
  now(): number;
}

interface Asked {
  readonly page: ReadPage;
  readonly nowMs: number;
  readonly isServiceClock: boolean;
}

/** Clocks on Earth go from 12 hours behind UTC to 14 ahead; the newest record may be an hour old. */
const EARLIEST_MS = -13 * HOUR_MS;
const LATEST_MS = 14 * HOUR_MS + 5 * MINUTE_MS;
const REPORTS: readonly DetailKind[] = ['inbound-detail', 'outbound-detail'];

/**
 * Finds the newest record on the service's own clock, with at most 17 requests for one record each, and
 * judges the zone by it. Rejects with the error of a page that failed.
 */
export async function detectZone(detection: ZoneDetection): Promise<ZoneFinding> {
  const { client, zone, signal } = detection;
  const ask = async (report: DetailKind, fromMs: number, toMs: number): Promise<Asked> => {
    const startDate = formatWireDate(utcMsToCivil(fromMs));
    const endDate = formatWireDate(utcMsToCivil(toMs));
    const request = { report, startDate, endDate, size: 1, lastDocument: '' };
    const { bytes, serverTimeMs } = await client.fetchPage(request, { signal });
    return {
      page: readPage(new Uint8Array(bytes), { report, zone: 'UTC' }),
      nowMs: serverTimeMs ?? detection.now(),
      isServiceClock: serverTimeMs !== null,
    };
  };

  for (const report of REPORTS) {
    const startedAtMs = detection.now();
    const { nowMs: beganAtMs } = await ask(report, startedAtMs, startedAtMs);
    const endMs = beganAtMs + LATEST_MS;
    const newestCivilMs = await findNewest(
      async (fromMs) => (await ask(report, fromMs, endMs)).page.recordCount > 0,
      beganAtMs + EARLIEST_MS,
      endMs,
    );
    if (newestCivilMs === null) continue;
    const before = await ask(report, newestCivilMs - HOUR_MS, newestCivilMs);
    const { page, nowMs, isServiceClock } = await ask(report, newestCivilMs, endMs);
    const dateText = page.records[0]?.dateText ?? '';
    const instantMs = readDate(dateText, 'UTC');
    // A date that means another instant in another zone names none by itself.
    const isExplicit = instantMs !== null && readDate(dateText, '+01:00') === instantMs;
    return judgeZone({
      zone,
      newestCivilMs,
      nowMs,
      isServiceClock,
      newestInstantMs: isExplicit ? instantMs : null,
      countBefore: before.page.totalDocument ?? before.page.recordCount,
    });
  }
  return { verdict: 'unsure', zone, proposedZone: null, evidence: [{ code: 'no-records', values: {} }] };
}

const STEP_MS = 60_000;

/**
 * Finds the last minute that holds something, by halving: `hasFrom` returns whether anything lies at or after
 * a time. Null when nothing lies from `lowMs` on. What lies after `highMs` is not looked for.
 */
export async function findNewest(
  hasFrom: (fromMs: number) => Promise<boolean>,
  lowMs: number,
  highMs: number,
): Promise<number | null> {
  if (!(await hasFrom(lowMs))) return null;
  let found = lowMs;
  let beyond = highMs;
  while (beyond - found > STEP_MS) {
    const middle = found + Math.max(1, Math.floor((beyond - found) / STEP_MS / 2)) * STEP_MS;
    if (await hasFrom(middle)) found = middle;
    else beyond = middle;
  }
  return found;
}

/** What was observed of a service. */
export interface ZoneObservation {
  /** The zone that the connection is set to. */
  readonly zone: string;
  /** Minute of the newest record, on the clock that counts for the period of a request, as if it were UTC. */
  readonly newestCivilMs: number;
  /** The instant that the newest record's date names by itself, with a zone in its text; null for none. */
  readonly newestInstantMs: number | null;
  /** Records of the hour before the newest. */
  readonly countBefore: number;
  readonly nowMs: number;
  /** `nowMs` is the `Date` header of the service. */
  readonly isServiceClock: boolean;
}

/** Clocks of two computers may differ by this much. */
const MAX_SKEW_MS = 2 * MINUTE_MS;
/** A service with traffic has a record that is not older. */
const MAX_LIVE_AGE_MS = 15 * MINUTE_MS;
/** So many records in an hour don't stop for a quarter of an hour by chance. */
const MIN_BUSY_RECORDS = 60;
/** Offsets from UTC that clocks somewhere on Earth show, with summer time, in minutes. */
const OFFSETS_IN_USE = [
  -720, -660, -600, -570, -540, -480, -420, -360, -300, -240, -210, -180, -150, -120, -60, 0, 60, 120, 180,
  210, 240, 270, 300, 330, 345, 360, 390, 420, 480, 525, 540, 570, 600, 630, 660, 720, 765, 780, 825, 840,
];

/**
 * Judges whether the zone of a connection fits the newest record, the service's clock and the dates of
 * records (decisions 3 and 4), and proposes an offset where it does not.
 */
export function judgeZone(seen: ZoneObservation): ZoneFinding {
  const { zone, newestCivilMs, newestInstantMs, nowMs, countBefore } = seen;
  const offsetMs = toOffsetMs(nowMs, zone);
  /** The least offset at which the newest record is not ahead of its time. */
  const leastMs = newestCivilMs - nowMs;
  const ageMs = offsetMs - leastMs;
  const evidence: ZoneEvidence[] = [
    {
      code: 'newest-record',
      values: { record: toCivilText(newestCivilMs), now: toCivilText(nowMs), offset: toZoneName(offsetMs) },
    },
    ...(seen.isServiceClock ? [] : [{ code: 'own-clock' as const, values: {} }]),
  ];
  const find = (
    verdict: ZoneFinding['verdict'],
    proposedMs: number | null,
    more: ZoneEvidence,
  ): ZoneFinding => ({
    verdict,
    zone,
    proposedZone: proposedMs === null ? null : toZoneName(proposedMs),
    evidence: [...evidence, more],
  });

  const statedMs = newestInstantMs === null ? null : toStatedOffsetMs(newestCivilMs, newestInstantMs, nowMs);
  if (statedMs !== null) {
    const more: ZoneEvidence = { code: 'explicit-dates', values: { offset: toZoneName(statedMs) } };
    return statedMs === offsetMs ? find('fits', null, more) : find('wrong', statedMs, more);
  }
  const likelyMs = findOffsetMs(leastMs);
  if (ageMs < -MAX_SKEW_MS) {
    return find('wrong', likelyMs, { code: 'in-future', values: { minutes: toMinutes(-ageMs) } });
  }
  if (ageMs <= MAX_LIVE_AGE_MS) {
    return find('fits', null, { code: 'just-now', values: { minutes: toMinutes(ageMs) } });
  }
  const isSudden =
    countBefore >= MIN_BUSY_RECORDS && likelyMs !== null && likelyMs - leastMs <= MAX_LIVE_AGE_MS;
  const values = { minutes: toMinutes(ageMs), count: countBefore };
  return isSudden
    ? find('likely-wrong', likelyMs, { code: 'stopped', values })
    : find('unsure', null, { code: 'quiet', values });
}

/**
 * The offset between the clock of requests and the instant that a date names itself. Null where the date
 * lies ahead of its time: then its zone is written there by habit, and has no meaning.
 */
function toStatedOffsetMs(civilMs: number, instantMs: number, nowMs: number): number | null {
  if (instantMs > nowMs + MAX_SKEW_MS) return null;
  const offsetMs = findOffsetMs(civilMs - instantMs);
  return offsetMs !== null && offsetMs - (civilMs - instantMs) <= MAX_SKEW_MS ? offsetMs : null;
}

function findOffsetMs(leastMs: number): number | null {
  const minutes = OFFSETS_IN_USE.find((offset) => offset * MINUTE_MS >= leastMs - MAX_SKEW_MS);
  return minutes === undefined ? null : minutes * MINUTE_MS;
}

function toMinutes(ms: number): number {
  return Math.max(0, Math.round(ms / MINUTE_MS));
}

function toCivilText(civilMs: number): string {
  return formatWireDate(utcMsToCivil(civilMs));
}

/** `UTC`, or an offset as a zone is named: `+05:45`. */
function toZoneName(offsetMs: number): string {
  const minutes = Math.round(Math.abs(offsetMs) / MINUTE_MS);
  if (minutes === 0) return 'UTC';
  const pad = (value: number): string => String(value).padStart(2, '0');
  return `${offsetMs < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

/** A test keeps a connection, a client and its responses: a few at a time, the others wait. */
const MAX_TESTS = 3;

/** The handlers of `connections/…`. */
export function createConnectionsHandlers(parts: {
  readonly connections: ConnectionStore;
  readonly cache: Pick<Cache, 'removeConnection'>;
  readonly settings: SettingsStore;
  readonly tasks: TaskRegistry;
  now(): number;
  createClient(connection: SavedConnection, secrets: () => Promise<BothSecrets>): ReportingClient;
  readonly host: Pick<Host, 'fetch'>;
}): HandlersOf<'connections'> {
  const { connections, cache, settings, tasks, host, now } = parts;
  const enterTest = createGate(MAX_TESTS);

  /** A client for a draft as typed; secrets left out are those of the saved connection. */
  const createDraftClient = (
    draft: ConnectionDraft,
    { connectionId, secrets: typed }: Input<'connections/start-test'>,
  ): ReportingClient => {
    const id = connectionId ?? 'draft';
    const secrets = tidySecrets(typed);
    return parts.createClient({ ...draft, id, kind: 'remote', createdAtMs: now() }, async () => {
      const { accessToken, accessTokenSecret } = secrets;
      if (accessToken !== undefined && accessTokenSecret !== undefined) {
        return { accessToken, accessTokenSecret };
      }
      if (connectionId === null) throw new AppError('secrets.missing', 'Both credentials are needed.');
      return { ...(await connections.readSecrets(connectionId, draft.baseAddress)), ...secrets };
    });
  };
  return {
    'connections/list': () => connections.list(),
    'connections/list-set-aside': () => connections.listSetAside(),
    'connections/save': async ({ connectionId, draft, secrets }) => {
      const connection = await connections.save(connectionId, draft, secrets);
      if (settings.get().lastConnectionId === null) {
        await settings.update({ lastConnectionId: connection.id });
      }
      return connection;
    },
    'connections/save-names': ({ connectionId, names }) => connections.saveNames(connectionId, () => names),
    'connections/remove': async ({ connectionId }) => {
      connections.get(connectionId);
      const running = tasks.list().filter((task) => task.connectionId === connectionId && isActive(task));
      for (const task of running) tasks.cancel(task.id);
      await Promise.all(running.map((task) => tasks.whenEnded(task.id)));
      await connections.remove(connectionId);
      await cache.removeConnection(connectionId);
      if (settings.get().lastConnectionId === connectionId) {
        const [next] = await connections.list();
        await settings.update({ lastConnectionId: next?.id ?? null });
      }
      return null;
    },
    'connections/start-zone-check': (input) => {
      const checked = checkDraft(input.draft);
      const { connectionId } = input;
      const client = createDraftClient(checked, input);
      const zone = checked.serviceZone;
      const task = tasks.start({ kind: 'zone-check', connectionId }, async ({ signal, update }) => {
        update({ zoneFinding: await detectZone({ client, zone, signal, now }) });
      });
      return { taskId: task.id };
    },
    'connections/start-test': (input) => {
      const checked = checkDraft(input.draft);
      const { connectionId } = input;
      const client = createDraftClient(checked, input);
      const reach = (signal: AbortSignal): Promise<number> =>
        reachAddress(host.fetch, checked.baseAddress, signal);
      const task = tasks.start({ kind: 'connection-test', connectionId, isQueued: true }, (handle) =>
        enterTest(() => {
          handle.begin();
          return testConnection({ draft: checked, client, now, reach }, handle);
        }, handle.signal),
      );
      return { taskId: task.id };
    },
  };
}
