import { AppError } from '../../common/contract/errors.ts';
import type { HandlersOf } from '../../common/contract/index.ts';
import {
  GENERAL_KINDS,
  type PlannedItem,
  type SharedChoice,
  type SharedOutcome,
  type SharedPlan,
  type SharedProblem,
  type SharedWork,
} from '../../common/model/shared/shared-work.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Events, Host } from '../host.ts';
import { compareValues } from './assess-link.ts';
import { createSharedWorkLink, type SharedWorkLink } from './create-shared-work.ts';
import { toFileName, toIdentity, writeConnection } from './item-text.ts';
import {
  createSides,
  findOwnFile,
  type FolderItem,
  type FolderSide,
  listLost,
  listProblems,
  Moved,
  type SideItem,
  type Sides,
  toFile,
  toText,
} from './read-sides.ts';
import {
  CONNECTIONS_FOLDER,
  type KeptVersions,
  type LinkFile,
  openKeptVersions,
  openLinkFile,
  openSharedFolder,
  requireSound,
  type SharedFolder,
  toUnfit,
} from './shared-folder.ts';
import { createKindRooms, type KindParts, toLabel } from './shared-kinds.ts';

/** Carries shared work to a folder, or from it, once. */
interface OnceCarrier {
  planExport(choice: SharedChoice): Promise<SharedPlan>;
  /** `replace`: ids of the plan. What they replace is kept. */
  export(choice: SharedChoice, replace: readonly string[]): Promise<SharedOutcome>;
  planImport(choice: SharedChoice): Promise<SharedPlan>;
  /** `take`: ids of the plan. What they replace is kept. */
  import(choice: SharedChoice, take: readonly string[]): Promise<SharedOutcome>;
}

interface Both {
  readonly folder: SharedFolder;
  readonly side: FolderSide;
  readonly mine: ReadonlyMap<string, SideItem>;
  /** What can't be read here. */
  readonly lost: readonly SharedProblem[];
}

const NOTHING: FolderSide = {
  items: new Map(),
  faults: new Map(),
  notes: new Map(),
  foreignCounts: new Map(),
};

