import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface PackageOptions {
  /** The application in a folder, and no installer. */
  readonly dir: boolean;
  readonly standIn: boolean;
  readonly isInspectable: boolean;
  readonly arch: 'x64' | 'arm64';
  readonly output: string;
  /** Builds first what is out of date. */
  readonly builds: boolean;
  readonly help: boolean;
}

export const HELP = `npm run package -- [options]   makes what people install on this system, in out/packages

  --dir           only the application, in a folder, and no installer
  --arch ARCH     x64 or arm64; by default this computer's own. DuckDB's module for it must be installed:
                  npm ci --cpu=ARCH
  --output FOLDER another folder
  --no-build      packs what was built before
  --inspectable   for tests: leaves the inspector on, which they attach to
  --stand-in      for tests, on Linux, with --dir: packs around a stand-in for Electron's runtime
  --help          show this

It ends with exit code 3 where Electron's runtime is not installed. Installers are signed, and those for macOS notarised,
where electron-builder's environment variables name a certificate and an account.
`;

/** Reads the command line. Throws an Error whose message is shown for anything unknown. */
export function readPackageOptions(
  args: readonly string[],
  host: { readonly platform: string; readonly arch: string; readonly root: string },
): PackageOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      dir: { type: 'boolean', default: false },
      'stand-in': { type: 'boolean', default: false },
      inspectable: { type: 'boolean', default: false },
      arch: { type: 'string', default: host.arch },
      output: { type: 'string', default: 'out/packages' },
      build: { type: 'boolean', default: true },
      help: { type: 'boolean', default: false },
    },
    allowNegative: true,
  });
  const { dir, arch, build: builds, help, inspectable, output, 'stand-in': standIn } = values;
  if (arch !== 'x64' && arch !== 'arm64') throw new Error('--arch must be x64 or arm64.');
  if (output === '') throw new Error('--output must name a folder.');
  if (standIn && (!dir || host.platform !== 'linux')) {
    throw new Error('--stand-in needs --dir, and Linux: it stands in for the runtime for Linux.');
  }
  if (inspectable && !dir) throw new Error('--inspectable needs --dir: it is for tests, not for installers.');
  return { dir, standIn, isInspectable: inspectable, arch, output: resolve(host.root, output), builds, help };
}
