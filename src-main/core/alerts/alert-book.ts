import { basename, join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { type Static, Type } from 'typebox';
import { AppError } from '../../common/contract/errors.ts';
import { isPlainObject } from '../../common/json.ts';
import { AlertMute, AlertRule, isMutedAt, toEach } from '../../common/model/alerts/alert-rule.ts';
import {
  type AlertBoard,
  AlertFigures,
  AlertLogEntry,
  type AlertRest,
  type AlertState,
  type AlertValueState,
} from '../../common/model/alerts/alert-state.ts';
import { ToldFinding } from '../../common/model/analysis/finding.ts';
import { GroupValue } from '../../common/model/analysis/grouping.ts';
import { Nullable } from '../../common/model/nullable.ts';
import { MINUTE_MS } from '../../common/time/durations.ts';
import {
  keepFitting,
  partFitting,
  readEntries,
  readJsonFileOrKeepAside,
  readVersionedFile,
  type UnfitEntry,
  writeJsonFile,
} from '../documents/json-file.ts';
import { guardCsvText } from '../exports/formats/export-writer.ts';
import type { Logger } from '../logging/logger.ts';
import { toLevel } from './judge-levels.ts';

/** Entries kept of each rule; the oldest go first. */
const MAX_ENTRIES = 500;

/** The rules, where they stand, and their logs: in memory, and in two files. */
export interface AlertBook {
  listRules(): readonly AlertRule[];
  /** Throws `alerts.not-found`. */
  getRule(ruleId: string): AlertRule;
  findState(ruleId: string): RuleMemory | undefined;
  readLog(ruleId: string): readonly AlertLogEntry[];
  /** Why a rule doesn't notify at a moment; null where it does. */
  findMute(rule: AlertRule, nowMs: number, value?: GroupValue): 'muted' | 'connection-muted' | null;
  /** Puts a rule in its place, or at the end. */
  saveRule(rule: AlertRule): Promise<void>;
  removeRule(ruleId: string): Promise<void>;
  /** Removes what belongs to connections: rules, logs, mutes. */
  removeConnections(connectionIds: ReadonlySet<string>): Promise<void>;
  muteConnection(connectionId: string, mute: AlertMute | null): Promise<void>;
  setState(state: RuleMemory): void;
  /** Notes that a firing was told, of a value or of all that a rule watches. */
  markTold(ruleId: string, value: GroupValue | undefined): void;
  forgetState(ruleId: string): void;
  addEntry(entry: AlertLogEntry): void;
  /** Changes the entry that a notification is about; false where there is none. */
  markShown(noteId: string): boolean;
  /** Notes that the system showed a notification not at all, after all. */
  markRefused(noteId: string): void;
  /** Writes states and logs. */
  saveMemory(): Promise<void>;
  toBoard(about: {
    readonly nowMs: number;
    readonly checkedAtMs: number | null;
    readonly lackingOf: ReadonlyMap<string, number>;
    findRest(rule: AlertRule): AlertRest | null;
  }): AlertBoard;
}

/** Loads the rules and what is remembered of them. */
export async function openAlertBook(file: AlertFile, memory: AlertMemory): Promise<AlertBook> {
  const loaded = await file.load();
  const remembered = await memory.load();
  let rules = loaded.rules;
  let { setAside } = loaded;
  let mutes: readonly ConnectionMute[] = loaded.mutes;
  const isKnown = ({ ruleId }: { readonly ruleId: string }): boolean => rules.some(({ id }) => id === ruleId);
  const states = new Map(remembered.states.filter(isKnown).map((state) => [state.ruleId, state]));
  const logs = Map.groupBy(remembered.entries.filter(isKnown), ({ ruleId }) => ruleId);

  const write = async (nextRules: readonly AlertRule[], nextMutes = mutes): Promise<void> => {
    ({ rules, mutes, setAside } = await file.save({ rules: nextRules, mutes: nextMutes }));
  };
  const removeRules = async (isGone: (rule: AlertRule) => boolean, nextMutes = mutes): Promise<void> => {
    const gone = rules.filter(isGone);
    if (gone.length === 0 && nextMutes.length === mutes.length) return;
    await write(
      rules.filter((rule) => !isGone(rule)),
      nextMutes,
    );
    for (const { id } of gone) {
      states.delete(id);
      logs.delete(id);
    }
  };
  const findConnectionMute = (connectionId: string): AlertMute | null =>
    mutes.find((one) => one.connectionId === connectionId)?.mute ?? null;

  return {
    listRules: () => rules,
    getRule: (ruleId) => {
      const rule = rules.find(({ id }) => id === ruleId);
      if (rule === undefined) throw new AppError('alerts.not-found', 'No such rule.');
      return rule;
    },
    findState: (ruleId) => states.get(ruleId),
    readLog: (ruleId) => logs.get(ruleId) ?? [],
    findMute: (rule, nowMs, value) => {
      const own = rule.valueMutes?.find((one) => one.value === value)?.mute ?? null;
      if (isMutedAt(rule.mute, nowMs) || isMutedAt(own, nowMs)) return 'muted';
      return isMutedAt(findConnectionMute(rule.connectionId), nowMs) ? 'connection-muted' : null;
    },
    saveRule: (rule) => {
      const isThere = rules.some(({ id }) => id === rule.id);
      return write(isThere ? rules.map((one) => (one.id === rule.id ? rule : one)) : [...rules, rule]);
    },
    removeRule: (ruleId) => removeRules((rule) => rule.id === ruleId),
    removeConnections: async (connectionIds) => {
      const isGone = ({ connectionId }: { readonly connectionId: string }): boolean =>
        connectionIds.has(connectionId);
      await removeRules(
        isGone,
        mutes.filter((mute) => !isGone(mute)),
      );
    },
    muteConnection: (connectionId, mute) => {
      const others = mutes.filter((one) => one.connectionId !== connectionId);
      return write(rules, mute === null ? others : [...others, { connectionId, mute }]);
    },
    setState: (state) => void states.set(state.ruleId, state),
    markTold: (ruleId, value) => {
      const state = states.get(ruleId);
      if (state === undefined) return;
      const standings = state.standings.map((own) => (own.value === value ? { ...own, wasTold: true } : own));
      states.set(ruleId, { ...state, standings });
    },
    forgetState: (ruleId) => void states.delete(ruleId),
    addEntry: (entry) => {
      const entries = logs.get(entry.ruleId) ?? [];
      logs.set(entry.ruleId, [...entries, entry].slice(-MAX_ENTRIES));
    },
    markShown: (noteId) => {
      for (const [ruleId, entries] of logs) {
        const place = entries.findIndex((entry) => entry.noteId === noteId && entry.notice === 'no-window');
        const entry = entries[place];
        if (entry === undefined) continue;
        logs.set(ruleId, entries.with(place, { ...entry, notice: 'browser' }));
        return true;
      }
      return false;
    },
    markRefused: (noteId) => {
      for (const [ruleId, entries] of logs) {
        if (!entries.some((entry) => entry.noteId === noteId)) continue;
        logs.set(
          ruleId,
          entries.map((entry) => (entry.noteId === noteId ? { ...entry, notice: 'failed' } : entry)),
        );
      }
    },
    saveMemory: () => memory.save([...states.values()], [...logs.values()].flat()),
    toBoard: ({ nowMs, checkedAtMs, lackingOf, findRest }) => ({
      rules: rules.map((rule) => {
        const state = states.get(rule.id);
        const judgedToMs = state?.judgedToMs ?? null;
        const blindMinutes = Math.floor((nowMs - (judgedToMs ?? nowMs)) / MINUTE_MS);
        const standings = rule.isActive ? (state?.standings ?? []) : [];
        return {
          rule: withoutPastMutes(rule, nowMs),
          state: {
            ...toWorst(standings),
            lastFiredMs: findLatest((state?.standings ?? []).map(({ lastFiredMs }) => lastFiredMs)),
            judgedToMs,
            blindMinutes: Math.max(0, blindMinutes) + (lackingOf.get(rule.id) ?? 0),
            rests: findRest(rule),
            values: toEach(rule.condition) === undefined ? [] : toValueStates(standings),
            hasMoreValues: state?.hasMore ?? false,
          },
        };
      }),
      mutes: mutes.filter(({ mute }) => isMutedAt(mute, nowMs)),
      checkedAtMs,
      setAside: setAside.length,
    }),
  };
}

function withoutPastMutes(rule: AlertRule, nowMs: number): AlertRule {
  const { valueMutes = [], ...own } = rule;
  const held = valueMutes.filter(({ mute }) => isMutedAt(mute, nowMs));
  return {
    ...own,
    mute: isMutedAt(rule.mute, nowMs) ? rule.mute : null,
    ...(held.length === 0 ? {} : { valueMutes: held }),
  };
}

/** Since when any of them fires, and the worst level. */
function toWorst(standings: readonly StandingMemory[]): Pick<AlertState, 'firingSinceMs' | 'level'> {
  const firing = standings.filter(({ sinceMs }) => sinceMs !== null);
  const levels = firing.map(toLevel);
  const since = firing.flatMap(({ sinceMs }) => sinceMs ?? []);
  return {
    firingSinceMs: since.length === 0 ? null : Math.min(...since),
    level: levels.includes('critical') ? 'critical' : levels.includes('warning') ? 'warning' : null,
  };
}

function findLatest(moments: readonly (number | null)[]): number | null {
  const all = moments.flatMap((atMs) => atMs ?? []);
  return all.length === 0 ? null : Math.max(...all);
}

/** Critical ones first, then other firing ones, then by how many requests they have. */
function toValueStates(standings: readonly StandingMemory[]): AlertValueState[] {
  const rank = ({ firingSinceMs, level }: AlertValueState): number =>
    firingSinceMs === null ? 2 : level === 'critical' ? 0 : 1;
  return standings
    .flatMap((own) => {
      const { value, sinceMs, lastFiredMs, latest, seenMs = 0 } = own;
      if (value === undefined) return [];
      return [{ value, firingSinceMs: sinceMs, lastFiredMs, level: toLevel(own), latest, seenMs }];
    })
    .sort((a, b) => rank(a) - rank(b) || (b.latest?.total ?? 0) - (a.latest?.total ?? 0));
}

const HEAD = [
  'Time (UTC)',
  'Event',
  'Value',
  'Level',
  'Fired (UTC)',
  'Counted',
  'Of',
  'Worst',
  'Notification',
  'Condition',
] as const;

/** Returns the log of a rule as CSV by RFC 4180, oldest first, times in UTC. */
export function writeLogCsv(entries: readonly AlertLogEntry[]): string {
  const rows = entries.map(({ atMs, kind, value, level, sinceMs, figures, notice, condition }) => [
    toTimeText(atMs),
    kind,
    value === undefined ? null : value === null ? 'none' : guardCsvText(String(value)),
    level ?? null,
    sinceMs === undefined ? null : toTimeText(sinceMs),
    figures?.hits ?? null,
    figures?.total ?? null,
    figures?.peak ?? null,
    notice,
    condition === undefined ? null : guardCsvText(JSON.stringify(condition)),
  ]);
  return stringify([[...HEAD], ...rows], { record_delimiter: '\r\n', quoted_string: true });
}

function toTimeText(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** Reads and writes the rules and the connections that are muted. */
export interface AlertFile {
  load(): Promise<AlertDocument>;
  /** Writes what is in use, and with it whatever is set aside. Returns what is in use from now on. One call at a time. */
  save(document: Pick<AlertDocument, 'rules' | 'mutes'>): Promise<AlertDocument>;
}

const FILE_NAME = 'alerts.json';

/**
 * The rules are in `alerts.json`. What doesn't fit stays in it, apart from the others; a file of another version is copied
 * before it is first written, and one that is no list of rules is moved aside.
 */
export function createAlertFile(folder: string, now: () => number, logger: Logger): AlertFile {
  const path = join(folder, FILE_NAME);
  let setAside: AlertDocument['setAside'] = [];
  return {
    load: async () => {
      const found = await readVersionedFile({
        path,
        version: ALERTS_VERSION,
        findVersion: findAlertsVersion,
        now,
        onDamage: (keptAs) => logger.error('alerts damaged', { keptAs: basename(keptAs) }),
      });
      if (found === null) return { rules: [], mutes: [], setAside };
      const read = readAlertDocument(found.saved, found.version);
      setAside = read.setAside;
      if (setAside.length > 0) {
        logger.error('alerts set aside', { count: setAside.length, version: found.version });
      }
      return read;
    },
    save: async ({ rules, mutes }) => {
      const { fitting, unfit } = partFitting(AlertRule, rules);
      const aside = [...setAside, ...unfit.map((entry) => ({ version: ALERTS_VERSION, entry }))];
      const document = {
        rules: fitting,
        mutes: partFitting(ConnectionMute, mutes).fitting,
        setAside: aside,
      };
      await writeJsonFile(path, toAlertDocument(document));
      setAside = aside;
      if (unfit.length > 0) logger.error('alerts set aside', { count: unfit.length });
      return document;
    },
  };
}

/** Connections whose rules don't notify. */
const ConnectionMute = Type.Object({ connectionId: Type.String(), mute: AlertMute });
type ConnectionMute = Static<typeof ConnectionMute>;

/** What `alerts.json` holds: what is in use, and what this version can't use and keeps as it is. */
interface AlertDocument {
  readonly rules: readonly AlertRule[];
  readonly mutes: readonly ConnectionMute[];
  readonly setAside: readonly UnfitEntry[];
}

/** The version that is written. */
const ALERTS_VERSION = 1;

/** Returns the version of a document as it was read, or null for something else. */
function findAlertsVersion(saved: unknown): number | null {
  if (!isPlainObject(saved) || !Array.isArray(saved['rules'])) return null;
  const version = saved['version'];
  return typeof version === 'number' && Number.isInteger(version) && version >= 1 ? version : null;
}

/** Reads a document of any version: what doesn't fit is set aside as it was found, and tried again another time. */
function readAlertDocument(saved: unknown, version: number): AlertDocument {
  const { rules, mutes, setAside } = isPlainObject(saved) ? saved : {};
  const read = readEntries(AlertRule, { version, entries: rules, setAside });
  return { rules: read.entries, mutes: keepFitting(ConnectionMute, mutes), setAside: read.setAside };
}

/** Returns the document as it is written. */
function toAlertDocument({ rules, mutes, setAside }: AlertDocument): object {
  return { version: ALERTS_VERSION, rules, mutes, ...(setAside.length === 0 ? {} : { setAside }) };
}

const Progress = {
  sinceMs: Nullable(Type.Integer()),
  calmMinutes: Type.Integer(),
  figures: AlertFigures,
};

/** What is carried on of all that a rule watches, or of one value or finding of it. */
export const StandingMemory = Type.Object({
  value: Type.Optional(GroupValue),
  /** Of a rule on findings, as it was last told; the value is its identifier. */
  finding: Type.Optional(ToldFinding),
  /** The last request with the value; up to where it was looked at when a finding was last told. */
  seenMs: Type.Optional(Type.Integer()),
  ...Progress,
  /** How far its critical threshold is; missing where it has none. */
  critical: Type.Optional(Type.Object(Progress)),
  lastFiredMs: Nullable(Type.Integer()),
  /** Whether the firing was told, so that its end is too. */
  wasTold: Type.Boolean(),
  latest: Nullable(Type.Object({ hits: Type.Integer(), total: Type.Integer() })),
});
export type StandingMemory = Static<typeof StandingMemory>;

/** How far a rule was judged, and what it carries on. */
export const RuleMemory = Type.Object({
  ruleId: Type.String(),
  /** Nothing that ended by then is judged again, whatever comes late. */
  judgedToMs: Type.Integer(),
  /** One for each value of a rule that watches each; else one. */
  standings: Type.Array(StandingMemory),
  /** There are values that the rule doesn't watch, because they are too many. */
  hasMore: Type.Boolean(),
});
export type RuleMemory = Static<typeof RuleMemory>;

/** The states of rules and their logs, in a file of their own: they change by themselves. */
export interface AlertMemory {
  load(): Promise<{ readonly states: RuleMemory[]; readonly entries: AlertLogEntry[] }>;
  save(states: readonly RuleMemory[], entries: readonly AlertLogEntry[]): Promise<void>;
}

const MEMORY_FILE_NAME = 'alert-log.json';
const VERSION = 1;

/** What was judged and noted is in `alert-log.json`; entries that don't fit are left out, a damaged file moved aside. */
export function createAlertMemory(folder: string, now: () => number, logger: Logger): AlertMemory {
  const path = join(folder, MEMORY_FILE_NAME);
  return {
    load: async () => {
      const saved = await readJsonFileOrKeepAside(path, now(), (keptAs) =>
        logger.error('alert log damaged', { keptAs: basename(keptAs) }),
      );
      const document = (saved ?? {}) as Readonly<Record<string, unknown>>;
      return {
        states: keepFitting(RuleMemory, document['states']),
        entries: keepFitting(AlertLogEntry, document['entries']),
      };
    },
    save: (states, entries) => writeJsonFile(path, { version: VERSION, states, entries }),
  };
}
