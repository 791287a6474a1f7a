import { type Control, serveControl } from '../../node/control.ts';
import { createCore, type Core, type CoreOptions } from '../create-core.ts';
import type { Host } from '../host.ts';
import { AsyncLocalStorage } from 'node:async_hooks';
import { basename } from 'node:path';
import type { NamedFiles } from '../../common/control/control-messages.ts';

/** A core that the command line can work through while it runs. */
export interface SharedCore extends Core {
  readonly withFiles: FileNaming['withFiles'];
  /** Accepts no new callers, and resolves once those that are there have left. */
  drain(): Promise<void>;
}

/**
 * Creates the core of a host and serves it to the command line of the same person. Where no socket can be made, the
 * core runs without, and the log says so. Rejects as `createCore` does.
 */
export async function createSharedCore(host: Host, options: CoreOptions = {}): Promise<SharedCore> {
  const naming = nameFiles(host);
  const core = await createCore(naming.host, options);
  // A window's calls needn't wait for it.
  const control = serveControl({
    folder: host.dataFolder,
    version: host.version,
    call: (name, input, files) => naming.withFiles(files, () => core.call(name, input)),
    on: core.on,
  }).catch((error: unknown): Control | null => {
    core.logger.warn('the command line can not work through this', { error });
    return null;
  });
  return {
    ...core,
    withFiles: naming.withFiles,
    drain: async () => (await control)?.drain(),
    async stop() {
      await (await control)?.close();
      await core.stop();
    },
  };
}

/** A host that asks nobody for a file that the caller of an operation named itself. */
interface FileNaming {
  readonly host: Host;
  /** Runs what was called; until its result is there, the files are those. */
  withFiles<Result>(files: NamedFiles, run: () => Promise<Result>): Promise<Result>;
}

/** Lets callers name files in place of the dialogs of a host. */
function nameFiles(host: Host): FileNaming {
  const named = new AsyncLocalStorage<NamedFiles>();
  return {
    host: {
      ...host,
      chooseExportTarget: (suggestedName) => {
        const target = named.getStore()?.exportTarget;
        return target === undefined ? host.chooseExportTarget(suggestedName) : Promise.resolve(target);
      },
      chooseFolder: (suggestedName, purpose) => {
        const folder = named.getStore()?.exportTarget;
        return folder === undefined ? host.chooseFolder(suggestedName, purpose) : Promise.resolve(folder);
      },
      chooseImportFile: (uploadId) => {
        const path = named.getStore()?.importFile;
        if (path === undefined || uploadId !== null) return host.chooseImportFile(uploadId);
        // It stays where it is.
        return Promise.resolve({ path, name: basename(path), release: () => Promise.resolve() });
      },
    },
    withFiles: (files, run) => named.run(files, run),
  };
}
