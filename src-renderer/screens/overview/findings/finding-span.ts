/** The time of a finding, for the volume chart beside it. */
export interface FindingSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly label: string;
}
