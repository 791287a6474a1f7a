import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { AppError, toErrorInfo } from '../../common/contract/errors.ts';
import type { Emit, HandlersOf } from '../../common/contract/index.ts';
import type {
  DataFolderPlace,
  FolderMove,
  TargetCheck,
} from '../../common/contract/operations/data-folder.ts';
import { claimFolder } from '../../node/claim-folder.ts';
import { findErrorCode, toErrorText } from '../../node/error-text.ts';
import { makePrivateFolder, removePatiently, writeFileAtomically } from '../../node/files.ts';
import type { Dispatch } from '../dispatch/create-dispatcher.ts';
import { readJsonFile, writeJsonFile } from '../documents/json-file.ts';
import type { Host } from '../host.ts';
import type { Logger } from '../logging/logger.ts';
import {
  checkTarget,
  copyEntries,
  isLeftBehind,
  listEntries,
  listNames,
  sumBytes,
  toRealPath,
  verifyCopy,
} from './copy-folder.ts';
import { type Copied, ID_FILE, readLocation, writeLocation } from './locate-data-folder.ts';

/** Operations that are answered while everything is closed, since they need nothing that is. */
const STILL_ANSWERED = /^(?:data-folder\/|app\/get-info$|settings\/get$)/u;
const TELL_EVERY_MS = 100;

/** Moves the data folder while everything else is closed. */
export interface FolderMover {
  read(): FolderMove | null;
  check(wanted: string): Promise<TargetCheck>;
  /** Rejects with `data-folder.unfit`; once that is clear it goes on by itself. */
  start(wanted: string): Promise<void>;
  /** Does nothing where nothing is copied. */
  cancel(): void;
  /** Refuses with `data-folder.moving` what can't be answered during the move and after it. */
  guard(call: Dispatch): Dispatch;
}

/** Makes the mover of a core; `close` ends all work and closes every file, and may be called again. */
export function createFolderMover(options: {
  readonly host: Pick<Host, 'location' | 'platform' | 'startAgain'>;
  readonly emit: Emit;
  readonly logger: Logger;
  readonly close: () => Promise<void>;
  readonly now: () => number;
}): FolderMover {
  const { host, emit, logger, close, now } = options;
  const { folder: source, defaultFolder } = host.location;
  let move: FolderMove | null = null;
  let controller = new AbortController();
  let toldAtMs = 0;

  const tell = (changed: Partial<FolderMove>): void => {
    if (move === null) return;
    move = { ...move, ...changed };
    toldAtMs = now();
    emit('data-folder/move-changed', move);
  };
  const count = (bytes: number): void => {
    if (move === null) return;
    move = { ...move, doneBytes: move.doneBytes + bytes };
    if (now() - toldAtMs >= TELL_EVERY_MS) tell({});
  };
  const check = (wanted: string): Promise<TargetCheck> =>
    checkTarget(wanted, {
      location: host.location,
      unfinished: readLocation(defaultFolder).unfinished,
      platform: host.platform,
    });
  const copy = async (target: string): Promise<void> => {
    const progress = { signal: controller.signal, onBytes: count };
    const entries = await listEntries(source);
    const names = listNames(entries);
    const totalBytes = sumBytes(entries);
    await writeLocation(defaultFolder, {
      ...readLocation(defaultFolder),
      unfinished: { folder: target, names: [...names, ID_FILE] },
    });
    tell({ phase: 'copying', doneBytes: 0, totalBytes });
    const digests = await copyEntries(source, target, entries, progress);
    tell({ phase: 'checking', doneBytes: 0 });
    await verifyCopy(source, target, digests, progress);
    await rebasePaths(source, target);
    controller.signal.throwIfAborted();
    await switchFolder(defaultFolder, target, { folder: source, names: [...names, ID_FILE] }, now);
  };
  const run = async (target: string): Promise<void> => {
    let release = (): void => undefined;
    try {
      await close();
      const { unfinished } = readLocation(defaultFolder);
      if (unfinished !== null) await removeCopied(unfinished, defaultFolder);
      makePrivateFolder(target);
      release = claimFolder(target);
      await copy(target);
      release();
      tell({ phase: 'done', startsAgain: host.startAgain() });
    } catch (error) {
      release();
      await removeHalf(target);
      if (controller.signal.aborted) tell({ phase: 'cancelled', startsAgain: host.startAgain() });
      else tell({ phase: 'failed', error: toErrorInfo(toMoveError(error)) });
    }
  };
  /** What can't be removed now is offered to be removed after the next start. */
  const removeHalf = async (target: string): Promise<void> => {
    const { unfinished } = readLocation(defaultFolder);
    if (unfinished?.folder !== target) return;
    try {
      await removeCopied(unfinished, defaultFolder);
      await forgetUnfinished(defaultFolder);
    } catch (error) {
      logger.warn('the beginning of a copy stays', { error });
    }
  };

  return {
    read: () => move,
    check,
    async start(wanted) {
      const { folder, faults } = await check(wanted);
      const [fault] = faults;
      if (fault !== undefined) {
        throw new AppError('data-folder.unfit', `${folder} can't be the data folder: ${fault}.`, {
          folder,
          fault,
        });
      }
      if (move !== null && move.phase !== 'failed') return;
      controller = new AbortController();
      move = { phase: 'closing', folder, doneBytes: 0, totalBytes: 0, error: null, startsAgain: false };
      logger.info('the data folder moves');
      tell({});
      void run(folder);
    },
    cancel: () => controller.abort(),
    guard: (call) => (name, input) =>
      move === null || STILL_ANSWERED.test(name) ? call(name, input) : Promise.resolve(REFUSAL),
  };
}

