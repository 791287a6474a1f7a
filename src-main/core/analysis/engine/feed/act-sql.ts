import { foldCase } from '../../../../common/fold-case.ts';
import {
  hasShape,
  isUndoable,
  MAX_VALUE_CHARACTERS,
  toPartShape,
  type FamilyAct,
  type FamilyChange,
  type PartShape,
} from '../../../../common/model/connections/family-changes.ts';
import { quoteText } from '../engine-database.ts';

/** Which records of a direction's table get another family, and which one: both expressions of SQL. */
export interface ActSql {
  readonly where: string;
  readonly family: string;
}

/** So many acts are done one after the other; of more, each text is read once. */
const MAX_STATEMENTS = 20;

/** The families that were learned. */
interface Learned {
  /** The one that a learned pattern belongs to by now. */
  findLearned(name: string): string;
  listLearned(): readonly string[];
}

/** A condition on records whose family is one of those that a variable was split into. */
export function toShapeSql({ start, end }: PartShape): string {
  return `(starts_with(error_pattern, ${quoteText(start)}) AND ends_with(error_pattern, ${quoteText(end)}))`;
}

/**
 * What an act does to records whose families follow all acts before it; the same as `prepareChanges` does, which reads
 * text by text. `findLearned` returns the family that a learned pattern belongs to by now.
 */
export function toActSql(act: FamilyAct, findLearned: (name: string) => string): ActSql {
  const own = `error_pattern = ${quoteText(findLearned(act.family))}`;
  switch (act.kind) {
    case 'rename':
      return { where: own, family: quoteText(act.name) };
    case 'merge':
      return { where: own, family: quoteText(findLearned(act.into)) };
    case 'split-text': {
      const text = quoteText(foldCase(act.text));
      return { where: `${own} AND contains(fold_case(error), ${text})`, family: quoteText(act.name) };
    }
    case 'split': {
      const { start, end } = toPartShape(act);
      const form = toForm(act);
      if (form === null) return { where: 'false', family: 'NULL' };
      const value = `left(regexp_extract(error, ${form}, 1), ${MAX_VALUE_CHARACTERS})`;
      return {
        where: `${own} AND regexp_matches(error, ${form})`,
        family: `${quoteText(start)} || ${value} || ${quoteText(end)}`,
      };
    }
  }
}

/** The form of texts that a variable is read from, as `createVariableReader` does; null where none has it. */
function toForm({ parts, at }: Extract<FamilyAct, { kind: 'split' }>): string | null {
  if (parts.slice(1, -1).includes('')) return null;
  const fixed = parts.map((part) => part.replaceAll(/[!-/:-@[-^`{-~]/g, '\\$&').replaceAll('\0', '\\x00'));
  const gaps = parts.map((_part, place) => (place === at ? '(.*?)' : '.*?'));
  return quoteText(`(?s)\\A${fixed.map((part, place) => (gaps[place - 1] ?? '') + part).join('')}\\z`);
}

/**
 * What turns the families of some changes into those of others, statement by statement: where acts were added at the
 * end, or the last one that concerns its families was taken back and its records are told from all others by their
 * family. Null where the texts have to be read.
 */
export function toChangeSql(
  before: readonly FamilyChange[],
  after: readonly FamilyChange[],
  { findLearned, listLearned }: Learned,
): ActSql[] | null {
  const [earlier, later] = [before.filter(isActive), after.filter(isActive)];
  const isSame = (one: FamilyChange, other: FamilyChange | undefined): boolean => one.id === other?.id;
  if (earlier.every((own, at) => isSame(own, later[at]))) {
    const added = later.slice(earlier.length);
    return added.length > MAX_STATEMENTS ? null : added.map(({ act }) => toActSql(act, findLearned));
  }
  const at = earlier.findIndex((own, place) => !isSame(own, later[place]));
  const undone = earlier[at];
  const rest = earlier.filter((own) => own !== undone);
  if (
    undone === undefined ||
    later.length !== rest.length ||
    !rest.every((own, place) => isSame(own, later[place]))
  )
    return null;
  const { act } = undone;
  if (act.kind === 'merge' || !isUndoable(earlier, undone.id)) return null;
  const shape = act.kind === 'split' ? toPartShape(act) : { start: act.name, end: '' };
  const isOwn = (name: string): boolean => (act.kind === 'split' ? hasShape(name, shape) : name === act.name);
  const isShared = rest.some((other) => listNames(other.act).some(isOwn) || isSameSplit(other.act, shape));
  if (isShared || listLearned().some(isOwn)) return null;
  const where = act.kind === 'split' ? toShapeSql(shape) : `error_pattern = ${quoteText(act.name)}`;
  return [{ where, family: quoteText(findLearned(act.family)) }];
}

const isActive = ({ isUndone }: FamilyChange): boolean => isUndone !== true;

/** Families that an act names. */
function listNames(act: FamilyAct): string[] {
  return [act.family, ...(act.kind === 'merge' ? [act.into] : []), ...('name' in act ? [act.name] : [])];
}

function isSameSplit(act: FamilyAct, { start, end }: PartShape): boolean {
  if (act.kind !== 'split') return false;
  const other = toPartShape(act);
  return other.start === start && other.end === end;
}
