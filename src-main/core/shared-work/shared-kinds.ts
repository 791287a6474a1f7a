import { randomUUID } from 'node:crypto';
import { Type, type Static, type TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { AppError } from '../../common/contract/errors.ts';
import type { Emit } from '../../common/contract/index.ts';
import { foldCase } from '../../common/fold-case.ts';
import { isPlainObject } from '../../common/json.ts';
import { AlertDraft } from '../../common/model/alerts/alert-rule.ts';
import { FamilyChange, MAX_FAMILY_CHANGES } from '../../common/model/connections/family-changes.ts';
import {
  MAX_OWN_CELL,
  MAX_OWN_ROWS,
  MAX_OWN_TABLES,
  OwnTable,
  toOwnSqlName,
} from '../../common/model/connections/own-table.ts';
import {
  findPlannedFault,
  MAX_PLANNED_TIMES,
  MAX_TIME_MARKS,
  PlannedTimeDraft,
  TimeMarkDraft,
} from '../../common/model/connections/planned.ts';
import { MAX_SAVED_VIEWS, SavedView } from '../../common/model/records/record-filter.ts';
import { MAX_NAMES, ValueName } from '../../common/model/records/body-path.ts';
import { ScheduleDraft } from '../../common/model/schedules/schedule.ts';
import { MAX_SAVED_STATEMENTS, SavedStatement } from '../../common/model/settings/settings.ts';
import type { SharedKind } from '../../common/model/shared/shared-work.ts';
import { findReversedRange, OutcomeRules } from '../../common/reporting/outcome.ts';
import type { Alerts } from '../alerts/create-alerts.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Logger } from '../logging/logger.ts';
import { type OwnTableFiles, readTable, toOwnRows } from '../own-tables/own-tables.ts';
import type { Schedules } from '../schedules/open-schedules.ts';
import type { SettingsStore } from '../settings/create-settings.ts';
import type { Json } from './item-text.ts';

/** An item as it is here. */
interface LocalItem {
  readonly key: string;
  readonly value: Json;
}

/** An item that is here, and can't be read: what it holds is gone from this computer. */
interface LostItem {
  readonly key: string;
  readonly name: string;
  readonly isLost: true;
}

/** Returns what an item is to be, from what it is when its turn comes; undefined where it isn't. May throw to leave it. */
export type ToNext = (current: Json | undefined) => Json | undefined;

/** How one kind of shared work is kept here. `connectionId` is '' for kinds that belong to no connection. */
export interface KindRoom {
  /** Of the value in a file. What is only of this computer isn't in it. */
  readonly schema: TSchema;
  list(connectionId: string): readonly (LocalItem | LostItem)[] | Promise<readonly (LocalItem | LostItem)[]>;
  /** Rejects as the operation does that a person changes such an item with, for a value that can't be used here. */
  change(connectionId: string, key: string, toNext: ToNext): Promise<void>;
}

export interface KindParts {
  readonly settings: Pick<SettingsStore, 'get' | 'revise'>;
  readonly connections: Pick<
    ConnectionStore,
    'get' | 'listSaved' | 'saveNames' | 'saveOutcomes' | 'saveFamilies' | 'savePlans' | 'saveTables'
  >;
  readonly alerts: Pick<Alerts, 'book' | 'change'>;
  readonly schedules: Pick<Schedules, 'listSaved' | 'change'>;
  readonly ownTableFiles: OwnTableFiles;
  readonly engine: Pick<Engine, 'noteRules'>;
  readonly emit: Emit;
  readonly logger: Logger;
  now(): number;
}

const DIRECTIONS = ['inbound', 'outbound'] as const;
const SharedAlert = Type.Omit(AlertDraft, ['connectionId']);
/** Whether one runs, and into which folder it writes, is of each computer. */
const SharedSchedule = Type.Omit(ScheduleDraft, ['connectionId', 'isActive']);
const SharedOutcomes = Type.Object({ rules: OutcomeRules });
const SharedFamilies = Type.Object({
  changes: Type.Array(FamilyChange, { minItems: 1, maxItems: MAX_FAMILY_CHANGES }),
});
const SharedTable = Type.Object({
  ...Type.Pick(OwnTable, ['name', 'field', 'columns']).properties,
  /** The key, then a text for each column. */
  rows: Type.Array(Type.Array(Type.String({ maxLength: MAX_OWN_CELL })), {
    minItems: 1,
    maxItems: MAX_OWN_ROWS,
  }),
});

/** What a person reads an item by. */
export function toLabel(kind: SharedKind, key: string, value: Json): string {
  const { name, text } = isPlainObject(value) ? value : {};
  if (typeof name === 'string')
    return kind === 'names' ? `${key.slice(key.indexOf(':') + 1)} = ${name}` : name;
  return typeof text === 'string' ? text : key;
}

/** What the name of an item's file begins with: of kinds that go by their name the key, which is the same everywhere. */
export function toFileLabel(kind: SharedKind, key: string, value: Json): string {
  const isByName = kind === 'views' || kind === 'statements' || kind === 'own-tables' || kind === 'names';
  return isByName ? key : toLabel(kind, key, value);
}

/** Another item with the same contents, beside one that has its place. */
export function toSecond(kind: SharedKind, value: Json, isTaken: (key: string) => boolean): LocalItem {
  const { name, text } = value as { readonly name?: string; readonly text?: string };
  const isById =
    kind === 'alerts' || kind === 'schedules' || kind === 'planned-times' || kind === 'time-marks';
  for (let number = 2; ; number += 1) {
    // Longer ones would fit no schema.
    const toNew = (text: string): string => `${text.slice(0, 50)} (${number})`;
    const next =
      kind === 'time-marks'
        ? { ...(value as object), text: toNew(text ?? '') }
        : { ...(value as object), name: toNew(name ?? '') };
    const key = isById ? randomUUID() : toNameKey(kind, toNew(name ?? ''));
    if (!isTaken(key)) return { key, value: next };
  }
}

function toNameKey(kind: SharedKind, name: string): string {
  return kind === 'own-tables' ? toOwnSqlName(name, '') : foldCase(name.trim());
}

/** The kinds, each with its place. */
export function createKindRooms(parts: KindParts): Readonly<Record<SharedKind, KindRoom>> {
  const { settings, connections, alerts, schedules, ownTableFiles, emit, logger, now } = parts;

  /** A list of the settings whose entries go by their name. */
  const toNamedList = (
    setting: 'savedViews' | 'savedStatements',
    kind: SharedKind,
    schema: TSchema,
    most: number,
  ): KindRoom => {
    type Entry = SavedView & SavedStatement;
    const read = (): readonly Entry[] => settings.get()[setting] as readonly unknown[] as readonly Entry[];
    const toKey = ({ name }: Entry): string => toNameKey(kind, name);
    return {
      schema,
      list: () => read().map((entry) => ({ key: toKey(entry), value: toJson(entry) })),
      change: async (_none, key, toNext) => {
        await settings.revise((current) => {
          const entries = current[setting] as readonly unknown[] as readonly Entry[];
          const place = entries.findIndex((entry) => toKey(entry) === key);
          const known = entries[place];
          const next = toNext(known === undefined ? undefined : toJson(known)) as Entry | undefined;
          if (next !== undefined) requireKey(toKey(next), key);
          return { [setting]: putAt(entries, place, next, most) };
        });
      },
    };
  };

  /** A part of a connection's plans, whose entries go by their id. */
  const toPlanList = (
    part: 'times' | 'marks',
    schema: TSchema,
    most: number,
    check: (value: Json) => void,
  ): KindRoom => ({
    schema,
    list: (connectionId) =>
      (connections.get(connectionId).plans?.[part] ?? []).map(({ id, ...value }) => ({
        key: id,
        value: toJson(value),
      })),
    change: async (connectionId, key, toNext) => {
      await connections.savePlans(connectionId, (plans) => {
        const entries: readonly { readonly id: string }[] = plans[part];
        const place = entries.findIndex(({ id }) => id === key);
        const next = toNext(place < 0 ? undefined : toJson(withoutId(entries[place])));
        if (next !== undefined) check(next);
        const entry = next === undefined ? undefined : { ...(next as object), id: key };
        const list = putAt(entries, place, entry, most);
        // Marks are read in the order of their time.
        return { ...plans, [part]: part === 'marks' ? list.toSorted(byTime) : list };
      });
    },
  });

  const followRules = (connectionId: string): void => {
    emit('outcome/changed', { connectionId, isDeciding: true });
    parts.engine
      .noteRules()
      .finally(() => emit('outcome/changed', { connectionId, isDeciding: false }))
      .catch((error: unknown) => logger.warn('shared rules not applied', { error }));
  };

  return {
    views: toNamedList('savedViews', 'views', SavedView, MAX_SAVED_VIEWS),
    statements: toNamedList('savedStatements', 'statements', SavedStatement, MAX_SAVED_STATEMENTS),
    alerts: {
      schema: SharedAlert,
      list: (connectionId) =>
        alerts.book
          .listRules()
          .filter((rule) => rule.connectionId === connectionId)
          .map((rule) => ({ key: rule.id, value: toSharedAlert(rule) })),
      change: (connectionId, key, toNext) =>
        alerts.change(
          key,
          (rule) => {
            const next = toNext(rule === undefined ? undefined : toSharedAlert(rule));
            return next === undefined
              ? undefined
              : ({ ...(next as object), connectionId } as Static<typeof AlertDraft>);
          },
          'shared',
        ),
    },
    schedules: {
      schema: SharedSchedule,
      list: (connectionId) =>
        schedules
          .listSaved()
          .filter((schedule) => schedule.connectionId === connectionId)
          .map((schedule) => ({ key: schedule.id, value: toSharedSchedule(schedule) })),
      change: (connectionId, key, toNext) =>
        schedules.change(key, (schedule) => {
          const next = toNext(schedule === undefined ? undefined : toSharedSchedule(schedule));
          return next === undefined
            ? undefined
            : ({ ...(next as object), connectionId } as Static<typeof ScheduleDraft>);
        }),
    },
    names: {
      schema: Type.Omit(ValueName, ['field', 'value']),
      list: (connectionId) =>
        (connections.get(connectionId).names ?? []).map((entry) => ({
          key: `${entry.field}:${entry.value}`,
          value: toSharedName(entry) ?? null,
        })),
      change: async (connectionId, key, toNext) => {
        const [field = '', number = ''] = key.split(':', 2);
        await connections.saveNames(connectionId, (names) => {
          const place = names.findIndex((entry) => entry.field === field && entry.value === number);
          const next = toNext(toSharedName(names[place]));
          const entry = next === undefined ? undefined : { ...(next as object), field, value: number };
          if (entry !== undefined && !Check(ValueName, entry))
            throw new AppError('connections.names-invalid', 'A name can not be kept.', { value: number });
          return putAt(names, place, entry, MAX_NAMES);
        });
      },
    },
    'planned-times': toPlanList('times', PlannedTimeDraft, MAX_PLANNED_TIMES, (value) => {
      const draft = value as Static<typeof PlannedTimeDraft>;
      const fault = findPlannedFault(draft);
      if (fault !== null)
        throw new AppError('planned.invalid', 'The planned time is not valid.', { fault, name: draft.name });
    }),
    'time-marks': toPlanList('marks', TimeMarkDraft, MAX_TIME_MARKS, () => undefined),
    'outcome-rules': {
      schema: SharedOutcomes,
      list: (connectionId) => {
        const { outcomes = {} } = connections.get(connectionId);
        return DIRECTIONS.flatMap((key) => {
          const rules = outcomes[key];
          return rules === undefined ? [] : [{ key, value: toJson({ rules }) }];
        });
      },
      change: async (connectionId, key, toNext) => {
        await connections.saveOutcomes(connectionId, (outcomes) => {
          const direction = requireDirection(key);
          const { [direction]: rules, ...others } = outcomes;
          const next = toNext(rules === undefined ? undefined : toJson({ rules }));
          if (next === undefined) return others;
          const { rules: given } = next as Static<typeof SharedOutcomes>;
          const range = findReversedRange(given);
          if (range !== null)
            throw new AppError('app.invalid-input', 'A range of codes ends before it begins.', { range });
          return { ...others, [direction]: given };
        });
        followRules(connectionId);
      },
    },
    'family-rules': {
      schema: SharedFamilies,
      list: (connectionId) => {
        const { families = {} } = connections.get(connectionId);
        return DIRECTIONS.flatMap((key) => {
          const changes = families[key] ?? [];
          return changes.length === 0 ? [] : [{ key, value: toJson({ changes }) }];
        });
      },
      change: async (connectionId, key, toNext) => {
        await connections.saveFamilies(connectionId, (families) => {
          const direction = requireDirection(key);
          const { [direction]: changes = [], ...others } = families;
          const next = toNext(changes.length === 0 ? undefined : toJson({ changes }));
          if (next === undefined) return others;
          return { ...others, [direction]: (next as Static<typeof SharedFamilies>).changes };
        });
        followRules(connectionId);
      },
    },
    'own-tables': {
      schema: SharedTable,
      list: (connectionId) => listTables(connectionId),
      change: async (connectionId, key, toNext) => {
        const known = findTable(connectionId, key);
        // What lost its rows is replaced as if it weren't there.
        const current = known === undefined ? null : await readShared(known);
        const next = toNext(current ?? undefined);
        const table = next === undefined ? undefined : await writeTable(next as Static<typeof SharedTable>);
        if (table !== undefined) requireKey(toOwnSqlName(table.name, ''), key);
        await connections.saveTables(connectionId, (tables) => {
          const place = tables.findIndex(({ name }) => toOwnSqlName(name, '') === key);
          // Somebody replaced it meanwhile: the next look decides anew.
          if (tables[place]?.id !== known?.id)
            throw new AppError('shared-work.changed', 'It changed meanwhile.');
          return putAt(tables, place, table, MAX_OWN_TABLES);
        });
      },
    },
  };

  function findTable(connectionId: string, key: string): OwnTable | undefined {
    const { tables = [] } = connections.get(connectionId);
    return tables.find(({ name }) => toOwnSqlName(name, '') === key);
  }
  async function listTables(connectionId: string): Promise<(LocalItem | LostItem)[]> {
    const found: (LocalItem | LostItem)[] = [];
    for (const table of connections.get(connectionId).tables ?? []) {
      const key = toOwnSqlName(table.name, '');
      const value = await readShared(table);
      found.push(value === null ? { key, name: table.name, isLost: true } : { key, value });
    }
    return found;
  }
  /** Null where the file with its rows is gone, or can't be read. */
  async function readShared({ id, name, field, columns }: OwnTable): Promise<Json | null> {
    try {
      return { name, field, columns, rows: await ownTableFiles.read(id) };
    } catch (error) {
      logger.warn('the rows of an own table can not be read', { error });
      return null;
    }
  }
  /** Through the text of a CSV file, so that what is refused there is refused here. */
  async function writeTable({ name, field, columns, rows }: Static<typeof SharedTable>): Promise<OwnTable> {
    const header = ['key', ...columns];
    const free = columns.includes('key') ? 'the key' : 'key';
    const lines = [[free, ...header.slice(1)], ...rows].map((cells) =>
      cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','),
    );
    const read = toOwnRows(readTable(lines.join('\n')), free);
    const id = randomUUID();
    await ownTableFiles.write(id, read.rows);
    const rowCount = read.rows.length;
    return { id, name: name.trim(), field, columns: read.columns, rowCount, savedAtMs: now() };
  }
}