const REFUSAL = {
  ok: false,
  error: toErrorInfo(new AppError('data-folder.moving', 'The data folder is being moved.')),
} as const;

function toMoveError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const system = findErrorCode(error) === 'ENOSPC' ? 'ENOSPC: the disk is full' : toErrorText(error);
  return new AppError(
    'data-folder.copy-failed',
    `The data folder wasn't copied: ${system}`,
    { system },
    error,
  );
}

/** True where a folder still holds something of what was copied from it. */
function isKept({ folder, names }: Copied): boolean {
  return names.some((name) => name !== ID_FILE && existsSync(join(folder, name)));
}

/** Documents that name folders and files which may lie in the data folder itself. */
const DOCUMENTS = ['datasets.json', 'schedules.json', 'schedule-runs.json', 'partial-exports.json'];

/**
 * Lets the documents of a copied data folder name what lies in the copy, where they named what lies in `from`: what a
 * schedule writes next must not go to the previous folder. A document that isn't JSON stays as it is.
 */
async function rebasePaths(from: string, to: string): Promise<void> {
  const rebase = (value: unknown): unknown => {
    if (typeof value === 'string') return rebasePath(value, from, to);
    if (Array.isArray(value)) return value.map(rebase);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, rebase(inner)]));
  };
  for (const name of DOCUMENTS) {
    const path = join(to, name);
    const before = await readJsonFile(path).catch(() => undefined);
    if (before === undefined) continue;
    const after = rebase(before);
    if (JSON.stringify(after) !== JSON.stringify(before)) await writeJsonFile(path, after);
  }
}

function rebasePath(path: string, from: string, to: string): string {
  return path === from || path.startsWith(from + sep) ? join(to, path.slice(from.length)) : path;
}

/**
 * Uses `folder` from the next start on, and remembers `before` as the previous one. The write of one file decides it:
 * until then the previous folder is in use.
 */
async function switchFolder(
  defaultFolder: string,
  folder: string,
  before: Copied,
  now: () => number,
): Promise<void> {
  const previous = { ...before, leftAtMs: now() };
  if (toRealPath(folder) === toRealPath(defaultFolder)) {
    await writeLocation(defaultFolder, { version: 1, chosen: null, previous, unfinished: null });
    return;
  }
  const id = randomUUID();
  await writeFileAtomically(join(folder, ID_FILE), `${id}\n`);
  await writeLocation(defaultFolder, { version: 1, chosen: { folder, id }, previous, unfinished: null });
}

/**
 * Deletes what was copied to or from a folder, and what only its process needed; the folder too where nothing else is in
 * it, unless it is the standard one. Throws AppError `cache.locked` while another process has it open.
 */
async function removeCopied({ folder, names }: Copied, defaultFolder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const isDefault = toRealPath(folder) === toRealPath(defaultFolder);
  const release = claimFolder(folder);
  try {
    for (const name of names) await removePatiently(join(folder, name), { isFolder: true });
  } finally {
    release();
  }
  if (isDefault) return;
  for (const name of await readdir(folder)) {
    if (isLeftBehind(name)) await removePatiently(join(folder, name), { isFolder: true });
  }
  if ((await readdir(folder)).length === 0) await removePatiently(folder, { isFolder: true });
}

/** Forgets the copy that was cut short, once it is removed. */
async function forgetUnfinished(defaultFolder: string): Promise<void> {
  await writeLocation(defaultFolder, { ...readLocation(defaultFolder), unfinished: null });
}

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
