import { Type, type Static } from 'typebox';
import { Nullable } from '../../model/nullable.ts';
import { Nothing, operation } from '../operation.ts';

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
