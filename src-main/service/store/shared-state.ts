/** Connections of a process to its database. */
export interface ConnectionCounts {
  readonly open: number;
  readonly idle: number;
  /** Requests that wait for one. */
  readonly waiting: number;
}

/** Refused credentials of all processes on a database, by the address that they came from. */
export interface SharedRefusals {
  /**
   * Counts a refusal, unless the address has to wait. Returns the whole seconds that it has to wait, 0 when the
   * refusal was counted: of requests that come at once, at all processes, no more are counted than may be.
   */
  add(address: string): Promise<number>;
  /** Whole seconds until this address may try again; 0 when it may now. */
  readWaitSeconds(address: string): Promise<number>;
}

/** What the processes that serve one database know of each other. */
export interface SharedState {
  /** Sets a property to what `change` makes of it, while no other process does; returns what is kept then. */
  changeProperty(name: string, change: (value: string | undefined) => string): Promise<string>;
  readonly refusals: SharedRefusals;
  countConnections(): ConnectionCounts;
}
