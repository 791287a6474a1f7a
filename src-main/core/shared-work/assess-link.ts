import { hash } from 'node:crypto';
import { isPlainObject } from '../../common/json.ts';
import {
  type FieldDifference,
  REPEATED_KINDS,
  type SharedChoice,
  type SharedConflict,
} from '../../common/model/shared/shared-work.ts';
import type { Json } from './item-text.ts';
import {
  findOwnFile,
  type FolderItem,
  type FolderSide,
  type SideItem,
  type Sides,
  toFile,
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

/** The version of an item that both sides had when they were last the same. */
export interface BaseVersion {
  readonly digest: string;
  /**
   * False from when it was written to the folder until it is seen there: what is there instead may have been written at the
   * same moment, by somebody who didn't see it.
   */
  readonly isConfirmed: boolean;
  /** Its file, below the folder. */
  readonly file: string;
}

/** An item as it stands: digests of its versions, null where a side hasn't it. */
interface Versions {
  readonly mine: string | null;
  readonly theirs: string | null;
  readonly base: BaseVersion | null;
}

/** What is to be done about an item. `settle`: both are the same, which is noted. */
export type Step = 'nothing' | 'settle' | 'take' | 'write' | 'delete-mine' | 'delete-theirs' | 'conflict';

/**
 * Decides by the version that both sides had last, never by a clock: what changed on one side alone goes to the other, and
 * what changed on both is for a person to choose.
 */
export function decideStep({ mine, theirs, base }: Versions): Step {
  if (mine === theirs) {
    const isNoted = mine === null ? base === null : base?.digest === mine && base.isConfirmed;
    return isNoted ? 'nothing' : 'settle';
  }
  const before = base?.digest ?? null;
  if (theirs === before) return mine === null ? 'delete-theirs' : 'write';
  const isOverwritten = base !== null && !base.isConfirmed;
  if (mine !== before || isOverwritten) return 'conflict';
  return theirs === null ? 'delete-mine' : 'take';
}

/** Differences that are shown of two versions. */
const MAX_SHOWN = 200;
/** Characters that are shown of a value. */
const MAX_CHARACTERS = 2_000;

/** Lists the fields in which two versions of an item differ; a version that isn't there has none. */
export function compareValues(
  mine: Json | null,
  theirs: Json | null,
): { readonly differences: FieldDifference[]; readonly hasMore: boolean } {
  const own = listLeaves(mine);
  const other = listLeaves(theirs);
  const paths = [...new Set([...own.keys(), ...other.keys()])];
  const differences = paths
    .filter((path) => own.get(path) !== other.get(path))
    .map((path) => ({ path, mine: own.get(path) ?? null, theirs: other.get(path) ?? null }));
  return { differences: differences.slice(0, MAX_SHOWN), hasMore: differences.length > MAX_SHOWN };
}

/** Every value by its path; a list of plain values is one, and a row of a table goes by its first cell. */
function listLeaves(value: Json | null): Map<string, string> {
  const leaves = new Map<string, string>();
  const add = (path: string, part: Json): void => {
    if (part === null || typeof part !== 'object') {
      leaves.set(path, toShort(typeof part === 'string' ? part : JSON.stringify(part)));
    } else if (Array.isArray(part)) {
      const list: readonly Json[] = part;
      if (list.every((entry) => entry === null || typeof entry !== 'object')) {
        leaves.set(path, toShort(list.map((entry) => String(entry)).join(', ')));
        return;
      }
      for (const [place, entry] of list.entries()) add(`${path}.${toStep(entry, place)}`, entry);
    } else {
      for (const [name, inner] of Object.entries(part)) add(path === '' ? name : `${path}.${name}`, inner);
    }
  };
  if (value !== null) add('', value);
  return leaves;
}

function toStep(entry: Json, place: number): string {
  if (Array.isArray(entry) && typeof entry[0] === 'string') return entry[0];
  const id = isPlainObject(entry) ? entry['id'] : undefined;
  if (typeof id === 'string') return id;
  return String(place + 1);
}

function toShort(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}
