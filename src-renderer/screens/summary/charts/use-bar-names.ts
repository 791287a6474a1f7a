import type { GroupKey, GroupValue } from '../../../../src-main/common/model/analysis/grouping.ts';
import { useNames } from '../../../names/use-names.ts';
import { useGroupWords } from '../groups/use-group-words.ts';

/** More would not be read; the table behind the chart has all of them. */
export const MAX_BARS = 12;
const MAX_NAME_CHARACTERS = 18;

/** Names of the bars, in full and as short as an axis needs them. */
export function useBarNames() {
  const names = useNames();
  const { toName } = useGroupWords();

  /** Returns a name, which is cut where the bars need the room. */
  function toBarName(field: GroupKey, value: GroupValue): string {
    const entry = names.find(field, value);
    if (entry === null) return cut(toName(field, value));
    return `${cut(entry.name)} ${value ?? ''}`;
  }

  return { toBarName, toFullName: toName };
}

function cut(name: string): string {
  const shown =
    name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS - 1).trimEnd()}…` : name;
  return shown.toWellFormed();
}
