import { Type, type Static } from 'typebox';
import { Nothing, operation } from '../operation.ts';

/** Why no newer version can be had here. */
export const UpdateObstacle = Type.Union([
  /** The browser's host and the command line run what was fetched and built by hand. */
  Type.Literal('no-package'),
  /** The package was built without an address to ask. */
  Type.Literal('no-address'),
  /** The portable program of Windows, and an AppImage that was unpacked: there is no place to install to. */
  Type.Literal('not-installed'),
]);
export type UpdateObstacle = Static<typeof UpdateObstacle>;

const FoundUpdate = Type.Object({
  version: Type.String(),
  /** What is new, as plain text; null when the release says nothing. */
  notes: Type.Union([Type.String(), Type.Null()]),
  releasedAtMs: Type.Union([Type.Integer(), Type.Null()]),
  sizeBytes: Type.Union([Type.Integer(), Type.Null()]),
});
export type FoundUpdate = Static<typeof FoundUpdate>;

const UpdateState = Type.Object({
  obstacle: Type.Union([UpdateObstacle, Type.Null()]),
  phase: Type.Union([
    /** Nobody has asked yet, or the last question failed. */
    Type.Literal('unknown'),
    Type.Literal('checking'),
    Type.Literal('current'),
    Type.Literal('found'),
    Type.Literal('downloading'),
    /** Downloaded and checked; it is installed when the application is restarted for it. */
    Type.Literal('ready'),
  ]),
  /** The newer version, from `found` on. */
  found: Type.Union([FoundUpdate, Type.Null()]),
  /** What was downloaded of it. */
  doneBytes: Type.Integer(),
  totalBytes: Type.Union([Type.Integer(), Type.Null()]),
  /** When the last question was answered. */
  checkedAtMs: Type.Union([Type.Integer(), Type.Null()]),
});
export type UpdateState = Static<typeof UpdateState>;

export const updatesOperations = {
  'updates/get-state': operation(Nothing, UpdateState),
  /** Asks whether there is a newer version; nothing is downloaded. */
  'updates/check': operation(Nothing, UpdateState),
  /** Downloads the version that was found, and checks it. Resolves once it is ready, or was cancelled. */
  'updates/download': operation(Nothing, UpdateState),
  'updates/cancel-download': operation(Nothing, Nothing),
  /** Ends the application in order, installs the downloaded version, and starts it. */
  'updates/install': operation(Nothing, Nothing),
};

export const updatesEvents = { 'updates/changed': UpdateState };
