import { foldCase } from '../../../common/fold-case.ts';
import {
  createVariableReader,
  toPartName,
  toPartShape,
  hasShape,
  type PartShape,
  type FamilyChange,
} from '../../../common/model/connections/family-changes.ts';

/** Names of families: those listed, and all that have one of the shapes. */
export interface FamilyNames {
  readonly names: ReadonlySet<string>;
  readonly shapes: readonly PartShape[];
}

/** What a person's changes make of the families that were learned. */
interface AppliedChanges {
  /** The family of a text, by the one that was learned for it. */
  toFamily(learned: string, text: string): string;
  /** The families that one of a former name has become; shapes where it was split by a variable. */
  findNow(name: string): FamilyNames;
  /** The same with every name in between: whatever a record of it may be called, whenever it was fed. */
  findEver(names: Iterable<string>): FamilyNames;
  /** Every family that a change takes or makes. */
  readonly named: ReadonlySet<string>;
  /** Names that families had until it was undone, with those that they had before. */
  readonly former: readonly (readonly [name: string, family: string])[];
}

const isActive = ({ isUndone }: FamilyChange): boolean => isUndone !== true;

interface Step {
  readonly from: string;
  /** The name that records get; a shape of names where it is split by a variable. */
  readonly to: string | null;
  readonly shape: PartShape | null;
  /** The family of a text that had `from`. */
  read(text: string): string;
  /** Whether texts decide, and some may stay. */
  readonly isSplit: boolean;
}

/** Prepares changes, in their order. `findLearned` returns the family that a learned pattern belongs to by now. */
export function prepareChanges(
  changes: readonly FamilyChange[],
  findLearned: (name: string) => string,
): AppliedChanges {
  const steps = changes.filter(isActive).map((change) => toStep(change, findLearned));
  const inputs = new Set(steps.map(({ from }) => from));
  /** Families whose texts all have the same name; the others are looked at one by one. */
  const settled = new Map<string, string>();
  const walk = (learned: string, text: string): [family: string, tookText: boolean] => {
    let family = learned;
    let tookText = false;
    for (const step of steps) {
      if (step.from !== family) continue;
      tookText ||= step.isSplit;
      family = step.read(text);
    }
    return [family, tookText];
  };
  const follow = (start: Iterable<string>, keepsAll: boolean): FamilyNames => {
    const names = new Set(
      [...start].flatMap((name) => (keepsAll ? [name, findLearned(name)] : findLearned(name))),
    );
    const shapes: PartShape[] = [];
    for (const { from, to, shape, isSplit } of steps) {
      if (!names.has(from) && !shapes.some((own) => hasShape(from, own))) continue;
      if (!keepsAll && !isSplit) names.delete(from);
      if (to !== null) names.add(to);
      if (shape !== null) shapes.push(shape);
    }
    return { names, shapes };
  };
  const named = new Set([...inputs, ...steps.flatMap(({ to }) => to ?? [])]);
  return {
    toFamily(learned, text) {
      if (!inputs.has(learned)) return learned;
      const known = settled.get(learned);
      if (known !== undefined) return known;
      const [family, tookText] = walk(learned, text);
      if (!tookText) settled.set(learned, family);
      return family;
    },
    findNow: (name) => follow([name], false),
    findEver: (names) => follow(names, true),
    named,
    former: changes.flatMap(({ act, isUndone }) =>
      isUndone === true && 'name' in act && !named.has(act.name) ? [[act.name, act.family] as const] : [],
    ),
  };
}

/**
 * Families of which records may have another name once `next` holds in place of `all`: what those of the changes
 * that only one of them has make, and what the others take.
 */
export function listTouched(
  all: readonly FamilyChange[],
  next: readonly FamilyChange[],
  findLearned: (name: string) => string,
): FamilyNames {
  const [before, after] = [all.filter(isActive), next.filter(isActive)];
  let common = 0;
  while (common < before.length && before[common]?.id === after[common]?.id) common += 1;
  const undone = before.slice(common).map((change) => toStep(change, findLearned));
  const done = after.slice(common).map((change) => toStep(change, findLearned));
  const made = undone.flatMap(({ to }) => to ?? []);
  return {
    names: new Set([...made, ...undone.map(({ from }) => from), ...done.map(({ from }) => from)]),
    shapes: undone.flatMap(({ shape }) => shape ?? []),
  };
}

function toStep({ act }: FamilyChange, findLearned: (name: string) => string): Step {
  const from = findLearned(act.family);
  const fixed = { from, shape: null, isSplit: false };
  switch (act.kind) {
    case 'rename':
      return { ...fixed, to: act.name, read: () => act.name };
    case 'merge': {
      const into = findLearned(act.into);
      return { ...fixed, to: into, read: () => into };
    }
    case 'split': {
      const readVariables = createVariableReader(act.parts);
      const read = (text: string): string => {
        const value = readVariables(text)?.[act.at];
        return value === undefined ? from : toPartName(act, value);
      };
      return { from, to: null, shape: toPartShape(act), read, isSplit: true };
    }
    case 'split-text': {
      const wanted = foldCase(act.text);
      const read = (text: string): string => (foldCase(text).includes(wanted) ? act.name : from);
      return { from, to: act.name, shape: null, read, isSplit: true };
    }
  }
}
