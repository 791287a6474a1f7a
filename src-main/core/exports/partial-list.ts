import { lstat, rm } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Logger } from '../logging/logger.ts';
import { readJsonFileOrKeepAside, writeJsonFile } from '../settings/json-file.ts';

/** Partial files of exports that are under way, kept on the disk so that a killed application's are found again. */
export interface PartialList {
  add(target: string): Promise<void>;
  remove(target: string): Promise<void>;
}

/**
 * Opens the list in the data folder, after deleting what the exports of an application that was killed left behind:
 * only one process holds the folder, so no other writes there. Never throws: an export does not depend on it.
 */
export async function openPartialList(folder: string, nowMs: number, logger: Logger): Promise<PartialList> {
  const path = join(folder, 'partial-exports.json');
  const targets = new Set<string>();
  let writing = Promise.resolve();
  const save = (): Promise<void> => {
    writing = writing
      .then(() => writeJsonFile(path, [...targets]))
      .catch((error: unknown) => logger.warn('partial exports not listed', { error }));
    return writing;
  };

  const left = await readJsonFileOrKeepAside(path, nowMs, () => undefined).catch(() => undefined);
  const leftTargets = Array.isArray(left) ? left.filter((target) => typeof target === 'string') : [];
  for (const target of leftTargets) await removePartial(target, logger);
  if (leftTargets.length > 0) await save();

  return {
    add: (target) => {
      targets.add(target);
      return save();
    },
    remove: (target) => {
      targets.delete(target);
      return save();
    },
  };
}

async function removePartial(target: string, logger: Logger): Promise<void> {
  const path = `${target}.part`;
  try {
    // Only ever a file of the kind that an export makes: never a link or a folder that took its place.
    if (!isAbsolute(path) || !(await lstat(path)).isFile()) return;
    await rm(path);
    logger.info('partial export removed', { path });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') logger.warn('partial export left', { error });
  }
}