/** Creates what exports to a folder and imports from one. Its methods throw `shared-work.folder-unfit`. */
function createOnceCarrier(parts: {
  readonly sides: Sides;
  readonly kept: KeptVersions;
  readonly connections: Pick<ConnectionStore, 'listSaved'>;
  readonly linkFile: LinkFile;
  readonly dataFolder: string;
  monotonicMs(): number;
}): OnceCarrier {
  const { sides, kept, connections, linkFile, dataFolder, monotonicMs } = parts;

  async function readBoth(choice: SharedChoice): Promise<Both> {
    requireSound(choice, dataFolder);
    const folder = openSharedFolder(choice.folder, monotonicMs);
    const scan = await folder.scan().catch((error: unknown) => {
      throw toUnfit(choice.folder, 'not-readable', error);
    });
    if (scan.state === 'gone') throw toUnfit(choice.folder, 'no-folder');
    const side = scan.state === 'there' ? sides.readFolder(scan.files, choice) : NOTHING;
    const { items, lost } = await sides.readMine(choice);
    return { folder, side, mine: items, lost: listLost(lost.values()) };
  }

  const nameConnection = ({ side }: Both, choice: SharedChoice, sharedId: string | null): string | null => {
    if (sharedId === null) return null;
    const own = choice.connections.find((each) => each.sharedId === sharedId)?.connectionId;
    const saved = connections.listSaved().find(({ id }) => id === own);
    return saved?.name ?? side.notes.get(sharedId)?.note.name ?? sharedId;
  };
  const toPlanned = (
    both: Both,
    choice: SharedChoice,
    of: { readonly id: string; readonly mine: SideItem | null; readonly theirs: FolderItem | null },
    source: SideItem,
  ): PlannedItem => {
    const { mine, theirs } = of;
    const { kind, key, value, connection } = source.item;
    const isThere = mine !== null && theirs !== null;
    const state = !isThere ? 'new' : mine.digest === theirs.digest ? 'same' : 'other';
    return {
      id: of.id,
      kind,
      label: toLabel(kind, key, value),
      connection: nameConnection(both, choice, connection),
      file: theirs?.file ?? null,
      state,
      differences:
        state === 'other'
          ? compareValues(mine?.item.value ?? null, theirs?.item.value ?? null).differences
          : [],
    };
  };
  const listExport = (both: Both) =>
    [...both.mine].map(([identity, mine]) => ({
      id: identity,
      mine,
      theirs: findOwnFile(both.side.items.get(identity) ?? [], undefined) ?? null,
    }));
  /** Each file by itself: of an item there may be several versions, of which a person takes one. */
  const listImport = (both: Both) =>
    [...both.side.items.values()].flat().map((theirs) => ({
      id: theirs.file,
      mine: both.mine.get(toIdentity(theirs.item)) ?? null,
      theirs,
    }));
  const isBlocked = ({ side }: Both, { item }: SideItem): boolean => side.faults.has(toFile(item));

  return {
    async planExport(choice) {
      const both = await readBoth(choice);
      return {
        folder: choice.folder,
        items: listExport(both).map((own) => toPlanned(both, choice, own, own.mine)),
        problems: [...listProblems(both.side.faults, new Map(), () => false), ...both.lost],
        foreign: sides.listForeign(both.side, choice),
      };
    },
    async export(choice, replace) {
      const both = await readBoth(choice);
      const { folder, side } = both;
      const outcome = { done: 0, same: 0, left: 0 };
      try {
        const { choice: linked } = linkFile.read();
        // The linked folder was emptied, and is filled again: that other items of it are away says nothing.
        if (side === NOTHING && linked?.folder === choice.folder)
          await linkFile.save({ choice: linked, base: {} });
        await folder.mark();
        for (const { id, mine, theirs } of listExport(both)) {
          if (mine.digest === theirs?.digest) outcome.same += 1;
          else if ((theirs !== null && !replace.includes(id)) || (theirs === null && isBlocked(both, mine)))
            outcome.left += 1;
          else {
            if (theirs !== null) await kept.keep(theirs.file, 'replaced', toText(theirs));
            const file = theirs?.file ?? toFile(mine.item);
            if (await folder.write(file, theirs?.bytes ?? null, toText(mine))) outcome.done += 1;
            else outcome.left += 1;
          }
        }
        for (const { connectionId, sharedId } of choice.connections) {
          const connection = connections.listSaved().find(({ id }) => id === connectionId);
          if (connection === undefined || side.notes.has(sharedId)) continue;
          const name = toFileName(`connection/${sharedId}`, connection.name);
          const text = writeConnection(sides.describe(connection, sharedId));
          await folder.write(`${CONNECTIONS_FOLDER}/${name}`, null, text);
        }
      } catch (error) {
        throw error instanceof AppError ? error : toUnfit(choice.folder, 'not-writable', error);
      }
      const problems = [...listProblems(side.faults, new Map(), () => false), ...both.lost];
      return { ...outcome, problems };
    },
    async planImport(choice) {
      const both = await readBoth(choice);
      return {
        folder: choice.folder,
        items: listImport(both).map((own) => toPlanned(both, choice, own, own.theirs)),
        problems: listProblems(both.side.faults, new Map(), () => false),
        foreign: sides.listForeign(both.side, choice),
      };
    },
    async import(choice, take) {
      const both = await readBoth(choice);
      const wanted = new Set(take);
      const outcome = { done: 0, same: 0, left: 0 };
      const errors = new Map<string, unknown>();
      for (const { id, mine, theirs } of listImport(both)) {
        if (mine?.digest === theirs.digest) outcome.same += 1;
        else if (!wanted.has(id)) outcome.left += 1;
        else {
          try {
            if (mine !== null) await kept.keep(theirs.file, 'replaced', toText(mine));
            await sides.put(choice, theirs.item, mine?.digest ?? null, () => theirs.item.value);
            outcome.done += 1;
          } catch (error) {
            if (!(error instanceof AppError) && !(error instanceof Moved)) throw error;
            outcome.left += 1;
            errors.set(
              theirs.file,
              error instanceof Moved ? new AppError('shared-work.changed', error.message) : error,
            );
          }
        }
      }
      return { ...outcome, problems: listProblems(both.side.faults, errors, () => false) };
    },
  };
}

