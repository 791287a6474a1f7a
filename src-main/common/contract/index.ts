import type { Static } from 'typebox';
import {
  analysisOperations,
  compareOperations,
  deprecationsOperations,
  familiesOperations,
  findingsOperations,
  incidentsOperations,
  outcomeEvents,
  outcomeOperations,
  severalOperations,
  sqlOperations,
  summariesOperations,
} from './operations/analysis.ts';
import {
  alertsEvents,
  alertsOperations,
  destinationsEvents,
  destinationsOperations,
} from './operations/alerts.ts';
import {
  appEvents,
  appOperations,
  settingsEvents,
  settingsOperations,
  tasksEvents,
  tasksOperations,
  updatesEvents,
  updatesOperations,
} from './operations/app.ts';
import {
  cacheEvents,
  cacheOperations,
  coverageEvents,
  coverageOperations,
  downloadsEvents,
  downloadsOperations,
  followingEvents,
  followingOperations,
  snapshotsEvents,
  snapshotsOperations,
} from './operations/cache.ts';
import { casesEvents, casesOperations, sharedWorkEvents, sharedWorkOperations } from './operations/cases.ts';
import {
  connectionsEvents,
  connectionsOperations,
  localServiceEvents,
  localServiceOperations,
  secretsOperations,
} from './operations/connections.ts';
import {
  conversationsOperations,
  marksEvents,
  marksOperations,
  recordsEvents,
  recordsOperations,
} from './operations/records.ts';
import { dataFolderEvents, dataFolderOperations, diagnosticsOperations } from './operations/data-folder.ts';
import {
  datasetsEvents,
  datasetsOperations,
  exportsEvents,
  exportsOperations,
  importsEvents,
  importsOperations,
  schedulesEvents,
  schedulesOperations,
} from './operations/files.ts';
import {
  glanceOperations,
  overviewOperations,
  statusEvents,
  statusOperations,
} from './operations/overview.ts';
import type { InputOf, OutputOf } from './operation.ts';
import { ownTablesOperations, plannedOperations, serviceLevelsOperations } from './operations/plans.ts';

/**
 * Every operation that the window can call. A name is `prefix/verb-noun`: its schemas are in `<prefix>Operations`, its
 * code is what `create<Prefix>Handlers` returns. Both carriers validate with the schemas.
 */
export const OPERATIONS = {
  ...analysisOperations,
  ...alertsOperations,
  ...appOperations,
  ...cacheOperations,
  ...casesOperations,
  ...compareOperations,
  ...connectionsOperations,
  ...conversationsOperations,
  ...coverageOperations,
  ...dataFolderOperations,
  ...datasetsOperations,
  ...destinationsOperations,
  ...diagnosticsOperations,
  ...downloadsOperations,
  ...exportsOperations,
  ...familiesOperations,
  ...incidentsOperations,
  ...findingsOperations,
  ...followingOperations,
  ...glanceOperations,
  ...importsOperations,
  ...localServiceOperations,
  ...marksOperations,
  ...outcomeOperations,
  ...overviewOperations,
  ...deprecationsOperations,
  ...ownTablesOperations,
  ...plannedOperations,
  ...serviceLevelsOperations,
  ...recordsOperations,
  ...schedulesOperations,
  ...secretsOperations,
  ...settingsOperations,
  ...severalOperations,
  ...sharedWorkOperations,
  ...snapshotsOperations,
  ...sqlOperations,
  ...statusOperations,
  ...summariesOperations,
  ...tasksOperations,
  ...updatesOperations,
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
  ...alertsEvents,
  ...appEvents,
  ...cacheEvents,
  ...casesEvents,
  ...connectionsEvents,
  ...coverageEvents,
  ...dataFolderEvents,
  ...datasetsEvents,
  ...destinationsEvents,
  ...downloadsEvents,
  ...exportsEvents,
  ...followingEvents,
  ...importsEvents,
  ...localServiceEvents,
  ...marksEvents,
  ...outcomeEvents,
  ...recordsEvents,
  ...schedulesEvents,
  ...settingsEvents,
  ...sharedWorkEvents,
  ...snapshotsEvents,
  ...statusEvents,
  ...tasksEvents,
  ...updatesEvents,
};
export type EventName = keyof typeof EVENTS;
export type EventPayload<Name extends EventName> = Static<(typeof EVENTS)[Name]>;

/** The name and payload of any event; testing the name narrows the payload. */
export type EventArguments = { [Name in EventName]: [name: Name, payload: EventPayload<Name>] }[EventName];

/** Sends an event to every open window. */
export type Emit = (...event: EventArguments) => void;
