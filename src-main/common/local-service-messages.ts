import type {
  ImportReport,
  QuirkName,
  ServiceRequest,
  Simulation,
} from './model/connections/local-service.ts';

/**
 * What the application and the bundled service's thread say to each other. Never over HTTP.
 * The thread is started with `workerData` of ServiceStartOptions, and posts `ready` once it answers.
 */
export interface ServiceStartOptions {
  readonly dataFolder: string;
  readonly tenant: number;
  readonly live: boolean;
  /** Inbound requests a second of new traffic; without it, as many as in the history. */
  readonly livePerSecond?: number;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly records?: number;
  readonly days?: number;
  readonly seed?: number;
  readonly quirks?: readonly QuirkName[];
  readonly simulation?: Simulation;
}

export type ToServiceThread =
  | { readonly kind: 'stop' }
  | { readonly kind: 'set-live'; readonly live: boolean }
  | { readonly kind: 'set-simulation'; readonly simulation: Simulation }
  /** `path` is a file that the service may read; one import at a time. */
  | { readonly kind: 'import'; readonly importId: string; readonly path: string }
  | { readonly kind: 'cancel-import'; readonly importId: string };

export type FromServiceThread =
  | {
      readonly kind: 'ready';
      readonly url: string;
      readonly tenant: number;
      readonly accessToken: string;
      readonly accessTokenSecret: string;
    }
  | {
      readonly kind: 'stats';
      readonly inboundRecords: number;
      readonly outboundRecords: number;
      readonly storeBytes: number;
    }
  /** The newest answered requests, oldest first; sent at most every 500 ms, at most 200 at once. */
  | { readonly kind: 'requests'; readonly requests: readonly ServiceRequest[] }
  /** At most ten a second. */
  | {
      readonly kind: 'import-progressed';
      readonly importId: string;
      readonly bytesRead: number;
      readonly totalBytes: number;
      readonly report: ImportReport;
    }
  /** `failure` is why the file as a whole could not be read on; what was imported before it stays. */
  | {
      readonly kind: 'import-ended';
      readonly importId: string;
      readonly report: ImportReport;
      readonly cancelled: boolean;
      readonly failure: string | null;
      /** Its code as `reason`, with the values of its words, where the window has some. */
      readonly details: Readonly<Record<string, string | number>>;
    }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'stopped' };
