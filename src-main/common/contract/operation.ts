import { type Static, type TSchema, Type } from 'typebox';
import type { ErrorInfo } from './errors.ts';

/** A function of the core that the window can call, as the schemas of its input and output. */
interface Operation<Input extends TSchema = TSchema, Output extends TSchema = TSchema> {
  readonly input: Input;
  readonly output: Output;
}

/** Declares an operation. */
export function operation<Input extends TSchema, Output extends TSchema>(
  input: Input,
  output: Output,
): Operation<Input, Output> {
  return { input, output };
}

/** The input or output of operations without one: JSON has no undefined. */
export const Nothing = Type.Null();

export const ConnectionId = Type.Object({ connectionId: Type.String() });
export const SnapshotId = Type.Object({ snapshotId: Type.Integer() });
/** A task, also one that was just started. */
export const TaskId = Type.Object({ taskId: Type.String() });
/** A task that fills a snapshot. */
export const FillingTask = Type.Object({ taskId: Type.String(), snapshotId: Type.Integer() });

/** The result of a call, as both carriers transport it. */
export type Envelope<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: ErrorInfo };

export type InputOf<Entry> = Entry extends Operation<infer Input> ? Static<Input> : never;
export type OutputOf<Entry> = Entry extends Operation<TSchema, infer Output> ? Static<Output> : never;

/** A record, by its place in its snapshot. */
export const RecordPlace = Type.Object({ snapshotId: Type.Integer(), seq: Type.Integer({ minimum: 0 }) });

/**
 * Header of a stream of events: the id of the event after which it goes on. A page that connects again sends the last id
 * it has in `last-event-id`; where the answer names the same one, the page missed nothing.
 */
export const EVENT_POSITION_HEADER = 'x-channelscope-event-id';
