/** One choice of a control, and what it is called. */
export interface Option<Value extends string | number = string | number> {
  readonly value: Value;
  readonly label: string;
  readonly disabled?: boolean | undefined;
  /** Said of it where the pointer rests. */
  readonly tip?: string | undefined;
  /** How many there are of it. */
  readonly count?: number | undefined;
}

/** Returns the numbers that are offered with the chosen one among them, which may have been set elsewhere, rising. */
export function withChosen(offered: readonly number[], chosen: number): number[] {
  return [...new Set([...offered, chosen])].sort((a, b) => a - b);
}

/** Gives each value its words, in the order in which they can be chosen. */
export function labelOptions<Value extends string | number>(
  values: readonly Value[],
  toLabel: (value: Value) => string,
): Option<Value>[] {
  return values.map((value) => ({ value, label: toLabel(value) }));
}
