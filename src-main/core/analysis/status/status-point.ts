import type { StatusSample } from '../../../common/model/connections/status.ts';

/** What a history needs of a sample. */
export type StatusPoint = Pick<
  StatusSample,
  'checkedAtMs' | 'connector' | 'failure' | 'internalResponseTimeMs' | 'platform'
>;

/** What an answer says holds no longer than this without another one. */
export const MAX_SPOKEN_MS = 120_000;

/** For how long a sample speaks when the next one, or the present, is at `nextMs`. */
export function toSpokenMs({ checkedAtMs }: Pick<StatusPoint, 'checkedAtMs'>, nextMs: number): number {
  return Math.max(0, Math.min(nextMs - checkedAtMs, MAX_SPOKEN_MS));
}