/** What a team shares: the linked folder, what is carried once, and the versions that gave way. */
interface SharedWorkParts {
  readonly link: SharedWorkLink;
  readonly carrier: OnceCarrier;
  readonly kept: KeptVersions;
  /** Brings a kept version back. Throws `shared-work.not-kept` and `shared-work.changed`. */
  restore(keptId: string): Promise<SharedWork>;
}

/** Opens what is kept of shared work in the data folder. */
export async function openSharedWork(
  parts: KindParts & {
    readonly connections: KindParts['connections'] & Pick<ConnectionStore, 'listSaved'>;
    readonly host: { readonly dataFolder: string };
    readonly events: Pick<Events, 'emit' | 'onAny'>;
    monotonicMs?(): number;
  },
): Promise<SharedWorkParts> {
  const { logger, now, host, connections, monotonicMs = () => performance.now() } = parts;
  const { dataFolder } = host;
  const sides = createSides(createKindRooms(parts), connections);
  const kept = await openKeptVersions(dataFolder, logger);
  const linkFile = await openLinkFile(dataFolder, logger, now);
  const link = createSharedWorkLink({ ...parts, sides, kept, linkFile, dataFolder, monotonicMs });
  return {
    link,
    kept,
    carrier: createOnceCarrier({ ...parts, sides, kept, linkFile, dataFolder, monotonicMs }),
    async restore(keptId) {
      const item = await kept.read(keptId);
      const { connection } = item;
      const linked = linkFile.read().choice?.connections ?? [];
      const own = linked.find(({ sharedId }) => sharedId === connection)?.connectionId ?? connection;
      if (own !== null) connections.get(own);
      const choice = {
        folder: dataFolder,
        kinds: [item.kind],
        connections:
          GENERAL_KINDS.includes(item.kind) || own === null || connection === null
            ? []
            : [{ connectionId: own, sharedId: connection }],
      };
      const mine = (await sides.readMine(choice)).items.get(toIdentity(item)) ?? null;
      if (mine !== null) await kept.keep(toFile(item), 'replaced', toText(mine));
      await sides
        .put(choice, item, mine?.digest ?? null, () => item.value)
        .catch((error: unknown) => {
          throw error instanceof Moved ? new AppError('shared-work.changed', error.message) : error;
        });
      return link.look();
    },
  };
}

/** The handlers of `shared-work/…`. */
export function createSharedWorkHandlers(parts: {
  readonly host: Pick<Host, 'kind' | 'chooseFolder' | 'revealFolder'>;
  readonly sharedWork: SharedWorkParts;
}): HandlersOf<'shared-work'> {
  const { host, sharedWork } = parts;
  const { link, carrier, restore } = sharedWork;
  // A window names no folders by itself where a dialog can ask for them; the page of a browser has to.
  const offered = new Set<string>();
  const requireOffered = (choice: SharedChoice): SharedChoice => {
    const { folder } = choice;
    if (host.kind !== 'desktop' || offered.has(folder) || link.read().choice?.folder === folder)
      return choice;
    throw new AppError('app.invalid-input', 'No dialog returned this folder.');
  };
  return {
    'shared-work/read': () => link.read(),
    'shared-work/choose-folder': async () => {
      const folder = host.kind === 'desktop' ? await host.chooseFolder('', 'shared') : null;
      if (folder !== null) offered.add(folder);
      return { folder };
    },
    'shared-work/link': (choice) => link.link(requireOffered(choice)),
    'shared-work/unlink': () => link.unlink(),
    'shared-work/look': () => link.look(),
    'shared-work/resolve': ({ conflictId, choice }) => link.resolve(conflictId, choice),
    'shared-work/replace-file': ({ file }) => link.replaceFile(file),
    'shared-work/answer-removals': ({ answer }) => link.answerRemovals(answer),
    'shared-work/plan-export': (choice) => carrier.planExport(requireOffered(choice)),
    'shared-work/export': ({ choice, replace }) => carrier.export(requireOffered(choice), replace),
    'shared-work/plan-import': (choice) => carrier.planImport(requireOffered(choice)),
    'shared-work/import': ({ choice, take }) => carrier.import(requireOffered(choice), take),
    'shared-work/list-kept': () => sharedWork.kept.list(),
    'shared-work/restore': ({ keptId }) => restore(keptId),
    'shared-work/reveal-folder': async ({ folder }) => ({
      isShown: folder === link.read().choice?.folder && (await host.revealFolder(folder)),
    }),
  };
}
