/** One thing that is known, with its name. */
export interface Fact {
  readonly name: string;
  readonly value: string;
  readonly isMono?: boolean;
  /** Something is wrong here. */
  readonly isBad?: boolean;
}
