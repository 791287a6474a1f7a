/** What a package by others, that the application consists of, says of its licence. */
export interface Notice {
  readonly name: string;
  readonly version: string;
  /** As an expression of SPDX. */
  readonly licence: string;
  /** The texts that come with it; empty where none does. */
  readonly text: string;
}
