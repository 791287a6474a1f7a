import { hash } from 'node:crypto';
import {
  REPEATED_KINDS,
  type SharedChoice,
  type SharedConflict,
} from '../../common/model/shared/shared-work.ts';
import { compareValues } from './compare-values.ts';
import { decideStep, type BaseVersion, type Step } from './decide.ts';
import {
  findOwnFile,
  toFile,
  type FolderItem,
  type FolderSide,
  type SideItem,
  type Sides,
} from './read-sides.ts';
import type { SharedFolder } from './shared-folder.ts';
import { toLabel } from './shared-kinds.ts';

/** More deletions at once, of more than half of everything, are for a person to confirm. */
const MANY_REMOVALS = 10;

/** An item, on both sides and as it was. */
export interface Standing {
  readonly identity: string;
  readonly mine: SideItem | null;
  readonly theirs: FolderItem | null;
  readonly copies: readonly FolderItem[];
  readonly base: BaseVersion | null;
  readonly step: Step;
}

/** What a look found. */
export interface Found {
  readonly folder: FolderSide;
  readonly standings: readonly Standing[];
  /** What can't be read here, and isn't in the folder either. */
  readonly lost: readonly string[];
  /** Items whose file can't be read, by that file. */
  readonly blocked: ReadonlyMap<string, SideItem>;
  readonly conflicts: ReadonlyMap<string, { readonly standing: Standing; readonly copy: FolderItem | null }>;
}

/** Reads both sides, and decides what is to be done; says where the folder can't be looked at. */
export async function assessLink(
  choice: SharedChoice,
  of: {
    readonly sides: Pick<Sides, 'readMine' | 'readFolder'>;
    readonly folder: SharedFolder;
    readonly base: ReadonlyMap<string, BaseVersion>;
    readonly saved: readonly { readonly id: string }[];
  },
): Promise<Found | 'gone' | 'empty'> {
  const { sides, base, saved } = of;
  const scan = await of.folder.scan();
  if (scan.state !== 'there') return scan.state;
  const { items: mine, lost } = await sides.readMine(choice);
  const folder = sides.readFolder(scan.files, choice);
  const isShared = createScope(choice, saved);
  const standings: Standing[] = [];
  const blocked = new Map<string, SideItem>();
  const lostNames: string[] = [];
  const conflicts = new Map<string, { standing: Standing; copy: FolderItem | null }>();
  for (const identity of new Set([...mine.keys(), ...lost.keys(), ...folder.items.keys(), ...base.keys()])) {
    if (!isShared(identity)) continue;
    const own = mine.get(identity) ?? null;
    const before = base.get(identity) ?? null;
    const found = folder.items.get(identity) ?? [];
    const theirs = findOwnFile(found, before?.file) ?? null;
    const file = before?.file ?? (own === null ? '' : toFile(own.item));
    if (folder.faults.has(file) && (before !== null || theirs === null)) {
      if (own !== null) blocked.set(file, own);
      continue;
    }
    const lostName = lost.get(identity);
    // That it can't be read here isn't that it was deleted here: what the folder has of it comes back.
    if (lostName !== undefined && theirs === null) {
      lostNames.push(lostName);
      continue;
    }
    const step =
      lostName === undefined
        ? decideStep({ mine: own?.digest ?? null, theirs: theirs?.digest ?? null, base: before })
        : 'take';
    const copies = found.filter((each) => each !== theirs);
    const standing = { identity, mine: own, theirs, copies, base: before, step };
    standings.push(standing);
    if (step === 'conflict') conflicts.set(toConflictId(standing, null), { standing, copy: null });
    for (const copy of copies)
      if (!isOldCopy(standing, copy)) conflicts.set(toConflictId(standing, copy), { standing, copy });
  }
  return { folder, standings, lost: lostNames, blocked, conflicts };
}

/** Returns what says of identities whether they are shared: of a chosen kind, and of a connection that is here. */
export function createScope(
  { kinds, connections: linked }: SharedChoice,
  saved: readonly { readonly id: string }[],
): (identity: string) => boolean {
  const there = new Set(saved.map(({ id }) => id));
  const shared = new Set(
    linked.filter(({ connectionId }) => there.has(connectionId)).map(({ sharedId }) => sharedId),
  );
  return (identity) => {
    const [kind = '', connection = ''] = identity.split('/', 2);
    return kinds.some((known) => known === kind) && (connection === '' || shared.has(connection));
  };
}

/** A copy of what is there, or of what both sides had before: it says nothing new. */
export function isOldCopy({ mine, theirs, base }: Standing, { digest }: FolderItem): boolean {
  return digest === theirs?.digest || digest === mine?.digest || digest === base?.digest;
}

/** Counts deletions where they are so many at once that something else may have happened: another branch, an emptied drive, a lost settings file. */
export function findManyRemovals(
  standings: readonly Standing[],
  total: number,
): { readonly here: number; readonly folder: number } {
  const count = (step: Step): number => standings.filter((standing) => standing.step === step).length;
  const toMany = (removed: number): number => (removed >= MANY_REMOVALS && removed * 2 > total ? removed : 0);
  return { here: toMany(count('delete-theirs')), folder: toMany(count('delete-mine')) };
}

function toConflictId({ identity, mine, theirs }: Standing, copy: FolderItem | null): string {
  const versions = [identity, mine?.digest ?? '', (copy ?? theirs)?.digest ?? '', copy?.file ?? ''];
  return hash('sha256', JSON.stringify(versions), 'base64url').slice(0, 24);
}

/** Says of a conflict what a person chooses by. */
export function describeConflict(
  id: string,
  { conflicts }: Found,
  { connections: linked }: SharedChoice,
): SharedConflict {
  const found = conflicts.get(id);
  if (found === undefined) throw new Error('No such conflict.');
  const { standing, copy } = found;
  const { mine, theirs } = standing;
  const other = copy ?? theirs;
  const item = (mine ?? other)?.item;
  if (item === undefined) throw new Error('A conflict has no version.');
  return {
    id,
    kind: item.kind,
    label: toLabel(item.kind, item.key, item.value),
    connectionId: linked.find(({ sharedId }) => sharedId === item.connection)?.connectionId ?? null,
    file: other?.file ?? standing.base?.file ?? null,
    isCopy: copy !== null,
    isMine: mine !== null,
    isTheirs: other !== null,
    canKeepBoth: mine !== null && other !== null && REPEATED_KINDS.includes(item.kind),
    ...compareValues(mine?.item.value ?? null, other?.item.value ?? null),
  };
}
