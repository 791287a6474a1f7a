import { Type } from 'typebox';
import { Nothing, operation } from './operation.ts';

const AppInfo = Type.Object({
  version: Type.String(),
  platform: Type.Union([Type.Literal('macos'), Type.Literal('windows'), Type.Literal('linux')]),
  host: Type.Union([Type.Literal('desktop'), Type.Literal('web')]),
  dataFolder: Type.String(),
  /** Where secrets are kept; `failure` is the error code that kept the keychain from being used. */
  keychain: Type.Object({
    kind: Type.Union([Type.Literal('keychain'), Type.Literal('session')]),
    failure: Type.Union([Type.String(), Type.Null()]),
  }),
  nowMs: Type.Integer(),
});

export const appOperations = {
  'app/get-info': operation(Nothing, AppInfo),
};
