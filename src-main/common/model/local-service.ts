import { Type, type Static } from 'typebox';
import { ErrorInfo } from '../contract/errors.ts';

/** The bundled reporting service as the window sees it; its credentials go to the keychain, not here. */
export const LocalServiceState = Type.Object({
  state: Type.Union([
    Type.Literal('stopped'),
    Type.Literal('starting'),
    Type.Literal('running'),
    Type.Literal('stopping'),
    Type.Literal('failed'),
  ]),
  url: Type.Union([Type.String(), Type.Null()]),
  tenant: Type.Integer(),
  inboundRecords: Type.Union([Type.Integer(), Type.Null()]),
  outboundRecords: Type.Union([Type.Integer(), Type.Null()]),
  storeBytes: Type.Union([Type.Integer(), Type.Null()]),
  startedAtMs: Type.Union([Type.Integer(), Type.Null()]),
  /** New sample traffic every second. */
  live: Type.Boolean(),
  error: Type.Union([ErrorInfo, Type.Null()]),
});
export type LocalServiceState = Static<typeof LocalServiceState>;

/** A request that the bundled service answered: nothing of what was sent. */
export const ServiceRequest = Type.Object({
  atMs: Type.Integer(),
  method: Type.String(),
  /** The pattern of the path, never the address as sent. */
  route: Type.String(),
  status: Type.Integer(),
  durationMs: Type.Number(),
});
export type ServiceRequest = Static<typeof ServiceRequest>;

/** What an import of detail records into the bundled service did. */
export const ImportReport = Type.Object({
  /** Lines (CSV, NDJSON) or entries (JSON) read so far. */
  lines: Type.Integer(),
  added: Type.Integer(),
  /** Records that the service has already. */
  known: Type.Integer(),
  rejected: Type.Integer(),
  /** The first 1,000 rejected lines with their number from 1, and why. */
  problems: Type.Array(Type.Object({ line: Type.Integer(), reason: Type.String() })),
});
export type ImportReport = Static<typeof ImportReport>;
