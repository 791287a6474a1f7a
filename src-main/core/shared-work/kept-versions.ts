import { hash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AppError } from '../../common/contract/errors.ts';
import type { KeptVersion } from '../../common/model/shared/shared-work.ts';
import { tryToRemove } from '../../node/move-and-remove.ts';
import { makePrivateFolder } from '../../node/private-files.ts';
import { writeFileAtomically } from '../../node/write-file-atomically.ts';
import type { Logger } from '../logging/logger.ts';
import { readItem, type SharedItem } from './item-text.ts';
import { toLabel } from './shared-kinds.ts';

/** Versions that are kept; the oldest go first. */
const MAX_KEPT = 5_000;
const MAX_KEPT_BYTES = 500_000_000;
const NAME = /^(\d{10})\.(replaced|deleted|unreadable)\.(.+)$/u;

type Reason = KeptVersion['reason'];

/** Versions of shared items that were replaced or deleted by what came from elsewhere, each in a file of its own. */
export interface KeptVersions {
  /** Resolves once it is on the disk. The version that was kept last of a file isn't kept twice. */
  keep(file: string, reason: Reason, content: string | Uint8Array): Promise<void>;
  /** Newest first. */
  list(): Promise<KeptVersion[]>;
  count(): number;
  /** Throws `shared-work.not-kept`. */
  read(keptId: string): Promise<SharedItem>;
}

/** Opens the folder, in the data folder. Names are numbered: no clock decides which version is older. */
export async function openKeptVersions(dataFolder: string, logger: Logger): Promise<KeptVersions> {
  const folder = join(dataFolder, 'shared-work', 'kept');
  makePrivateFolder(folder);
  let names = (await readdir(folder)).filter((name) => NAME.test(name)).sort();
  let next = Number(NAME.exec(names.at(-1) ?? '')?.[1] ?? 0) + 1;
  const lastOf = new Map<string, string>();

  async function prune(): Promise<void> {
    if (names.length <= MAX_KEPT && next % 100 !== 0) return;
    let bytes = 0;
    let count = 0;
    const over: string[] = [];
    for (const name of names.toReversed()) {
      bytes += (await stat(join(folder, name)).catch(() => ({ size: 0 }))).size;
      count += 1;
      if (count > MAX_KEPT || bytes > MAX_KEPT_BYTES) over.push(name);
    }
    for (const name of over)
      await tryToRemove(join(folder, name), (error) => logger.warn('kept version not removed', { error }));
    names = names.filter((name) => !over.includes(name));
  }

  return {
    async keep(file, reason, content) {
      const digest = hash('sha256', content, 'base64url');
      if (lastOf.get(file) === digest) return;
      const name = `${String(next).padStart(10, '0')}.${reason}.${basename(file)}`;
      next += 1;
      await writeFileAtomically(join(folder, name), content);
      names.push(name);
      lastOf.set(file, digest);
      await prune();
    },
    async list() {
      const kept: KeptVersion[] = [];
      for (const name of names.toReversed()) {
        const reason = NAME.exec(name)?.[2] as Reason;
        const text = await readFile(join(folder, name), 'utf8').catch(() => '');
        const read = readItem(text);
        const keptAtMs = Math.round((await stat(join(folder, name)).catch(() => ({ mtimeMs: 0 }))).mtimeMs);
        const item = read.is === 'item' ? read.item : null;
        kept.push({
          id: name,
          kind: item?.kind ?? null,
          label:
            item === null ? name.slice(name.indexOf('.', 11) + 1) : toLabel(item.kind, item.key, item.value),
          reason,
          keptAtMs,
          canRestore: item !== null,
        });
      }
      return kept;
    },
    count: () => names.length,
    async read(keptId) {
      const text = names.includes(keptId) ? await readFile(join(folder, keptId), 'utf8').catch(() => '') : '';
      const read = readItem(text);
      if (read.is === 'item') return read.item;
      throw new AppError('shared-work.not-kept', 'This version is not kept.', { keptId });
    },
  };
}
