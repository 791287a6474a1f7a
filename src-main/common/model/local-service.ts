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
