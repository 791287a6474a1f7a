/** Connections of a process to its database. */
export interface ConnectionCounts {
  readonly open: number;
  readonly idle: number;
  /** Requests that wait for one. */
  readonly waiting: number;
}

/** How long an address has to wait after refused credentials. */
export interface RefusalWait {
  /** Whole seconds; 0 when it may try now. */
  readonly seconds: number;
  /** True where it has to, whichever tenant it tries. */
  readonly isForEveryTenant: boolean;
}

/** Refused credentials of all processes on a database, by the address that they came from and the tenant they named. */
export interface SharedRefusals {
  /**
   * Counts a refusal, unless the address has to wait: of requests that come at once, at all processes, no more are
   * counted for a tenant than may be.
   */
  add(address: string, tenant: number): Promise<RefusalWait>;
  /** A tenant of null asks for the address alone. */
  read(address: string, tenant: number | null): Promise<RefusalWait>;
}

/** What the processes that serve one database know of each other. */
export interface SharedState {
  /** Sets a property to what `change` makes of it, while no other process does; returns what is kept then. */
  changeProperty(name: string, change: (value: string | undefined) => string): Promise<string>;
  readonly refusals: SharedRefusals;
  countConnections(): ConnectionCounts;
}
