import type { ReportKind } from '../../common/reporting/reports.ts';
import type { StatusReading } from '../../common/reporting/reading/read-status.ts';

/** What a client needs of a connection. */
export interface ClientTarget {
  readonly connectionId: string;
  readonly baseAddress: string;
  readonly tenant: number;
  readonly reportIdentifiers: Readonly<Record<ReportKind, string>>;
}

export interface PageRequest {
  readonly report: ReportKind;
  readonly startDate: string;
  readonly endDate: string;
  /** Records requested. */
  readonly size: number;
  /** Empty for the first page. */
  readonly lastDocument: string;
}

/** The response to a page request, not parsed: the cache's writer does that. Times are of this computer's clock. */
export interface PageResponse {
  readonly bytes: ArrayBuffer;
  readonly status: number;
  readonly requestedAtMs: number;
  readonly receivedAtMs: number;
  /** The `Date` header as an instant, where there was one. */
  readonly serverTimeMs: number | null;
  /** Places from which a secret or token was removed that the service sent back. */
  readonly removedSecrets: number;
}

export interface PageCallOptions {
  readonly signal?: AbortSignal;
  /** Called before each wait, with the time of the next attempt. */
  readonly onRetry?: (retryAtMs: number) => void;
}

/** Calls of one connection's reporting service. Failures are AppErrors with a `client.*` or `secrets.*` code. */
export interface ReportingClient {
  /** Obtains a fresh token (operation 1), whatever was held before. */
  createToken(signal?: AbortSignal): Promise<void>;
  /** Tenant status, operation 2. */
  fetchStatus(signal?: AbortSignal): Promise<{ reading: StatusReading; roundTripMs: number }>;
  /** One page of a report, operations 3 to 6. */
  fetchPage(request: PageRequest, options?: PageCallOptions): Promise<PageResponse>;
}
