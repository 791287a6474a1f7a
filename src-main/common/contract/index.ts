import type { Static } from 'typebox';
import { analysisOperations } from './operations/analysis.ts';
import { alertsEvents, alertsOperations } from './operations/alerts.ts';
import { appEvents, appOperations } from './operations/app.ts';
import { cacheEvents, cacheOperations } from './operations/cache.ts';
import { casesEvents, casesOperations } from './operations/cases.ts';
import { compareOperations } from './operations/compare.ts';
import { connectionsEvents, connectionsOperations } from './operations/connections.ts';
import { conversationsOperations } from './operations/conversations.ts';
import { coverageEvents, coverageOperations } from './operations/coverage.ts';
import { dataFolderEvents, dataFolderOperations } from './operations/data-folder.ts';
import { datasetsEvents, datasetsOperations } from './operations/unattended/datasets.ts';
import { destinationsEvents, destinationsOperations } from './operations/unattended/destinations.ts';
import { diagnosticsOperations } from './operations/diagnostics.ts';
import { downloadsEvents, downloadsOperations } from './operations/downloads.ts';
import { exportsEvents, exportsOperations } from './operations/exports.ts';
import { familiesOperations } from './operations/families.ts';
import { incidentsOperations } from './operations/incidents.ts';
import { findingsOperations } from './operations/findings.ts';
import { followingEvents, followingOperations } from './operations/unattended/following.ts';
import { glanceOperations } from './operations/glance.ts';
import { importsEvents, importsOperations } from './operations/imports.ts';
import { localServiceEvents, localServiceOperations } from './operations/local-service.ts';
import { marksEvents, marksOperations } from './operations/marks.ts';
import type { InputOf, OutputOf } from './operation.ts';
import { outcomeEvents, outcomeOperations } from './operations/outcome.ts';
import { overviewOperations } from './operations/overview.ts';
import { deprecationsOperations } from './operations/deprecations.ts';
import { ownTablesOperations } from './operations/own-tables.ts';
import { plannedOperations } from './operations/planned.ts';
import { serviceLevelsOperations } from './operations/service-levels.ts';
import { recordsEvents, recordsOperations } from './operations/records.ts';
import { schedulesEvents, schedulesOperations } from './operations/unattended/schedules.ts';
import { secretsOperations } from './operations/secrets.ts';
import { settingsEvents, settingsOperations } from './operations/settings.ts';
import { sharedWorkEvents, sharedWorkOperations } from './operations/unattended/shared-work.ts';
import { snapshotsEvents, snapshotsOperations } from './operations/snapshots.ts';
import { severalOperations } from './operations/several.ts';
import { sqlOperations } from './operations/sql.ts';
import { statusEvents, statusOperations } from './operations/status.ts';
import { summariesOperations } from './operations/summaries.ts';
import { tasksEvents, tasksOperations } from './operations/tasks.ts';
import { updatesEvents, updatesOperations } from './operations/updates.ts';

/**
 * Every operation that the window can call. A name is `prefix/verb-noun`: its schemas are in `<prefix>.ts` below
 * this folder, its code is in `core/<feature>/<prefix>-handlers.ts`. Both carriers validate with the schemas.
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
