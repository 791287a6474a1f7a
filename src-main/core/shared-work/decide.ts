/** The version of an item that both sides had when they were last the same. */
export interface BaseVersion {
  readonly digest: string;
  /**
   * False from when it was written to the folder until it is seen there: what is there instead may have been written at the
   * same moment, by somebody who didn't see it.
   */
  readonly isConfirmed: boolean;
  /** Its file, below the folder. */
  readonly file: string;
}

/** An item as it stands: digests of its versions, null where a side hasn't it. */
export interface Standing {
  readonly mine: string | null;
  readonly theirs: string | null;
  readonly base: BaseVersion | null;
}

/** What is to be done about an item. `settle`: both are the same, which is noted. */
export type Step = 'nothing' | 'settle' | 'take' | 'write' | 'delete-mine' | 'delete-theirs' | 'conflict';

/**
 * Decides by the version that both sides had last, never by a clock: what changed on one side alone goes to the other, and
 * what changed on both is for a person to choose.
 */
export function decideStep({ mine, theirs, base }: Standing): Step {
  if (mine === theirs) {
    const isNoted = mine === null ? base === null : base?.digest === mine && base.isConfirmed;
    return isNoted ? 'nothing' : 'settle';
  }
  const before = base?.digest ?? null;
  if (theirs === before) return mine === null ? 'delete-theirs' : 'write';
  const isOverwritten = base !== null && !base.isConfirmed;
  if (mine !== before || isOverwritten) return 'conflict';
  return theirs === null ? 'delete-mine' : 'take';
}
