import type { RecordStore } from './record-store.ts';

/** What a tenant has. */
export interface TenantRecords {
  readonly tenant: number;
  readonly inboundRecords: number;
  readonly outboundRecords: number;
  /** Date of the newest inbound record in milliseconds; null while there is none. */
  readonly newestMs: number | null;
}

/** The tenants that are kept in one place: a data folder, or a database. */
export interface TenantDirectory {
  /** By ascending number. */
  list(): Promise<TenantRecords[]>;
  /** Makes a tenant's store, empty; false when it is there already. */
  add(tenant: number): Promise<boolean>;
  /** Null for an unknown tenant. Whoever opens it closes it. */
  open(tenant: number): Promise<RecordStore | null>;
  /** Removes a tenant with everything of it; false when there is none. */
  remove(tenant: number): Promise<boolean>;
}
