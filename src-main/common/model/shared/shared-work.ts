import { Type, type Static } from 'typebox';
import { ErrorInfo } from '../error-info.ts';
import { Nullable } from '../nullable.ts';

/** What people share, in the order of the screen. Its name is also that of its folder. */
export const SHARED_KINDS = [
  'views',
  'statements',
  'alerts',
  'schedules',
  'names',
  'planned-times',
  'time-marks',
  'outcome-rules',
  'family-rules',
  'own-tables',
] as const;
export type SharedKind = (typeof SHARED_KINDS)[number];
/** Kinds that belong to no connection. */
export const GENERAL_KINDS: readonly SharedKind[] = ['views', 'statements'];

/** Kinds of which there can be another one beside a first: a person may keep both versions. */
export const REPEATED_KINDS: readonly SharedKind[] = [
  'views',
  'statements',
  'alerts',
  'schedules',
  'planned-times',
  'time-marks',
  'own-tables',
];

const Kind = Type.Enum([...SHARED_KINDS]);
const Folder = Type.String({ minLength: 1, maxLength: 4096 });

/** A connection here, and the one in the folder that it is. */
const SharedConnection = Type.Object({
  connectionId: Type.String({ minLength: 1, maxLength: 100 }),
  sharedId: Type.String({ minLength: 1, maxLength: 100 }),
});

/** What is shared, and where. */
export const SharedChoice = Type.Object({
  /** Absolute path. */
  folder: Folder,
  kinds: Type.Array(Kind, { uniqueItems: true }),
  connections: Type.Array(SharedConnection, { maxItems: 1_000 }),
});
export type SharedChoice = Static<typeof SharedChoice>;

/** A connection of the folder, as the computer described it that put it there. */
export const ForeignConnection = Type.Object({
  sharedId: Type.String(),
  name: Type.String(),
  /** Scheme, host and port; empty where it has none that means anything elsewhere. */
  origin: Type.String(),
  tenant: Nullable(Type.Integer()),
  /** Items of it in the folder. */
  count: Type.Integer(),
  /** The one connection here with that address and tenant. */
  suggestedId: Nullable(Type.String()),
});
export type ForeignConnection = Static<typeof ForeignConnection>;

/** A field whose values differ; null where a side hasn't the field. */
export const FieldDifference = Type.Object({
  /** Keys from the outside in, joined by dots. */
  path: Type.String(),
  mine: Nullable(Type.String()),
  theirs: Nullable(Type.String()),
});
export type FieldDifference = Static<typeof FieldDifference>;

/** Two versions of an item, neither of which came after the other. */
export const SharedConflict = Type.Object({
  /** What a choice names: it stands for exactly these two versions. */
  id: Type.String(),
  kind: Kind,
  label: Type.String(),
  /** Of the connection here; null for what belongs to none. */
  connectionId: Nullable(Type.String()),
  /** Below the folder; the name of a copy that a sync program made differs from the item's own. */
  file: Nullable(Type.String()),
  isCopy: Type.Boolean(),
  /** False: deleted on that side. */
  isMine: Type.Boolean(),
  isTheirs: Type.Boolean(),
  canKeepBoth: Type.Boolean(),
  differences: Type.Array(FieldDifference),
  /** There are more differences than are listed. */
  hasMore: Type.Boolean(),
});
export type SharedConflict = Static<typeof SharedConflict>;

/**
 * Why a file is left alone: `cut` is no whole JSON, `newer` was written by a newer version of the application, `foreign` is
 * something else, `unfit` has a value that can't be used here, `unreadable` can't be opened, and `lost` is no file in the
 * folder, but an item here whose own file is gone.
 */
const FILE_FAULTS = ['cut', 'newer', 'foreign', 'unfit', 'unreadable', 'lost'] as const;
export type FileFault = (typeof FILE_FAULTS)[number];

export const SharedProblem = Type.Object({
  /** Below the folder. */
  file: Type.String(),
  fault: Type.Enum([...FILE_FAULTS]),
  error: Nullable(ErrorInfo),
  /** There is a version of it here, which can be written over the file. */
  canReplace: Type.Boolean(),
});
export type SharedProblem = Static<typeof SharedProblem>;

/** How a linked folder stands: `none` is linked, it is `gone` (a drive that isn't mounted), or it holds no shared work. */
const LINK_STATES = ['none', 'looking', 'in-step', 'waiting', 'gone', 'emptied', 'failed'] as const;

export const SharedWork = Type.Object({
  choice: Nullable(SharedChoice),
  state: Type.Enum([...LINK_STATES]),
  /** Since when nothing waits; null while something does. */
  inStepSinceMs: Nullable(Type.Integer()),
  lookedAtMs: Nullable(Type.Integer()),
  /** What made the last look fail. */
  error: Nullable(ErrorInfo),
  /** Items that are the same here and in the folder. */
  count: Type.Integer(),
  /** Changes that are on their way. */
  waiting: Type.Integer(),
  conflicts: Type.Array(SharedConflict),
  problems: Type.Array(SharedProblem),
  /** Connections of the folder that are none here yet. */
  foreign: Type.Array(ForeignConnection),
  /** So many items are gone at once that a person is asked first, before they are deleted on the other side. */
  removals: Type.Object({ here: Type.Integer(), folder: Type.Integer() }),
  keptCount: Type.Integer(),
});
export type SharedWork = Static<typeof SharedWork>;

/** What a person chose of a conflict. */
export const CONFLICT_CHOICES = ['mine', 'theirs', 'both'] as const;
export type ConflictChoice = (typeof CONFLICT_CHOICES)[number];

/** What exporting to a folder, or importing from it, would do with an item. */
export const PlannedItem = Type.Object({
  id: Type.String(),
  kind: Kind,
  label: Type.String(),
  /** Name of its connection; null for what belongs to none. */
  connection: Nullable(Type.String()),
  file: Nullable(Type.String()),
  /** `new` to the target, the `same`, or the target has `other` contents. */
  state: Type.Union([Type.Literal('new'), Type.Literal('same'), Type.Literal('other')]),
  differences: Type.Array(FieldDifference),
});
export type PlannedItem = Static<typeof PlannedItem>;

export const SharedPlan = Type.Object({
  folder: Type.String(),
  items: Type.Array(PlannedItem),
  problems: Type.Array(SharedProblem),
  /** Connections of the folder, of an import. */
  foreign: Type.Array(ForeignConnection),
});
export type SharedPlan = Static<typeof SharedPlan>;

/** What was done of a plan. */
export const SharedOutcome = Type.Object({
  done: Type.Integer(),
  same: Type.Integer(),
  /** Left as they were: the target has other contents, and nobody chose to replace them. */
  left: Type.Integer(),
  problems: Type.Array(SharedProblem),
});
export type SharedOutcome = Static<typeof SharedOutcome>;

/** A version that was replaced or deleted, and can be brought back. */
export const KeptVersion = Type.Object({
  id: Type.String(),
  kind: Nullable(Kind),
  label: Type.String(),
  /** Why it is here: another one took its place, it was deleted, or a file could not be read. */
  reason: Type.Union([Type.Literal('replaced'), Type.Literal('deleted'), Type.Literal('unreadable')]),
  keptAtMs: Type.Integer(),
  canRestore: Type.Boolean(),
});
export type KeptVersion = Static<typeof KeptVersion>;
