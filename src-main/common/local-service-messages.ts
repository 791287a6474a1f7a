/**
 * What the application and the bundled service's thread say to each other. Never over HTTP.
 * The thread is started with `workerData` of ServiceStartOptions, and posts `ready` once it answers.
 */
export interface ServiceStartOptions {
  readonly dataFolder: string;
  readonly tenant: number;
  readonly live: boolean;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly records?: number;
  readonly days?: number;
  readonly seed?: number;
}

export type ToServiceThread =
  { readonly kind: 'stop' } | { readonly kind: 'set-live'; readonly live: boolean };

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
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'stopped' };
