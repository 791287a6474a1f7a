import { Type } from 'typebox';
import { Nothing, operation } from './operation.ts';

const AppInfo = Type.Object({
  version: Type.String(),
  platform: Type.Union([Type.Literal('macos'), Type.Literal('windows'), Type.Literal('linux')]),
  host: Type.Union([Type.Literal('desktop'), Type.Literal('web')]),
  dataFolder: Type.String(),
  /** Where secrets can be kept; `failure` says why it is not the keychain. */
  keychain: Type.Object({
    kind: Type.Union([Type.Literal('keychain'), Type.Literal('session')]),
    failure: Type.Union([Type.String(), Type.Null()]),
  }),
  nowMs: Type.Integer(),
});

export const appOperations = {
  'app/get-info': operation(Nothing, AppInfo),
};
