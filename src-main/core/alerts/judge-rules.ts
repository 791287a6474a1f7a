import {
  type AlertCondition,
  type AlertRule,
  isOnRecords,
  type RecordCondition,
  toTimeMeasure,
  withValue,
} from '../../common/model/alerts/alert-rule.ts';
import type { DeliveredRecord, DestinationContents } from '../../common/model/alerts/destination.ts';
import type { FieldCondition, PeriodScope, RecordFilter } from '../../common/model/records/record-filter.ts';
import type { RecordDetail } from '../../common/model/records/record.ts';
import { isTooLarge } from '../../common/query/filter-tree.ts';
import { DETAIL_KINDS } from '../../common/reporting/reports.ts';
import { HOUR_MS, MINUTE_MS } from '../../common/time/durations.ts';
import { nameConnection } from '../../common/words/words.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { Cache } from '../cache/cache.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { OutgoingAlert } from '../destinations/create-destinations.ts';
import { createMasks } from '../exports/evidence/masking/create-masks.ts';
import { createKnownClients, createPseudonyms } from '../exports/evidence/masking/known-clients.ts';
import type { Masks } from '../exports/evidence/masking/masks.ts';
import type { Events } from '../host.ts';
import type { Logger } from '../logging/logger.ts';
import type { AlertBook, StandingMemory } from './alert-book.ts';
import { type AlertSource, checkRule } from './check-rule.ts';
import { toLevel } from './judge-levels.ts';
import { isPlannedAt } from './read-minutes.ts';
import {
  type CheckedRule,
  logTurns,
  nameValue,
  type NotedConnection,
  type PendingNote,
  type TurnParts,
  writeTurn,
} from './send-notes.ts';

/** Records that a message shows of one alert. */
const MAX_RECORDS = 3;
const MAX_ERROR_CHARACTERS = 300;
/** Among more clients none can be looked for in texts. */
const MAX_CLIENTS = 50_000;
/** Records of both directions stand side by side. */
const NEWEST_FIRST = [{ column: 'dateMs' as const, descending: true }];

interface NewestParts {
  readonly book: Pick<AlertBook, 'listRules' | 'findState'>;
  readonly engine: Pick<Engine, 'openView' | 'readIds' | 'closeView' | 'listClients'>;
  readonly cache: Pick<Cache, 'readRows' | 'readRecord'>;
  /** Of this run of the application: a client has one pseudonym in all its messages. */
  readonly pseudonymKey: Uint8Array;
}

/** Whose alert it is, and when. */
type About = Pick<OutgoingAlert, 'ruleId' | 'value' | 'sinceMs' | 'atMs'>;

interface Question {
  readonly scope: PeriodScope;
  readonly filter: RecordFilter;
}

/**
 * Reads the newest requests that an alert is about: failed ones, or slow ones of an alert on times; none where it is about
 * something that is missing. Clients are replaced in every text unless they are chosen. Throws `analysis.*` and `cache.*`.
 */
export async function readNewest(
  parts: NewestParts,
  about: About,
  { clients }: DestinationContents,
  signal: AbortSignal,
): Promise<readonly DeliveredRecord[]> {
  const { book, cache } = parts;
  const rule = book.listRules().find(({ id }) => id === about.ruleId);
  const questions = rule === undefined ? [] : toQuestions(parts, rule, about);
  const found: RecordDetail[] = [];
  for (const question of questions) {
    if (isTooLarge(question.filter)) continue;
    for (const { snapshotId, seq } of await readRows(parts, question, signal))
      found.push(await cache.readRecord({ snapshotId, seq }));
  }
  if (found.length === 0) return [];
  const shown = found.toSorted((a, b) => (b.dateMs ?? 0) - (a.dateMs ?? 0)).slice(0, MAX_RECORDS);
  const masks = clients === 'received' ? null : await openMasks(parts, questions, signal);
  return shown.map((record) => toDelivered(record, masks));
}

