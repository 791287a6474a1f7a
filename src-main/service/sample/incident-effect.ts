/** What the sample traffic goes through, by what an analyst would call it. */
type IncidentKind =
  | 'bad-gateway'
  | 'bad-release'
  | 'channel-silent'
  | 'connector-outage'
  | 'platform-outage'
  | 'rate-limiting'
  | 'refused-credentials'
  | 'silent-failure'
  | 'slow-leak'
  | 'slow-service'
  | 'timeouts'
  | 'volume-surge';

/** How an incident changes the traffic that it meets. */
export interface IncidentEffect {
  readonly kind: IncidentKind;
  /** Without it, every channel is met. */
  readonly channel?: number;
  /** Without it, every service is met. */
  readonly service?: number;
  /** Share of requests that fail, 0 to 1; without it, as many as on any day. */
  readonly failureShare?: number;
  /** Code of those that fail. */
  readonly responseCode?: number;
  /** Response times are this many times the usual. */
  readonly slowdown?: number;
  /** True where they only get there at the end, growing from the usual. */
  readonly grows?: boolean;
  /** True where only what the platform sends fails, and what it receives succeeds. */
  readonly outboundOnly?: boolean;
  /** Requests are this many times the usual; 0 is none. */
  readonly volume?: number;
  /** Further requests by people who try again, in the history only. */
  readonly retries?: number;
  /** What the status operation says meanwhile; without it, that all is up. */
  readonly reported?: 'connector-down' | 'platform-down';
}
