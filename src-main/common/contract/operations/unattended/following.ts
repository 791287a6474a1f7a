import { Type, type Static } from 'typebox';
import { Nullable } from '../../../model/nullable.ts';
import { ErrorInfo } from '../../../model/error-info.ts';
import { ConnectionId, Nothing, operation } from '../../operation.ts';

/** How following a connection is going. */
export const Following = Type.Object({
  connectionId: Type.String(),
  state: Type.Union([
    Type.Literal('off'),
    /** Switched on; the first turn has not ended yet. */
    Type.Literal('starting'),
    Type.Literal('following'),
    /** What appeared while nobody followed is being fetched: `behindMs` of it. */
    Type.Literal('catching-up'),
    /** Waits for something on this computer: room on the disk, the bundled service (`failure`). */
    Type.Literal('paused'),
    /** Credentials or rights were refused: nothing is tried again until a person acts. */
    Type.Literal('refused'),
    Type.Literal('unreachable'),
    /** The service responds, but not with a report that can be read to its end. */
    Type.Literal('failing'),
  ]),
  /** When the last turn ended well. */
  lastTurnAtMs: Nullable(Type.Integer()),
  nextTurnAtMs: Nullable(Type.Integer()),
  /** Time that is still to be fetched; 0 where nothing is. */
  behindMs: Type.Integer(),
  failure: Nullable(ErrorInfo),
  /** Since when each turn has failed. */
  failingSinceMs: Nullable(Type.Integer()),
});
export type Following = Static<typeof Following>;

export const followingOperations = {
  /** Of every connection, also of those that are not followed. */
  'following/list': operation(Nothing, Type.Array(Following)),
  /** Switches following on or off. On begins a turn at once, also after a refusal. */
  'following/switch': operation(
    Type.Object({ ...ConnectionId.properties, followed: Type.Boolean() }),
    Following,
  ),
};

export const followingEvents = { 'following/changed': Following };