async function readRows(
  { engine, cache }: NewestParts,
  question: Question,
  signal: AbortSignal,
): Promise<readonly { readonly snapshotId: number; readonly seq: number }[]> {
  const { viewId } = await engine.openView({ ...question, order: NEWEST_FIRST }, { signal });
  try {
    return await cache.readRows(await engine.readIds({ viewId, offset: 0, limit: MAX_RECORDS }, { signal }));
  } finally {
    await engine.closeView(viewId).catch(() => undefined);
  }
}

function toQuestions(
  { book }: NewestParts,
  { id, connectionId, condition }: AlertRule,
  { value, sinceMs, atMs }: About,
): readonly Question[] {
  if (condition.kind === 'finding') {
    const finding = book.findState(id)?.standings.find((one) => one.value === value)?.finding;
    if (finding === undefined) return [];
    const { channel, service, directions } = finding;
    const conditions: FieldCondition[] = [{ field: 'outcome', values: ['failed'] }];
    if (channel !== null) conditions.push({ field: 'channel', values: [channel] });
    if (service !== null) conditions.push({ field: 'service', values: [service] });
    return directions.map((direction) => ({
      scope: { connectionId, report: `${direction}-detail` as const, fromMs: finding.sinceMs, toMs: atMs },
      filter: { conditions },
    }));
  }
  const own = withValue(condition, value);
  const shown = isOnRecords(own) ? toShown(own) : null;
  if (shown === null || !isOnRecords(own)) return [];
  const scope = {
    connectionId,
    report: `${own.direction}-detail` as const,
    fromMs: sinceMs - own.minutes * MINUTE_MS,
    toMs: Math.max(atMs, sinceMs),
  };
  return [{ scope, filter: { conditions: [...own.filter.conditions, shown] } }];
}

/** What of the requests that a condition is about is worth a look; null where it is about too few of them. */
function toShown(condition: RecordCondition): FieldCondition | null {
  const failed: FieldCondition = { field: 'outcome', values: ['failed'] };
  if (condition.kind === 'new-family') return failed;
  if (condition.kind === 'silence' || condition.comparison === 'below') return null;
  const time = toTimeMeasure(condition.measure);
  return time === undefined ? failed : { field: time.field, min: condition.threshold };
}

/** Knows every client of the time that is looked at; null stands for too many. */
async function openMasks(
  { engine, pseudonymKey }: NewestParts,
  questions: readonly Question[],
  signal: AbortSignal,
): Promise<Masks> {
  const known = createKnownClients();
  let isWhole = true;
  for (const { scope } of questions)
    for (const report of DETAIL_KINDS) {
      const asked = { scope: { ...scope, report }, after: null, limit: MAX_CLIENTS };
      const clients = await engine.listClients(asked, { signal });
      isWhole &&= clients.length < MAX_CLIENTS;
      for (const client of clients) known.add(client);
    }
  const masking = { client: 'pseudonym', payload: 'left-out', errors: 'received' } as const;
  const masks = createMasks(masking, known, createPseudonyms(pseudonymKey));
  return isWhole ? masks : { ...masks, error: () => '' };
}

function toDelivered(record: RecordDetail, masks: Masks | null): DeliveredRecord {
  const { dateMs, dateText, channel, service, sessionId, client, responseCode, responseTimeMs } = record;
  const error = masks === null ? record.error : masks.error(record);
  return {
    date: dateMs === null ? dateText : new Date(dateMs).toISOString(),
    channel,
    service,
    session: masks?.sessionId(sessionId, client) ?? sessionId,
    client: masks?.client(client) ?? client,
    code: responseCode,
    timeMs: responseTimeMs,
    error: error.length > MAX_ERROR_CHARACTERS ? `${error.slice(0, MAX_ERROR_CHARACTERS)}…` : error,
  };
}

interface JudgeParts extends TurnParts {
  readonly book: TurnParts['book'] & Pick<AlertBook, 'listRules' | 'findState' | 'setState'>;
  readonly source: AlertSource;
  readonly connections: Pick<ConnectionStore, 'get' | 'list' | 'listNames'>;
  readonly logger: Logger;
  /** Gets how many minutes of a rule's last check lacked records. */
  noteLacking(ruleId: string, minutes: number): void;
  hasStopped(): boolean;
}

