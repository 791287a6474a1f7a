import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { Check } from 'typebox/value';
import { isPlainObject } from '../../common/json/is-plain-object.ts';
import { Nullable } from '../../common/model/nullable.ts';
import { SharedChoice } from '../../common/model/shared/shared-work.ts';
import { makePrivateFolder } from '../../node/private-files.ts';
import { writeJsonFile, readVersionedFile } from '../documents/json-file.ts';
import type { Logger } from '../logging/logger.ts';

const VERSION = 1;
const BaseEntry = Type.Object({
  digest: Type.String(),
  isConfirmed: Type.Boolean(),
  file: Type.String(),
});
const Link = Type.Object({
  version: Type.Literal(VERSION),
  choice: Nullable(SharedChoice),
  /** What both sides had last, by identity. */
  base: Type.Record(Type.String(), BaseEntry),
});
type Link = Static<typeof Link>;

/** The linked folder, and what both sides had when they were last the same. */
export interface LinkFile {
  read(): Omit<Link, 'version'>;
  save(link: Omit<Link, 'version'>): Promise<void>;
}

/**
 * Reads `shared-work/link.json` in the data folder. A damaged one is moved aside: then no folder is linked, and once one is,
 * versions that differ are shown as conflicts, and nothing counts as deleted.
 */
export async function openLinkFile(dataFolder: string, logger: Logger, now: () => number): Promise<LinkFile> {
  const folder = join(dataFolder, 'shared-work');
  makePrivateFolder(folder);
  const path = join(folder, 'link.json');
  const found = await readVersionedFile({
    path,
    version: VERSION,
    findVersion: (saved) =>
      isPlainObject(saved) && typeof saved['version'] === 'number' ? saved['version'] : null,
    now,
    onDamage: () => logger.error('the link to the shared folder was damaged'),
  });
  let link: Omit<Link, 'version'> = Check(Link, found?.saved) ? found.saved : { choice: null, base: {} };
  return {
    read: () => link,
    async save(next) {
      await writeJsonFile(path, { version: VERSION, choice: next.choice, base: next.base });
      link = next;
    },
  };
}

/** Returns what both sides had of what is linked as before: a connection that is another one now has nothing in common with it. */
export function keepMapped(
  {
    choice,
    base,
  }: { readonly choice: SharedChoice | null; readonly base: Record<string, Static<typeof BaseEntry>> },
  next: SharedChoice,
): Record<string, Static<typeof BaseEntry>> {
  const isAsBefore = (sharedId: string): boolean => {
    const find = (of: SharedChoice | null): string | undefined =>
      of?.connections.find((each) => each.sharedId === sharedId)?.connectionId;
    return find(choice) !== undefined && find(choice) === find(next);
  };
  return Object.fromEntries(
    Object.entries(base).filter(([identity]) => {
      const [, sharedId = ''] = identity.split('/', 2);
      return sharedId === '' || isAsBefore(sharedId);
    }),
  );
}
