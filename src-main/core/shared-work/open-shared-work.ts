import { AppError } from '../../common/contract/errors.ts';
import { GENERAL_KINDS, type SharedWork } from '../../common/model/shared/shared-work.ts';
import type { Events } from '../events.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import { createOnceCarrier, type OnceCarrier } from './carry-once.ts';
import { createSharedWorkLink, type SharedWorkLink } from './create-shared-work.ts';
import { toIdentity } from './item-text.ts';
import { openKeptVersions, type KeptVersions } from './kept-versions.ts';
import { openLinkFile } from './link-file.ts';
import { createSides, Moved, toFile, toText } from './read-sides.ts';
import { createKindRooms, type KindParts } from './shared-kinds.ts';

/** What a team shares: the linked folder, what is carried once, and the versions that gave way. */
export interface SharedWorkParts {
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
