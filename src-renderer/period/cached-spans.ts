export interface Span {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}
