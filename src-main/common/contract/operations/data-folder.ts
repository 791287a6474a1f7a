import { type Static, Type } from 'typebox';
import { ErrorInfo } from '../../model/error-info.ts';
import { Nullable } from '../../model/nullable.ts';
import { Nothing, operation } from '../operation.ts';

/** Why a folder can't become the data folder. */
const TARGET_FAULTS = [
  'given',
  'relative',
  'same',
  'inside',
  'no-folder',
  'not-empty',
  'not-writable',
  'no-database',
  'too-small',
  'in-use',
] as const;
export type TargetFault = (typeof TARGET_FAULTS)[number];

/** Why a folder can become the data folder, but had better not. */
const TARGET_RISKS = ['network', 'synced', 'readers'] as const;
export type TargetRisk = (typeof TARGET_RISKS)[number];

/** How far the move of the data folder is. */
export const FolderMove = Type.Object({
  /** `failed` and `cancelled`: the previous folder is in use again once the application was restarted. */
  phase: Type.Union([
    Type.Literal('closing'),
    Type.Literal('copying'),
    Type.Literal('checking'),
    Type.Literal('done'),
    Type.Literal('failed'),
    Type.Literal('cancelled'),
  ]),
  /** Absolute path of the folder that everything is copied to. */
  folder: Type.String(),
  /** Of the phase. */
  doneBytes: Type.Integer(),
  totalBytes: Type.Integer(),
  error: Nullable(ErrorInfo),
  /** The application starts again by itself; false where the person has to start it. */
  startsAgain: Type.Boolean(),
});
export type FolderMove = Static<typeof FolderMove>;

const Folder = Type.String({ minLength: 1, maxLength: 4096 });

const DataFolderPlace = Type.Object({
  folder: Type.String(),
  /** The standard folder of this person. */
  defaultFolder: Type.String(),
  /** Who chose the folder: the option `--data` at the start, the person in the settings, or nobody. */
  chosenBy: Type.Union([Type.Literal('start'), Type.Literal('person'), Type.Literal('default')]),
  /** The folder that the person chose and that was not there at the start; the standard one is in use meanwhile. */
  missingFolder: Nullable(Type.String()),
  /** The folder that was in use before the last move or way back, where it wasn't deleted. */
  previous: Nullable(
    Type.Object({
      folder: Type.String(),
      leftAtMs: Type.Integer(),
      /** False while its disk is not there. */
      isThere: Type.Boolean(),
      bytes: Type.Integer(),
    }),
  ),
  /** A folder with the beginning of a copy that was cut short. */
  unfinishedFolder: Nullable(Type.String()),
  move: Nullable(FolderMove),
});
export type DataFolderPlace = Static<typeof DataFolderPlace>;

const TargetCheck = Type.Object({
  /** Absolute path, as it will be used. */
  folder: Type.String(),
  faults: Type.Array(Type.Enum([...TARGET_FAULTS])),
  risks: Type.Array(Type.Enum([...TARGET_RISKS])),
  neededBytes: Type.Integer(),
  /** Null where the system does not say. */
  freeBytes: Nullable(Type.Integer()),
});
export type TargetCheck = Static<typeof TargetCheck>;

export const dataFolderOperations = {
  'data-folder/read-place': operation(Nothing, DataFolderPlace),
  /** Asks the person for a folder; null when none was chosen, or where the host has no dialog for it. */
  'data-folder/choose-target': operation(Nothing, Type.Object({ folder: Nullable(Type.String()) })),
  /** Says whether everything can be moved to a folder. Leaves nothing there. */
  'data-folder/check-target': operation(Type.Object({ folder: Folder }), TargetCheck),
  /**
   * Closes everything, copies the data folder, checks the copy, and uses it from the next start on, which it brings about.
   * Every other operation fails with `data-folder.moving` from then on. Fails with `data-folder.unfit`.
   */
  'data-folder/start-move': operation(Type.Object({ folder: Folder }), Nothing),
  /** Ends a copy that is under way, and removes it. */
  'data-folder/cancel-move': operation(Nothing, Nothing),
  /** Starts the application again after a move that failed; false where only the person can. */
  'data-folder/start-again': operation(Nothing, Type.Object({ isStarting: Type.Boolean() })),
  /** Goes back to the previous folder, with what was in it then; false where only the person can restart. */
  'data-folder/use-previous': operation(Nothing, Type.Object({ isStarting: Type.Boolean() })),
  /** Deletes what was copied from the previous folder, and the folder itself where nothing else is in it. */
  'data-folder/remove-previous': operation(Nothing, DataFolderPlace),
  /** Deletes what a copy that was cut short left behind. */
  'data-folder/remove-unfinished': operation(Nothing, DataFolderPlace),
  /** Stays with the standard folder, in place of one that is missing. */
  'data-folder/keep-default': operation(Nothing, DataFolderPlace),
};

