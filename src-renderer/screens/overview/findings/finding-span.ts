import type { TimeSpan } from '../../../../src-main/common/time/time-span.ts';

/** The time of a finding, for the volume chart beside it. */
export interface FindingSpan extends TimeSpan {
  readonly label: string;
}
