import {
  MAX_SAVED_STATEMENTS,
  MAX_STATEMENT_NAME_CHARACTERS,
  type SavedStatement,
} from '../../../../src-main/common/model/settings/settings.ts';
import { useSavedList, type SavedFault, type SavedList } from '../../../composables/use-saved-list.ts';
import { useAppStore } from '../../../stores/window/app.ts';

/** Statements that were saved under a name. */
export function useSavedStatements(): SavedList<SavedStatement> {
  const app = useAppStore();
  const saved = useSavedList<SavedStatement>({
    read: () => app.settings?.savedStatements ?? [],
    write: (savedStatements) => app.update({ savedStatements }),
    maxItems: MAX_SAVED_STATEMENTS,
    maxNameCharacters: MAX_STATEMENT_NAME_CHARACTERS,
  });

  /** Saves under a name, in the place of what was saved under it. */
  async function save(statement: SavedStatement): Promise<SavedFault | null> {
    if (!saved.list.value.some(({ name }) => name === statement.name)) return saved.save(statement);
    await saved.replace(statement);
    return null;
  }
  return { ...saved, save };
}