/** What one round of checks led to. */
interface JudgedRules {
  readonly pending: readonly PendingNote[];
  /** What destinations get: alerts that fired or ended, and those that still fire. */
  readonly outgoing: readonly OutgoingAlert[];
  readonly reminders: readonly OutgoingAlert[];
  /** Whether a rule fired or ended. */
  readonly hasTurned: boolean;
}

/** Judges the active rules that are due, one after another. Returns null where it was stopped meanwhile. */
export async function judgeRules(
  parts: JudgeParts,
  isDue: (rule: AlertRule) => boolean,
): Promise<JudgedRules | null> {
  const { book, connections, logger, hasStopped } = parts;
  const there = new Set((await connections.list()).map(({ id }) => id));
  const pending: PendingNote[] = [];
  const outgoing: OutgoingAlert[] = [];
  const reminders: OutgoingAlert[] = [];
  let hasTurned = false;
  for (const rule of book.listRules()) {
    if (hasStopped()) return null;
    if (!rule.isActive || !isDue(rule) || !there.has(rule.connectionId)) continue;
    try {
      const judged = await judgeRule(parts, rule);
      pending.push(...judged.pending);
      outgoing.push(...judged.outgoing);
      reminders.push(...judged.reminders);
      hasTurned ||= judged.hasTurned;
    } catch (error) {
      if (hasStopped()) return null;
      // The next time it is judged from where it stood; only time is lost.
      logger.warn('alert not judged', { ruleId: rule.id, error });
    }
  }
  return hasStopped() ? null : { pending, outgoing, reminders, hasTurned };
}

async function judgeRule(parts: JudgeParts, rule: AlertRule): Promise<JudgedRules> {
  const { book, source, connections, now, noteLacking } = parts;
  const connection = connections.get(rule.connectionId);
  const checked = await checkRule(source, { ...connection, rule }, book.findState(rule.id), now());
  if (checked.state !== null) book.setState(checked.state);
  noteLacking(rule.id, checked.lackingMinutes);
  const noted = {
    name: nameConnection(connection, parts.readWords()),
    valueNames: connections.listNames(rule.connectionId),
    zone: connection.serviceZone,
  };
  const logged = logTurns(parts, rule, noted, checked);
  return {
    ...logged,
    reminders: toReminders(parts, rule, noted, checked),
    hasTurned: checked.turns.length > 0,
  };
}

/** What of a rule still fires, and nothing keeps from notifying. */
function toReminders(
  { book, connections, readWords, now }: JudgeParts,
  rule: AlertRule,
  noted: NotedConnection,
  { state, turns }: CheckedRule,
): OutgoingAlert[] {
  const nowMs = now();
  // What was last judged is too old to say that it still fires.
  if (state === null || nowMs - state.judgedToMs > HOUR_MS) return [];
  const { plans } = connections.get(rule.connectionId);
  const { id: ruleId, connectionId, condition } = rule;
  // Of what a note has just said, and noted since, the book knows.
  return (book.findState(ruleId)?.standings ?? []).flatMap((standing) => {
    const { value, finding, sinceMs, figures, wasTold } = standing;
    const hasTurned = turns.some((one) => one.value === value);
    if (sinceMs === null || !wasTold || hasTurned || book.findMute(rule, nowMs, value) !== null) return [];
    const own = toOwnCondition(condition, standing);
    if (isPlannedAt(plans, own, nowMs)) return [];
    const level = toLevel(standing);
    const words = readWords();
    const turn = { kind: 'fired', level, atMs: nowMs, sinceMs, figures } as const;
    return [
      {
        ruleId,
        connectionId,
        kind: 'reminder' as const,
        connection: noted.name,
        sinceMs,
        atMs: nowMs,
        ...(value === undefined ? {} : { value }),
        ...(level === null ? {} : { level }),
        name: nameValue(words, rule, { value, finding }, noted.valueNames),
        text: writeTurn(words, { condition, finding, connection: noted }, turn, ''),
      },
    ];
  });
}

