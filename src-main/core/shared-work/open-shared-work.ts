import { AppError } from '../../common/contract/errors.ts';
import type { HandlersOf } from '../../common/contract/index.ts';
import { GENERAL_KINDS, type SharedChoice, type SharedWork } from '../../common/model/shared/shared-work.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Events } from '../events.ts';
import type { Host } from '../host.ts';
import { createOnceCarrier, type OnceCarrier } from './carry-once.ts';
import { createSharedWorkLink, type SharedWorkLink } from './create-shared-work.ts';
import { toIdentity } from './item-text.ts';
import { type KeptVersions, openKeptVersions, openLinkFile } from './shared-folder.ts';
import { createSides, Moved, toFile, toText } from './read-sides.ts';
import { createKindRooms, type KindParts } from './shared-kinds.ts';

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
