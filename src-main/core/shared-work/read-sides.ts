import { Check } from 'typebox/value';
import { toErrorInfo, type ErrorInfo } from '../../common/contract/errors.ts';
import {
  GENERAL_KINDS,
  SHARED_KINDS,
  type FileFault,
  type ForeignConnection,
  type SharedChoice,
  type SharedKind,
  type SharedProblem,
} from '../../common/model/shared/shared-work.ts';
import { toOrigin } from '../../common/reporting/base-address.ts';
import type { SavedConnection } from '../connections/connection-file.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import {
  toDigest,
  toFileName,
  toIdentity,
  writeItem,
  type ConnectionNote,
  type SharedItem,
} from './item-text.ts';
import type { FoundFile } from './shared-folder.ts';
import { toFileLabel, type KindRoom, type ToNext } from './shared-kinds.ts';

/** An item on one side. */
export interface SideItem {
  readonly item: SharedItem;
  readonly digest: string;
}

/** An item in the folder. */
export interface FolderItem extends SideItem {
  readonly file: string;
  readonly bytes: string | null;
}

/** What is here of what is shared. */
interface OwnSide {
  /** By identity. */
  readonly items: ReadonlyMap<string, SideItem>;
  /** What is here and can't be read, by identity: how it is named beside a file. */
  readonly lost: ReadonlyMap<string, string>;
}

/** What the folder holds of what is shared. */
export interface FolderSide {
  /** By identity; several where a sync program made copies of a file. */
  readonly items: ReadonlyMap<string, readonly FolderItem[]>;
  /** Files that are left alone. */
  readonly faults: ReadonlyMap<string, FileFault>;
  readonly notes: ReadonlyMap<string, { readonly note: ConnectionNote; readonly file: string }>;
  /** Items of connections that are none here. */
  readonly foreignCounts: ReadonlyMap<string, number>;
}

/** Both sides of what a choice shares. */
export interface Sides {
  readMine(choice: SharedChoice): Promise<OwnSide>;
  readFolder(files: readonly FoundFile[], choice: SharedChoice): FolderSide;
  /** Changes an item here. Rejects with Moved where it is no more what `before` was, and as the kind's room does. */
  put(
    choice: SharedChoice,
    item: Omit<SharedItem, 'value'>,
    before: string | null,
    toNext: ToNext,
  ): Promise<void>;
  listForeign(folder: FolderSide, choice: SharedChoice): ForeignConnection[];
  describe(connection: SavedConnection, sharedId: string): ConnectionNote;
}

/** An item changed since it was read: the next look decides anew. */
export class Moved extends Error {
  override readonly name = 'Moved';
}

