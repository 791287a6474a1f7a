import { basename, join } from 'node:path';
import { Type, type Static } from 'typebox';
import { AlertFigures, AlertLogEntry } from '../../common/model/alerts/alert-state.ts';
import { ToldFinding } from '../../common/model/analysis/finding.ts';
import { GroupValue } from '../../common/model/analysis/grouping.ts';
import { Nullable } from '../../common/model/nullable.ts';
import { keepFitting } from '../documents/fitting-entries.ts';
import { readJsonFileOrKeepAside, writeJsonFile } from '../documents/json-file.ts';
import type { Logger } from '../logging/logger.ts';

const Progress = {
  sinceMs: Nullable(Type.Integer()),
  calmMinutes: Type.Integer(),
  figures: AlertFigures,
};

/** What is carried on of all that a rule watches, or of one value or finding of it. */
const StandingMemory = Type.Object({
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
const RuleMemory = Type.Object({
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

const FILE_NAME = 'alert-log.json';
const VERSION = 1;

/** What was judged and noted is in `alert-log.json`; entries that don't fit are left out, a damaged file moved aside. */
export function createAlertMemory(folder: string, now: () => number, logger: Logger): AlertMemory {
  const path = join(folder, FILE_NAME);
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
