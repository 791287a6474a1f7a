import { Type } from 'typebox';
import { Connection } from '../model/connection.ts';
import { LocalServiceState, RecordImport, ServiceRequest } from '../model/local-service.ts';
import { QUIRK_NAMES, QuirkName, Simulation } from '../model/simulation.ts';
import { Nothing, operation } from './operation.ts';

/** Larger files of records are refused before they are sent to the host of a browser. */
export const MAX_IMPORT_BYTES = 2 * 1024 ** 3;
/** As many of the last requests are kept and told. */
export const MOST_REQUESTS = 200;

const NullableImport = Type.Union([RecordImport, Type.Null()]);

export const localServiceOperations = {
  'local-service/get-state': operation(Nothing, LocalServiceState),
  /** Starts the bundled service, makes or updates its connection, and answers once it can be asked. */
  'local-service/start': operation(
    Nothing,
    Type.Object({ state: LocalServiceState, connection: Connection }),
  ),
  'local-service/stop': operation(Nothing, LocalServiceState),
  /** Ends it and starts it again with the same port and records. */
  'local-service/restart': operation(Nothing, LocalServiceState),
  'local-service/set-live': operation(Type.Object({ live: Type.Boolean() }), LocalServiceState),
  'local-service/set-simulation': operation(Simulation, LocalServiceState),
  /** A running service is started again with them, on the same port. */
  'local-service/set-quirks': operation(
    Type.Object({
      quirks: Type.Array(QuirkName, { maxItems: QUIRK_NAMES.length, uniqueItems: true }),
    }),
    LocalServiceState,
  ),
  /** The last requests that it answered, oldest first. */
  'local-service/read-requests': operation(Nothing, Type.Array(ServiceRequest)),
  /** Puts one part of the credentials on the clipboard. Answers the text only where the host has no clipboard. */
  'local-service/copy-credential': operation(
    Type.Object({ name: Type.Union([Type.Literal('accessToken'), Type.Literal('accessTokenSecret')]) }),
    Type.Object({ text: Type.Union([Type.String(), Type.Null()]) }),
  ),
  /** Shows the folder with its records; false where the system has no program for that. */
  'local-service/reveal-folder': operation(Nothing, Type.Object({ isShown: Type.Boolean() })),
  /**
   * Imports a file of records: an uploaded one, or (id null) one that the host asks for. Answers null when
   * nothing was chosen. Cancel it as a task.
   */
  'local-service/start-import': operation(
    Type.Object({ uploadId: Type.Union([Type.String({ maxLength: 100 }), Type.Null()]) }),
    NullableImport,
  ),
  'local-service/get-import': operation(Nothing, NullableImport),
};

export const localServiceEvents = {
  'local-service/changed': LocalServiceState,
  /** Answered since the last event, oldest first; at most ten events a second. */
  'local-service/requests-answered': Type.Array(ServiceRequest),
  'local-service/import-changed': RecordImport,
};
