import { Type } from 'typebox';
import { Connection } from '../../model/connections/connection.ts';
import { LocalServiceState, RecordImport, ServiceRequest } from '../../model/connections/local-service.ts';
import { QUIRK_NAMES, QuirkName, Simulation } from '../../model/connections/simulation.ts';
import { Nullable } from '../../model/nullable.ts';
import { Nothing, operation } from '../operation.ts';

/** Larger files of records are refused before they are uploaded to the loopback host. */
export const MAX_IMPORT_BYTES = 2 * 1024 ** 3;
/** How many of the last requests are kept. */
export const MAX_KEPT_REQUESTS = 200;

export const localServiceOperations = {
  'local-service/get-state': operation(Nothing, LocalServiceState),
  /** Starts the bundled service, creates or updates its connection, and returns once it accepts requests. */
  'local-service/start': operation(
    Nothing,
    Type.Object({ state: LocalServiceState, connection: Connection }),
  ),
  'local-service/stop': operation(Nothing, LocalServiceState),
  /** Stops it and starts it again with the same port and records. */
  'local-service/restart': operation(Nothing, LocalServiceState),
  'local-service/set-live': operation(Type.Object({ live: Type.Boolean() }), LocalServiceState),
  'local-service/set-simulation': operation(Simulation, LocalServiceState),
  /** A running service is restarted with them, on the same port. */
  'local-service/set-quirks': operation(
    Type.Object({
      quirks: Type.Array(QuirkName, { maxItems: QUIRK_NAMES.length, uniqueItems: true }),
    }),
    LocalServiceState,
  ),
  /** The last requests that it served, oldest first. */
  'local-service/read-requests': operation(Nothing, Type.Array(ServiceRequest)),
  /** Copies one part of the credentials to the clipboard. Returns the text only where the host has no clipboard. */
  'local-service/copy-credential': operation(
    Type.Object({ name: Type.Union([Type.Literal('accessToken'), Type.Literal('accessTokenSecret')]) }),
    Type.Object({ text: Nullable(Type.String()) }),
  ),
  /** Shows the folder with its records. `isShown` is false where the system has no program for that. */
  'local-service/reveal-folder': operation(Nothing, Type.Object({ isShown: Type.Boolean() })),
  /**
   * Starts a task of kind `import` for a file of records: an uploaded one, or (id null) one that the host lets the
   * user choose. Returns null when nothing was chosen.
   */
  'local-service/start-import': operation(
    Type.Object({ uploadId: Nullable(Type.String({ maxLength: 100 })) }),
    Nullable(RecordImport),
  ),
  'local-service/get-import': operation(Nothing, Nullable(RecordImport)),
};

export const localServiceEvents = {
  'local-service/changed': LocalServiceState,
  /** The requests since the last event, oldest first; at most ten events a second. */
  'local-service/requests-served': Type.Array(ServiceRequest),
  'local-service/import-changed': RecordImport,
};
