import type { Static } from 'typebox';
import { appOperations } from './app.ts';
import { cacheEvents, cacheOperations } from './cache.ts';
import { connectionsEvents, connectionsOperations } from './connections.ts';
import { downloadsEvents, downloadsOperations } from './downloads.ts';
import { exportsOperations } from './exports.ts';
import { localServiceEvents, localServiceOperations } from './local-service.ts';
import { marksEvents, marksOperations } from './marks.ts';
import type { InputOf, OutputOf } from './operation.ts';
import { overviewOperations } from './overview.ts';
import { recordsEvents, recordsOperations } from './records.ts';
import { settingsEvents, settingsOperations } from './settings.ts';
import { snapshotsEvents, snapshotsOperations } from './snapshots.ts';
import { sqlOperations } from './sql.ts';
import { statusEvents, statusOperations } from './status.ts';
import { summariesOperations } from './summaries.ts';
import { tasksEvents, tasksOperations } from './tasks.ts';

/**
 * Every operation that the window can call. A name is `prefix/verb-noun`: its schemas are in `<prefix>.ts` beside
 * this file, its code is in `core/<feature>/<prefix>-handlers.ts`. Both carriers validate with the schemas.
 */
export const OPERATIONS = {
  ...appOperations,
  ...cacheOperations,
  ...connectionsOperations,
  ...downloadsOperations,
  ...exportsOperations,
  ...localServiceOperations,
  ...marksOperations,
  ...overviewOperations,
  ...recordsOperations,
  ...settingsOperations,
  ...snapshotsOperations,
  ...sqlOperations,
  ...statusOperations,
  ...summariesOperations,
  ...tasksOperations,
};
export type OperationName = keyof typeof OPERATIONS;
export type Input<Name extends OperationName> = InputOf<(typeof OPERATIONS)[Name]>;
export type Output<Name extends OperationName> = OutputOf<(typeof OPERATIONS)[Name]>;

/** One function for each operation. */
export type Handlers<Name extends OperationName = OperationName> = {
  readonly [N in Name]: (input: Input<N>) => Promise<Output<N>> | Output<N>;
};

type OperationPrefix = OperationName extends `${infer Prefix}/${string}` ? Prefix : never;

/** The handlers of every operation whose name begins with `<Prefix>/`; what `create<Prefix>Handlers` returns. */
export type HandlersOf<Prefix extends OperationPrefix> = Handlers<
  Extract<OperationName, `${Prefix}/${string}`>
>;

/** Every event that the core sends to the window, with the schema of its payload. */
export const EVENTS = {
  ...cacheEvents,
  ...connectionsEvents,
  ...downloadsEvents,
  ...localServiceEvents,
  ...marksEvents,
  ...recordsEvents,
  ...settingsEvents,
  ...snapshotsEvents,
  ...statusEvents,
  ...tasksEvents,
};
export type EventName = keyof typeof EVENTS;
export type EventPayload<Name extends EventName> = Static<(typeof EVENTS)[Name]>;

/** The name and payload of any event; testing the name narrows the payload. */
export type EventArguments = { [Name in EventName]: [name: Name, payload: EventPayload<Name>] }[EventName];

/** Sends an event to every open window. */
export type Emit = (...event: EventArguments) => void;
