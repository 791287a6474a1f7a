import { Type, type Static } from 'typebox';

/** The most changes that a connection keeps of a direction. */
export const MAX_FAMILY_CHANGES = 1_000;

const Family = Type.String({ minLength: 1, maxLength: 2_000 });
const FamilyName = Type.String({ minLength: 1, maxLength: 200 });
/** What stands between the variables of a text, its beginning and end included. */
const FixedParts = Type.Array(Type.String({ maxLength: 5_000 }), { minItems: 2, maxItems: 40 });

/** What a person does to a family of errors; `family` is the name that it has before. */
export const FamilyAct = Type.Union([
  Type.Object(
    { kind: Type.Literal('rename'), family: Family, name: FamilyName },
    { additionalProperties: false },
  ),
  Type.Object({ kind: Type.Literal('merge'), family: Family, into: Family }, { additionalProperties: false }),
  Type.Object(
    {
      /** Each value of a variable is a family of its own. */
      kind: Type.Literal('split'),
      family: Family,
      parts: FixedParts,
      /** Which of the variables between the parts. */
      at: Type.Integer({ minimum: 0, maximum: 38 }),
      variable: Type.String({ minLength: 1, maxLength: 100 }),
    },
    { additionalProperties: false },
  ),
  Type.Object(
    {
      /** Errors that hold a text, in any letter case, are a family of their own. */
      kind: Type.Literal('split-text'),
      family: Family,
      text: Type.String({ minLength: 1, maxLength: 500 }),
      name: FamilyName,
    },
    { additionalProperties: false },
  ),
]);
export type FamilyAct = Static<typeof FamilyAct>;

/** An act that is kept. */
export const FamilyChange = Type.Object({
  id: Type.String(),
  atMs: Type.Integer(),
  act: FamilyAct,
  /** It was undone: what was saved with a name that it gave goes on to mean the family. */
  isUndone: Type.Optional(Type.Literal(true)),
});
export type FamilyChange = Static<typeof FamilyChange>;

const FamilyChanges = Type.Array(FamilyChange, { maxItems: MAX_FAMILY_CHANGES });

/** What a person made of the families of a connection, each direction in the order in which it was done. */
export const ConnectionFamilies = Type.Object(
  { inbound: Type.Optional(FamilyChanges), outbound: Type.Optional(FamilyChanges) },
  { additionalProperties: false },
);
export type ConnectionFamilies = Static<typeof ConnectionFamilies>;

/** Characters of a value that the name of its family shows. */
export const MAX_VALUE_CHARACTERS = 120;

/** What the names of the families that a variable is split into begin and end with; the value stands in between. */
export interface PartShape {
  readonly start: string;
  readonly end: string;
}

/** Returns what the names of a split's families have in common. */
export function toPartShape({ family, variable }: Extract<FamilyAct, { kind: 'split' }>): PartShape {
  return { start: `${variable} = `, end: ` · ${family}` };
}

/** Returns whether a name is that of a split's family. */
export function hasShape(name: string, { start, end }: PartShape): boolean {
  return name.startsWith(start) && name.endsWith(end) && name.length >= start.length + end.length;
}

/** The name of the family of a variable's value: what tells it from the others comes first. */
export function toPartName(split: Extract<FamilyAct, { kind: 'split' }>, value: string): string {
  const { start, end } = toPartShape(split);
  const shown = Array.from(value.slice(0, MAX_VALUE_CHARACTERS * 2))
    .slice(0, MAX_VALUE_CHARACTERS)
    .join('');
  return `${start}${shown}${end}`;
}

/** Prepares to read the variables of texts that have some fixed parts; null for a text that doesn't have them. */
export function createVariableReader(parts: readonly string[]): (text: string) => string[] | null {
  const [first = '', ...others] = parts;
  const last = others.pop() ?? '';
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
      return null;
    const values: string[] = [];
    const endAt = text.length - last.length;
    let at = first.length;
    for (const part of others) {
      const next = part === '' ? -1 : text.indexOf(part, at);
      if (next === -1 || next + part.length > endAt) return null;
      values.push(text.slice(at, next));
      at = next + part.length;
    }
    values.push(text.slice(at, endAt));
    return values;
  };
}

/** The changes of a direction that concern a family, the newest first: how it came to be what it is. */
export function listHistory(changes: readonly FamilyChange[], family: string): FamilyChange[] {
  const names = new Set([family]);
  return changes.toReversed().filter(({ act, isUndone }) => {
    const isOwn = makesOne(act, names) || names.has(act.family);
    if (!isOwn || isUndone === true) return false;
    names.add(act.family);
    if (act.kind === 'merge') names.add(act.into);
    return true;
  });
}

/** Whether no later change builds on what one has made: only then can it be undone. */
export function isUndoable(changes: readonly FamilyChange[], changeId: string): boolean {
  const place = changes.findIndex(({ id }) => id === changeId);
  const change = changes[place];
  if (change === undefined || change.isUndone === true) return false;
  return changes.slice(place + 1).every(({ act, isUndone }) => {
    if (isUndone === true) return true;
    const named = new Set([act.family, ...(act.kind === 'merge' ? [act.into] : [])]);
    return !makesOne(change.act, named) && !named.has(change.act.family);
  });
}

/** Returns changes with one of them undone. */
export function withoutChange(changes: readonly FamilyChange[], changeId: string): FamilyChange[] {
  return changes.flatMap((change) => {
    if (change.id !== changeId) return [change];
    return change.act.kind === 'merge' ? [] : [{ ...change, isUndone: true }];
  });
}

/** Returns changes with one more; of those that were undone the oldest gives way. */
export function withChange(changes: readonly FamilyChange[], change: FamilyChange): FamilyChange[] {
  const isFull = changes.length >= MAX_FAMILY_CHANGES;
  const oldest = isFull ? changes.find(({ isUndone }) => isUndone === true) : undefined;
  return [...changes.filter((own) => own !== oldest), change];
}

/** Whether one of some names is that of a family which an act makes. */
function makesOne(act: FamilyAct, names: ReadonlySet<string>): boolean {
  if (act.kind === 'merge') return names.has(act.into);
  if (act.kind !== 'split') return names.has(act.name);
  const shape = toPartShape(act);
  return [...names].some((name) => hasShape(name, shape));
}
