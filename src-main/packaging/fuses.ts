import { FuseV1Options, FuseVersion, type FuseV1Config } from '@electron/fuses';

/** Whether a test can drive a package, by attaching to its inspector. Never for a package that is given to people. */
export interface FuseOptions {
  readonly isInspectable: boolean;
}

/** Returns every fuse of the runtime. One that a newer runtime adds ends the packaging until it is settled here. */
export function buildFuses({ isInspectable }: FuseOptions): FuseV1Config {
  return {
    version: FuseVersion.V1,
    strictlyRequireAllFuses: true,
    resetAdHocDarwinSignature: true,
    [FuseV1Options.RunAsNode]: false,
    [FuseV1Options.EnableCookieEncryption]: true,
    [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
    [FuseV1Options.EnableNodeCliInspectArguments]: isInspectable,
    [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
    [FuseV1Options.OnlyLoadAppFromAsar]: true,
    // Its file is not part of the runtime: with it on, the application wouldn't start.
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
    [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
    // Speed only.
    [FuseV1Options.WasmTrapHandlers]: true,
  };
}
