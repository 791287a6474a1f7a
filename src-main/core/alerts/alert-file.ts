import { basename, join } from 'node:path';
import { Type, type Static } from 'typebox';
import { isPlainObject } from '../../common/json/is-plain-object.ts';
import { AlertRule, AlertMute } from '../../common/model/alerts/alert-rule.ts';
import { AlertFigures, AlertLogEntry } from '../../common/model/alerts/alert-state.ts';
import { ToldFinding } from '../../common/model/analysis/finding.ts';
import { GroupValue } from '../../common/model/analysis/grouping.ts';
import { Nullable } from '../../common/model/nullable.ts';
import { partFitting, keepFitting, readEntries, type UnfitEntry } from '../documents/fitting-entries.ts';
import { writeJsonFile, readVersionedFile, readJsonFileOrKeepAside } from '../documents/json-file.ts';
import type { Logger } from '../logging/logger.ts';

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
export const ConnectionMute = Type.Object({ connectionId: Type.String(), mute: AlertMute });
export type ConnectionMute = Static<typeof ConnectionMute>;

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