/** Creates what reads and changes both sides. */
export function createSides(
  rooms: Readonly<Record<SharedKind, KindRoom>>,
  connections: Pick<ConnectionStore, 'listSaved'>,
): Sides {
  const fits = new WeakMap<FoundFile, boolean>();
  const listLinked = ({ connections: linked }: SharedChoice) => {
    const there = new Set(connections.listSaved().map(({ id }) => id));
    return linked.filter(({ connectionId }) => there.has(connectionId));
  };
  const isFit = (found: FoundFile, { kind, connection, value }: SharedItem): boolean => {
    const known = fits.get(found);
    if (known !== undefined) return known;
    const is = Check(rooms[kind].schema, value) && (connection === null) === GENERAL_KINDS.includes(kind);
    fits.set(found, is);
    return is;
  };

  return {
    async readMine(choice) {
      const items = new Map<string, SideItem>();
      const lost = new Map<string, string>();
      const linked = listLinked(choice);
      for (const kind of SHARED_KINDS) {
        if (!choice.kinds.includes(kind)) continue;
        const places = GENERAL_KINDS.includes(kind)
          ? [{ connectionId: '', sharedId: null }]
          : linked.map(({ connectionId, sharedId }) => ({ connectionId, sharedId }));
        for (const { connectionId, sharedId } of places) {
          for (const own of await rooms[kind].list(connectionId)) {
            const identity = toIdentity({ kind, connection: sharedId, key: own.key });
            if ('isLost' in own) lost.set(identity, `${kind}/${own.name}`);
            else {
              const item = { kind, connection: sharedId, key: own.key, value: own.value };
              items.set(identity, { item, digest: toDigest(own.value) });
            }
          }
        }
      }
      return { items, lost };
    },
    readFolder(files, choice) {
      const linked = new Set(listLinked(choice).map(({ sharedId }) => sharedId));
      const items = new Map<string, FolderItem[]>();
      const faults = new Map<string, FileFault>();
      const notes = new Map<string, { note: ConnectionNote; file: string }>();
      const foreignCounts = new Map<string, number>();
      for (const found of files) {
        const { read, bytes } = found;
        const file = found.file.normalize('NFC');
        if (read.is === 'fault') faults.set(file, read.fault);
        else if (read.is === 'connection') notes.set(read.note.sharedId, { note: read.note, file });
        else if (read.is === 'item') {
          const { item } = read;
          if (!isFit(found, item)) faults.set(file, 'unfit');
          else if (item.connection !== null && !linked.has(item.connection)) {
            foreignCounts.set(item.connection, (foreignCounts.get(item.connection) ?? 0) + 1);
          } else if (choice.kinds.includes(item.kind)) {
            const identity = toIdentity(item);
            const others = items.get(identity) ?? [];
            items.set(identity, [...others, { item, digest: toDigest(item.value), file: found.file, bytes }]);
          }
        }
      }
      return { items, faults, notes, foreignCounts };
    },
    async put(choice, { kind, connection, key }, before, toNext) {
      const connectionId =
        connection === null
          ? ''
          : listLinked(choice).find(({ sharedId }) => sharedId === connection)?.connectionId;
      if (connectionId === undefined) throw new Moved('The connection is gone.');
      await rooms[kind].change(connectionId, key, (current) => {
        const digest = current === undefined ? null : toDigest(current);
        if (digest !== before) throw new Moved('It changed meanwhile.');
        return toNext(current);
      });
    },
    listForeign({ notes, foreignCounts }, choice) {
      const used = new Set(choice.connections.map(({ connectionId }) => connectionId));
      return [...foreignCounts].map(([sharedId, count]) => {
        const { name, origin, tenant } = notes.get(sharedId)?.note ?? {
          name: sharedId,
          origin: '',
          tenant: null,
        };
        const alike = connections
          .listSaved()
          .filter((own) => !used.has(own.id) && isAlike(own, { sharedId, origin, tenant }));
        const [only] = alike;
        return {
          sharedId,
          name,
          origin,
          tenant,
          count,
          suggestedId: alike.length === 1 ? (only?.id ?? null) : null,
        };
      });
    },
    describe: ({ name, tenant, ...rest }, sharedId) => ({
      sharedId,
      name,
      origin: toSharedOrigin(rest),
      tenant: tenant < 0 ? null : tenant,
    }),
  };
}

/** Where an item's file is, or would be. */
export function toFile(item: SharedItem): string {
  const label = toFileLabel(item.kind, item.key, item.value);
  return `${item.kind}/${toFileName(toIdentity(item), label)}`;
}

/** Several files of one item: the first is the item's own, the others are copies that a sync program made. */
export function findOwnFile(
  found: readonly FolderItem[],
  baseFile: string | undefined,
): FolderItem | undefined {
  const isIts = ({ file }: FolderItem, wanted: string | undefined): boolean =>
    file.normalize('NFC') === wanted;
  return (
    found.find((each) => isIts(each, baseFile)) ??
    found.find((each) => isIts(each, toFile(each.item))) ??
    found.toSorted((a, b) => a.file.length - b.file.length || (a.file < b.file ? -1 : 1))[0]
  );
}

/** Files that are left alone, and what can be done about them. */
export function listProblems(
  faults: ReadonlyMap<string, FileFault>,
  errors: ReadonlyMap<string, unknown>,
  canReplace: (file: string) => boolean,
): SharedProblem[] {
  const toInfo = (file: string): ErrorInfo | null =>
    errors.has(file) ? toErrorInfo(errors.get(file)) : null;
  const files = new Set([...faults.keys(), ...errors.keys()]);
  return [...files].sort().map((file) => ({
    file,
    fault: faults.get(file) ?? 'unfit',
    error: toInfo(file),
    canReplace: canReplace(file),
  }));
}

/** What can't be read on this computer. */
export function listLost(names: Iterable<string>): SharedProblem[] {
  return [...names].sort().map((file) => ({ file, fault: 'lost' as const, error: null, canReplace: false }));
}

/** The text of an item's file. */
export function toText({ item }: SideItem): string {
  return writeItem(item);
}

function isAlike(
  own: SavedConnection,
  { sharedId, origin, tenant }: { sharedId: string; origin: string; tenant: number | null },
): boolean {
  if (own.id === sharedId) return true;
  return origin !== '' && toSharedOrigin(own) === origin && own.tenant === tenant;
}

/** Scheme, host and port; empty for the bundled service, whose address means nothing elsewhere, and for imported records. */
function toSharedOrigin({ kind, baseAddress }: Pick<SavedConnection, 'kind' | 'baseAddress'>): string {
  return kind === 'remote' ? toOrigin(baseAddress) : '';
}
