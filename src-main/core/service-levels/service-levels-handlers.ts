import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Value } from 'typebox/value';
import { AppError } from '../../common/contract/errors.ts';
import type { HandlersOf } from '../../common/contract/index.ts';
import { findLevelFault, toServiceLevelsFile } from '../../common/model/connections/level-times.ts';
import {
  MAX_SERVICE_LEVELS,
  ServiceLevelsFile,
  type ServiceLevel,
  type ServiceLevelDraft,
} from '../../common/model/connections/service-level.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import { readLevels, type LevelParts } from './read-levels.ts';

/** The handlers of `service-levels/…`. */
export function createServiceLevelsHandlers(
  parts: LevelParts & { readonly connections: Pick<ConnectionStore, 'get' | 'saveServiceLevels'> },
): HandlersOf<'service-levels'> {
  const { connections } = parts;
  return {
    'service-levels/save': ({ connectionId, levelId, draft }) => {
      requireSound(draft);
      return connections.saveServiceLevels(connectionId, (levels) => {
        if (levelId === null) return requireRoom([...levels, { ...draft, id: randomUUID() }]);
        requireKnown(levels, levelId);
        return levels.map((own) => (own.id === levelId ? { ...draft, id: levelId } : own));
      });
    },
    'service-levels/remove': ({ connectionId, levelId }) =>
      connections.saveServiceLevels(connectionId, (levels) => {
        requireKnown(levels, levelId);
        return levels.filter(({ id }) => id !== levelId);
      }),
    'service-levels/import': async ({ connectionId, fileName, text }) => {
      const drafts = readFile(text, fileName);
      for (const draft of drafts) requireSound(draft);
      let added = 0;
      const connection = await connections.saveServiceLevels(connectionId, (levels) => {
        const known = toServiceLevelsFile(levels).levels;
        const fresh = drafts.filter((draft) => !known.some((own) => isDeepStrictEqual(own, draft)));
        added = fresh.length;
        return requireRoom([...levels, ...fresh.map((draft) => ({ ...draft, id: randomUUID() }))]);
      });
      return { connection, added };
    },
    'service-levels/read': ({ connectionId, month }) =>
      readLevels(parts, connectionId, connections.get(connectionId), month),
  };
}

function requireSound(draft: ServiceLevelDraft): void {
  const fault = findLevelFault(draft);
  if (fault === null) return;
  throw new AppError('service-levels.invalid', `The service level "${draft.name}" is not valid: ${fault}.`, {
    fault,
    name: draft.name,
  });
}

function requireKnown(levels: readonly ServiceLevel[], id: string): void {
  if (levels.some((own) => own.id === id)) return;
  throw new AppError('service-levels.not-found', 'No such service level.');
}

function requireRoom(levels: ServiceLevel[]): ServiceLevel[] {
  if (levels.length <= MAX_SERVICE_LEVELS) return levels;
  throw new AppError('service-levels.too-many', `At most ${MAX_SERVICE_LEVELS} service levels are kept.`, {
    most: MAX_SERVICE_LEVELS,
  });
}

function readFile(text: string, fileName: string): readonly ServiceLevelDraft[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (Value.Check(ServiceLevelsFile, value))
    return toServiceLevelsFile(value.levels as ServiceLevel[]).levels;
  throw new AppError(
    'service-levels.no-file',
    `${fileName} holds no service levels as --export writes them.`,
    {
      fileName,
    },
  );
}