export const dataFolderEvents = {
  'data-folder/move-changed': FolderMove,
};

/** A line of the log that says that something went wrong. */
const Trouble = Type.Object({
  /** ISO 8601, UTC. */
  time: Type.String(),
  level: Type.Union([Type.Literal('warn'), Type.Literal('error')]),
  part: Type.String(),
  event: Type.String(),
  /** The error's code, where it has one. */
  code: Nullable(Type.String()),
});
export type Trouble = Static<typeof Trouble>;

export const Health = Type.Object({
  startedAtMs: Type.Integer(),
  /** Started with `--safe`: nothing is done by itself. */
  isSafe: Type.Boolean(),
  /** What the application runs on, as each calls itself. */
  versions: Type.Array(Type.Object({ name: Type.String(), version: Type.String() })),
  /** Of the core's own process; the engine's is apart. */
  memoryBytes: Type.Integer(),
  cacheMode: Type.String(),
  /** Connections that the engine may use at once, and the memory that it may take. */
  engineThreads: Type.Integer(),
  engineMemoryBytes: Type.Integer(),
  /** The largest parts of the data folder. */
  files: Type.Array(Type.Object({ name: Type.String(), bytes: Type.Integer() })),
  /** Null where the system does not say. */
  freeBytes: Nullable(Type.Integer()),
  /** The newest first, of the last two days that have a log. */
  troubles: Type.Array(Trouble),
});
export type Health = Static<typeof Health>;

const TestedPart = Type.Union([
  Type.Literal('keychain'),
  Type.Literal('disk'),
  Type.Literal('cache'),
  Type.Literal('engine'),
  Type.Literal('network'),
]);

export const SelfTest = Type.Object({
  part: TestedPart,
  /** Skipped: there is nothing to test it with, such as a connection. */
  outcome: Type.Union([Type.Literal('passed'), Type.Literal('failed'), Type.Literal('skipped')]),
  /** The code of what failed. */
  code: Nullable(Type.String()),
  tookMs: Type.Integer(),
});
export type SelfTest = Static<typeof SelfTest>;

export const MAX_FAULT_PLACES = 12;

/** An error that nobody caught in the window: its kind, and where in the window's own files, the innermost first. */
const WindowFault = Type.Object({
  name: Type.String({ pattern: '^[A-Za-z]{1,60}$' }),
  places: Type.Array(Type.String({ pattern: '^[\\w.-]{1,80}:\\d{1,7}:\\d{1,7}$' }), {
    maxItems: MAX_FAULT_PLACES,
  }),
});
export type WindowFault = Static<typeof WindowFault>;

/** A call of a tool by an assistant. */
const AssistantCall = Type.Object({
  tool: Type.String({ pattern: '^[a-z]{1,20}$' }),
  /** Clients were pseudonyms. */
  isMasked: Type.Boolean(),
  isError: Type.Boolean(),
  rows: Type.Integer({ minimum: 0 }),
  bytes: Type.Integer({ minimum: 0 }),
  ms: Type.Integer(),
});

export const diagnosticsOperations = {
  /** Logs what the window can't explain itself. */
  'diagnostics/note-fault': operation(WindowFault, Nothing),
  /** Logs a call of an assistant: which tool it was, and what came of it, but no text. */
  'diagnostics/note-assistant': operation(AssistantCall, Nothing),
  'diagnostics/read-health': operation(Nothing, Health),
  /** Uses each part once: writes and deletes an entry of the keychain and a file, asks the engine, and the service. */
  'diagnostics/test-self': operation(Nothing, Type.Array(SelfTest)),
  /** What a person may pass on: no secret, no record, no address, no path. */
  'diagnostics/write-bundle': operation(
    Nothing,
    Type.Object({ fileName: Type.String(), text: Type.String() }),
  ),
};
