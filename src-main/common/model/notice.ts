/** What a third-party package in the application says about its licence. */
export interface Notice {
  readonly name: string;
  readonly version: string;
  /** As an expression of SPDX. */
  readonly licence: string;
  /** The texts that come with it; empty where none does. */
  readonly text: string;
}
