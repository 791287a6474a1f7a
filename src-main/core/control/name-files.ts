import { AsyncLocalStorage } from 'node:async_hooks';
import { basename } from 'node:path';
import type { NamedFiles } from '../../common/control/control-messages.ts';
import type { Host } from '../host.ts';

/** A host that asks nobody for a file that the caller of an operation named itself. */
export interface FileNaming {
  readonly host: Host;
  /** Runs what was called; until its result is there, the files are those. */
  withFiles<Result>(files: NamedFiles, run: () => Promise<Result>): Promise<Result>;
}

/** Lets callers name files in place of the dialogs of a host. */
export function nameFiles(host: Host): FileNaming {
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
