import { join, sep } from 'node:path';
import { readJsonFile, writeJsonFile } from '../documents/json-file.ts';

/** Documents that name folders and files which may lie in the data folder itself. */
const DOCUMENTS = ['datasets.json', 'schedules.json', 'schedule-runs.json', 'partial-exports.json'];

/**
 * Lets the documents of a copied data folder name what lies in the copy, where they named what lies in `from`: what a
 * schedule writes next must not go to the previous folder. A document that isn't JSON stays as it is.
 */
export async function rebasePaths(from: string, to: string): Promise<void> {
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
