import { AppError } from '../../common/contract/errors.ts';
import type { HandlersOf } from '../../common/contract/index.ts';
import type { DataFolderPlace } from '../../common/contract/operations/data-folder.ts';
import type { Host } from '../host.ts';
import { listEntries, listNames, sumBytes } from './copy-folder.ts';
import {
  isKept,
  forgetUnfinished,
  removeCopied,
  switchFolder,
  type FolderMover,
} from './create-folder-mover.ts';
import { ID_FILE, readLocation, writeLocation } from './location-file.ts';

/** The handlers of `data-folder/…`. */
export function createDataFolderHandlers(parts: {
  readonly host: Pick<Host, 'kind' | 'location' | 'chooseFolder' | 'startAgain'>;
  readonly mover: FolderMover;
  now(): number;
}): HandlersOf<'data-folder'> {
  const { host, mover, now } = parts;
  const { folder, defaultFolder } = host.location;
  // A window names no folders by itself where a dialog can ask for them; the page of a browser has to.
  const offered = new Set([defaultFolder]);
  const requireOffered = (wanted: string): string => {
    if (host.kind !== 'desktop' || offered.has(wanted)) return wanted;
    throw new AppError('app.invalid-input', 'No dialog returned this folder.');
  };
  const read = async (): Promise<DataFolderPlace> => {
    const { chosen, previous, unfinished } = readLocation(defaultFolder);
    return {
      ...host.location,
      missingFolder: chosen === null ? null : host.location.missingFolder,
      previous:
        // While the folder that everything was moved to is missing, the previous one may be in use.
        previous === null || previous.folder === folder
          ? null
          : {
              folder: previous.folder,
              leftAtMs: previous.leftAtMs,
              isThere: isKept(previous),
              bytes: sumBytes(await listEntries(previous.folder).catch(() => [])),
            },
      unfinishedFolder: unfinished?.folder ?? null,
      move: mover.read(),
    };
  };
  return {
    'data-folder/read-place': read,
    'data-folder/choose-target': async () => {
      const chosen = host.kind === 'desktop' ? await host.chooseFolder('', 'data') : null;
      if (chosen !== null) offered.add(chosen);
      return { folder: chosen };
    },
    'data-folder/check-target': ({ folder: wanted }) => mover.check(requireOffered(wanted)),
    'data-folder/start-move': async ({ folder: wanted }) => {
      await mover.start(requireOffered(wanted));
      return null;
    },
    'data-folder/cancel-move': () => {
      mover.cancel();
      return null;
    },
    'data-folder/start-again': () => ({ isStarting: host.startAgain() }),
    'data-folder/use-previous': async () => {
      const { previous } = readLocation(defaultFolder);
      requireOwnChoice(host);
      if (previous === null || !isKept(previous)) {
        const named = previous?.folder ?? '';
        throw new AppError('data-folder.unfit', `There is nothing in ${named} to go back to.`, {
          folder: named,
          fault: 'no-folder',
        });
      }
      const names = [...listNames(await listEntries(folder)), ID_FILE];
      await switchFolder(defaultFolder, previous.folder, { folder, names }, now);
      return { isStarting: host.startAgain() };
    },
    'data-folder/remove-previous': async () => {
      const { previous } = readLocation(defaultFolder);
      requireOwnChoice(host);
      if (previous !== null && previous.folder !== folder) {
        await removeCopied(previous, defaultFolder);
        await writeLocation(defaultFolder, { ...readLocation(defaultFolder), previous: null });
      }
      return read();
    },
    'data-folder/remove-unfinished': async () => {
      const { unfinished } = readLocation(defaultFolder);
      if (unfinished !== null) {
        await removeCopied(unfinished, defaultFolder);
        await forgetUnfinished(defaultFolder);
      }
      return read();
    },
    'data-folder/keep-default': async () => {
      const { chosen, previous, unfinished } = readLocation(defaultFolder);
      if (chosen === null) return read();
      // The missing folder was a copy of the previous one: what lies in it has the same names.
      const names = [...(previous?.names ?? []), ID_FILE];
      const left = { folder: chosen.folder, names, leftAtMs: now() };
      await writeLocation(defaultFolder, { version: 1, chosen: null, previous: left, unfinished });
      return read();
    },
  };
}

/** A folder that was given at the start is in use whatever was chosen; nothing is decided about the choice then. */
function requireOwnChoice({ location }: Pick<Host, 'location'>): void {
  if (location.chosenBy !== 'start') return;
  throw new AppError('data-folder.unfit', 'The data folder was given at the start.', {
    folder: location.folder,
    fault: 'given',
  });
}