function toSharedName(entry: ValueName | undefined): Json | undefined {
  if (entry === undefined) return undefined;
  const copy: Record<string, unknown> = { ...entry };
  delete copy['field'];
  delete copy['value'];
  return toJson(copy);
}

function toSharedAlert({ name, isActive, condition }: Static<typeof SharedAlert>): Json {
  return toJson({ name, isActive, condition });
}

function toSharedSchedule(schedule: Static<typeof SharedSchedule>): Json {
  const { name, report, period, zone, query, choices, columns, times, fetchesMissing } = schedule;
  return toJson({ name, report, period, zone, query, choices, columns, times, fetchesMissing });
}

/** Puts an entry in its place, or at the end (place -1); undefined takes it out. */
function putAt<Entry>(
  entries: readonly unknown[],
  place: number,
  entry: Entry | undefined,
  most: number,
): Entry[] {
  const list = entries as readonly Entry[];
  if (entry === undefined) return place < 0 ? [...list] : list.toSpliced(place, 1);
  if (place >= 0) return list.with(place, entry);
  if (list.length >= most)
    throw new AppError('shared-work.too-many', `At most ${most} of them are kept.`, { most });
  return [...list, entry];
}

function withoutId(entry: { readonly id: string } | undefined): object {
  const copy: Record<string, unknown> = { ...entry };
  delete copy['id'];
  return copy;
}

function byTime(a: unknown, b: unknown): number {
  return (a as TimeMarkDraft).atMs - (b as TimeMarkDraft).atMs;
}

/** An item that goes by its name has the name that it goes by. */
function requireKey(found: string, key: string): void {
  if (found !== key)
    throw new AppError('app.invalid-input', 'The name of the item and its id differ.', { field: 'id' });
}

function requireDirection(key: string): (typeof DIRECTIONS)[number] {
  const direction = DIRECTIONS.find((name) => name === key);
  if (direction === undefined)
    throw new AppError('app.invalid-input', 'There is no such direction.', { field: 'id' });
  return direction;
}

function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