/** Whether a planned time keeps an alert that was noted from being sent now. */
export function isAlertPlanned(
  {
    book,
    connections,
    now,
  }: Pick<JudgeParts, 'book' | 'now'> & {
    readonly connections: Pick<ConnectionStore, 'listSaved'>;
  },
  { ruleId, value }: Pick<OutgoingAlert, 'ruleId' | 'value'>,
): boolean {
  const rule = book.listRules().find(({ id }) => id === ruleId);
  const plans = connections.listSaved().find(({ id }) => id === rule?.connectionId)?.plans;
  if (rule === undefined || plans === undefined) return false;
  const standing = book.findState(ruleId)?.standings.find((one) => one.value === value);
  return isPlannedAt(plans, toOwnCondition(rule.condition, { value, finding: standing?.finding }), now());
}

/** The condition of a value or a finding that is watched by itself: planned times are of its place. */
function toOwnCondition(
  condition: AlertCondition,
  { value, finding }: { readonly [Name in 'value' | 'finding']?: StandingMemory[Name] | undefined },
): AlertCondition {
  if (condition.kind !== 'finding') return withValue(condition, value);
  return finding === undefined
    ? condition
    : { ...condition, channel: finding.channel, service: finding.service };
}

/** Pages come many times a second: what they change is judged together. */
const SOON_MS = 5_000;
const EVERY_MS = 60_000;
/** Events after which records may be new or gone. */
const CHANGES_OF_RECORDS = /^(?:snapshots|downloads|tasks)\//;

interface ChangeWatch {
  /** Has the rules of a connection judged soon. */
  request(connectionId: string): void;
  stop(): void;
}

/** Calls `check` soon after records or samples came, and once a minute: then for all rules. */
export function watchChanges(options: {
  readonly events: Pick<Events, 'onAny'>;
  listConnections(): Promise<readonly { readonly id: string }[]>;
  check(isDue: (rule: AlertRule) => boolean): Promise<void>;
  /** Connections that were there and are no longer. */
  forget(connectionIds: ReadonlySet<string>): Promise<void>;
}): ChangeWatch {
  let there: ReadonlySet<string> = new Set();
  let timer: NodeJS.Timeout | null = null;
  let recordsOfAll = false;
  const touched = new Set<string>();
  const checked = new Set<string>();

  const run = (): void => {
    timer = null;
    const [all, records, status] = [recordsOfAll, new Set(touched), new Set(checked)];
    recordsOfAll = false;
    touched.clear();
    checked.clear();
    void options.check(({ connectionId, condition: { kind } }) => {
      const isOfRecords = kind !== 'down' && (all || records.has(connectionId));
      return isOfRecords || ((kind === 'down' || kind === 'finding') && status.has(connectionId));
    });
  };
  const request = (): void => {
    timer ??= setTimeout(run, SOON_MS).unref();
  };
  const follow = (now: ReadonlySet<string>): void => {
    const gone = new Set([...there].filter((id) => !now.has(id)));
    there = now;
    if (gone.size > 0) void options.forget(gone);
  };
  void options.listConnections().then((list) => {
    if (there.size === 0) follow(new Set(list.map(({ id }) => id)));
  });
  const stopListening = options.events.onAny((...event) => {
    const [name, payload] = event;
    if (name === 'connections/changed') follow(new Set(payload.map(({ id }) => id)));
    else if (name === 'status/checked') checked.add(payload.connectionId);
    else if (name === 'snapshots/changed') touched.add(payload.connectionId);
    else if (CHANGES_OF_RECORDS.test(name)) recordsOfAll = true;
    else return;
    request();
  });
  const minutes = setInterval(() => void options.check(() => true), EVERY_MS).unref();

  return {
    request: (connectionId) => {
      touched.add(connectionId);
      checked.add(connectionId);
      request();
    },
    stop() {
      stopListening();
      clearInterval(minutes);
      if (timer !== null) clearTimeout(timer);
    },
  };
}
