import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { moveAnywhere } from '../../node/move-anywhere.ts';
import { removePatiently, tryToRemove } from '../../node/move-and-remove.ts';
import { replaceFile } from '../../node/write-file-atomically.ts';
import type { EngineFile } from '../analysis/engine/files/write-file.ts';
import { guardWriting } from '../exports/guard-writing.ts';
import type { PartialList } from '../exports/partial-list.ts';
import { readManifest } from './dataset-manifest.ts';

/** Hive's name for the part whose value is nothing: readers see null. */
const NO_DATE = '__HIVE_DEFAULT_PARTITION__';

/** Path of a day's file within the folder of its connection, with slashes. */
export function toDayFile(report: string, date: string | null): string {
  return `report=${report}/date=${date ?? NO_DATE}/part-0.parquet`;
}

/**
 * Replaces the file of a day in one step: readers find the previous file or this one. Until then its name begins with
 * a dot, which readers of data skip. Throws AppError `exports.write-failed`.
 */
export async function putDayFile(
  folder: string,
  file: string,
  whole: EngineFile,
  partials: PartialList,
): Promise<void> {
  const target = join(folder, file);
  const unfinished = join(target, '..', '.part-0.parquet');
  await partials.add(unfinished);
  try {
    await guardWriting(async () => {
      await mkdir(join(target, '..'), { recursive: true, mode: 0o700 });
      await moveAnywhere(whole.path, `${unfinished}.part`);
      await replaceFile(`${unfinished}.part`, target);
    });
  } finally {
    // What stays is removed at the next start.
    if (await tryToRemove(`${unfinished}.part`, () => undefined)) await partials.remove(unfinished);
  }
}

/** Removes the file of a day that has no records any more. Throws AppError `exports.write-failed`. */
export async function removeDayFile(folder: string, file: string): Promise<void> {
  await guardWriting(() => removePatiently(join(folder, file)));
}

/** True where a day's file has as many bytes as were written. */
export async function isThere(folder: string, file: string, bytes: number): Promise<boolean> {
  const found = await stat(join(folder, file)).catch(() => null);
  return found?.isFile() === true && found.size === bytes;
}

/**
 * Returns the folder of a connection inside a dataset's: the one whose manifest names it, else one that is free. Its
 * name is a Hive partition, such as `connection=Production_1001`. Throws AppError `exports.write-failed`.
 */
export async function findConnectionFolder(
  folder: string,
  connection: { readonly id: string; readonly name: string; readonly tenant: number },
): Promise<string> {
  return guardWriting(async () => {
    await mkdir(folder, { recursive: true });
    const taken = (await readdir(folder)).filter((name) => name.startsWith('connection='));
    for (const name of taken) {
      const manifest = await readManifest(join(folder, name));
      if (manifest?.connection.id === connection.id) return join(folder, name);
    }
    const plain = connection.name.normalize('NFKD').replace(/[^A-Za-z0-9.-]+/g, '_');
    const base = `connection=${plain.slice(0, 60)}_${connection.tenant}`;
    const isTaken = (name: string): boolean =>
      taken.some((other) => other.toLowerCase() === name.toLowerCase());
    let own = base;
    for (let number = 2; isTaken(own); number += 1) own = `${base}-${number}`;
    await mkdir(join(folder, own), { mode: 0o700 });
    return join(folder, own);
  });
}
