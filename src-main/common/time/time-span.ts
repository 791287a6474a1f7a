/** A span of time in milliseconds; `toMs` is not part of it, unlike the last second of a `Period`. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}
