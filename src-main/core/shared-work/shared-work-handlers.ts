import { AppError } from '../../common/contract/errors.ts';
import type { HandlersOf } from '../../common/contract/index.ts';
import type { SharedChoice } from '../../common/model/shared/shared-work.ts';
import type { Host } from '../host.ts';
import type { SharedWorkParts } from './open-shared-work.ts';

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
