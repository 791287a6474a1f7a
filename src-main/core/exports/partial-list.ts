import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readFile, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { findErrorCode } from '../../node/error-text.ts';
import { removePatiently, tryToRemove } from '../../node/move-and-remove.ts';
import { replaceFile } from '../../node/write-file-atomically.ts';
import type { Logger } from '../logging/logger.ts';
import { toManifestPath } from './write-manifest.ts';
import { readJsonFileOrKeepAside, writeJsonFile } from '../documents/json-file.ts';

/** The start doesn't wait longer for a file that nobody needs. */
const MAX_WAIT_MS = 1000;

/** Partial files of exports that are under way, kept on the disk so that a killed application's are found again. */
export interface PartialList {
  /** To be called before the file is there, so that no kill comes in between; as often as `remove` is. */
  add(target: string): Promise<void>;
  remove(target: string): Promise<void>;
}

/**
 * Opens the list in the data folder, after deleting what the exports of an application that was killed left behind:
 * only one process holds the folder, so no other writes there. Never throws: an export does not depend on it.
 */
export async function openPartialList(folder: string, nowMs: number, logger: Logger): Promise<PartialList> {
  const path = join(folder, 'partial-exports.json');
  /** How often each target is listed: an export that is refused must not take away what another one writes. */
  const targets = new Map<string, number>();
  let writing = Promise.resolve();
  const save = (): Promise<void> => {
    writing = writing
      .then(() => writeJsonFile(path, [...targets.keys()]))
      .catch((error: unknown) => logger.warn('partial exports not listed', { error }));
    return writing;
  };

  const left = await readJsonFileOrKeepAside(path, nowMs, () => undefined).catch(() => undefined);
  const leftTargets = Array.isArray(left) ? left.filter((target) => typeof target === 'string') : [];
  for (const target of leftTargets) {
    if (!(await removePartial(target, logger))) targets.set(target, 1);
  }
  if (leftTargets.length > 0) await save();

  return {
    add: (target) => {
      targets.set(target, (targets.get(target) ?? 0) + 1);
      return save();
    },
    remove: (target) => {
      const others = (targets.get(target) ?? 0) - 1;
      if (others > 0) targets.set(target, others);
      else targets.delete(target);
      return save();
    },
  };
}

/**
 * Between the manifest and the file itself a kill leaves a whole file under its partial name. Where an earlier file is to
 * be replaced, that is done now, as the manifest is the new one's; else the manifest is removed, and false returned.
 */
async function endCommit(target: string, path: string): Promise<boolean> {
  const manifest = toManifestPath(target);
  await tryToRemove(`${manifest}.new`, () => undefined);
  const text = await readFile(manifest, 'utf8').catch(() => null);
  if (text === null || readSha256(text) !== (await sumFile(path))) return false;
  if (await stat(target).catch(() => null)) {
    await replaceFile(path, target);
    return true;
  }
  await removePatiently(manifest, { maxWaitMs: MAX_WAIT_MS });
  return false;
}

function readSha256(manifest: string): unknown {
  try {
    return (JSON.parse(manifest) as { readonly sha256?: unknown }).sha256;
  } catch {
    return undefined;
  }
}

async function sumFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** False for one that is there and has to be tried again at the next start. */
async function removePartial(target: string, logger: Logger): Promise<boolean> {
  const path = `${target}.part`;
  try {
    // Only ever a file of the kind that an export makes: never a link or a folder that took its place.
    if (!isAbsolute(path) || !(await lstat(path)).isFile()) return true;
    if (await endCommit(target, path))
      logger.info('export ended after the application was killed', { target });
    else {
      await removePatiently(path, { maxWaitMs: MAX_WAIT_MS });
      logger.info('partial export removed', { path });
    }
    return true;
  } catch (error) {
    if (findErrorCode(error) === 'ENOENT') return true;
    logger.warn('partial export left', { error });
    return false;
  }
}
