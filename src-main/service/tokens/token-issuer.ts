/** Issues and recognises the tokens of operation 1: random and opaque, with a lifetime (decision 14). */
export interface TokenIssuer {
  issue(): Promise<string>;
  /** True for a token that was issued for this tenant and has not expired. */
  isValid(token: string): Promise<boolean>;
}
