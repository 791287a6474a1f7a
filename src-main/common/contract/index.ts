import type { Static } from 'typebox';
import { appEvents, appOperations } from './app.ts';
import { connectionsEvents, connectionsOperations } from './connections.ts';
import { downloadsEvents, downloadsOperations } from './downloads.ts';
import { localServiceEvents, localServiceOperations } from './local-service.ts';
import type { InputOf, OutputOf } from './operation.ts';
import { recordsEvents, recordsOperations } from './records.ts';
import { reportsEvents, reportsOperations } from './reports.ts';
import { snapshotsEvents, snapshotsOperations } from './snapshots.ts';
import { tasksEvents, tasksOperations } from './tasks.ts';

/** Everything that the window may ask. A name is `feature/verb-noun`; both carriers validate with the schemas. */
export const OPERATIONS = {
  ...appOperations,
  ...connectionsOperations,
  ...downloadsOperations,
  ...localServiceOperations,
  ...reportsOperations,
  ...recordsOperations,
  ...snapshotsOperations,
  ...tasksOperations,
};
export type OperationName = keyof typeof OPERATIONS;
export type Input<Name extends OperationName> = InputOf<(typeof OPERATIONS)[Name]>;
export type Output<Name extends OperationName> = OutputOf<(typeof OPERATIONS)[Name]>;

/** One function for each operation; the type that a feature of the core fulfils. */
export type Handlers<Name extends OperationName = OperationName> = {
  readonly [N in Name]: (input: Input<N>) => Promise<Output<N>> | Output<N>;
};

/** Everything that the core tells the window without being asked. */
export const EVENTS = {
  ...appEvents,
  ...connectionsEvents,
  ...downloadsEvents,
  ...localServiceEvents,
  ...reportsEvents,
  ...recordsEvents,
  ...snapshotsEvents,
  ...tasksEvents,
};
export type EventName = keyof typeof EVENTS;
export type EventPayload<Name extends EventName> = Static<(typeof EVENTS)[Name]>;

/** Sends an event to every open window. */
export type Emit = <Name extends EventName>(name: Name, payload: EventPayload<Name>) => void;
