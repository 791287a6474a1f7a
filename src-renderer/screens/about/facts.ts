import type { Notice } from '../../../src-main/common/model/notice.ts';

/** One thing that is known, with its name. */
export interface Fact {
  readonly name: string;
  readonly value: string;
  readonly isMono?: boolean;
  /** Something is wrong here. */
  readonly isBad?: boolean;
}

/** Filled in when the whole application is built, from the packages that its parts are bundled from. */
export const notices: readonly Notice[] = [];
