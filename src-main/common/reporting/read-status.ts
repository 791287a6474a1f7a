import type { TrafficGroup } from './wire-schemas.ts';

/** A tenant status as read from anybody's service (decision 2). Times in milliseconds. */
export interface StatusReading {
  readonly platform: 'up' | 'down' | 'unknown';
  readonly connector: 'up' | 'down' | 'unknown';
  readonly internalResponseTimeMs: number | null;
  readonly sessions: number | null;
  readonly traffic: readonly TrafficGroup[];
  /** Traffic information that is plain text. */
  readonly trafficText: string;
}
