import { setTimeout as delay } from 'node:timers/promises';
import { Value } from 'typebox/value';
import {
  type ReportResponse,
  StatusResponse,
  TokenResponse,
} from '../../../src-main/common/reporting/wire-documents.ts';
import type { ReportKind } from '../../../src-main/common/reporting/reports.ts';
import type { Random } from '../../../src-main/service/sample/random.ts';
import type { TenantCredentials } from './every-tenant.ts';
import { post, toReportAddress, type CalledService } from './service-calls.ts';

const TOKEN_PATH = '/api/ServiceReporting/CreateToken';
const GIVE_UP_MS = 60_000;
const TRY_AGAIN_MS = 100;
/** What a connection says that was closed, or whose process is not there. */
const CUT_CODES: ReadonlySet<unknown> = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'UND_ERR_SOCKET']);

/** What became of the requests of all clients. */
export interface WalkTally {
  requests: number;
  endedWalks: number;
  /** Walks that met an error on their way, and ended nevertheless. */
  continuedWalks: number;
  /** Requests whose response was 503 with Retry-After, and those that were cut off. */
  unavailable: number;
  cut: number;
  /** What should never happen. */
  readonly faults: string[];
}

export interface WalkingClients {
  /** Base addresses. */
  readonly processes: readonly string[];
  readonly credentials: TenantCredentials;
  readonly random: Random;
  readonly tally: WalkTally;
}

type Call = (at: CalledService) => Promise<unknown>;

/** One client: it takes any process for each request, and after an error another one for the same request. */
export function createClient({ processes, credentials, random, tally }: WalkingClients) {
  const { tenant } = credentials;
  let headers: Record<string, string> = {};
  const pick = (other?: string): string => {
    const choice = processes.filter((each) => each !== other);
    return choice[Math.floor(random() * choice.length)]!;
  };
  /** Resolves with the content of the response 200, however often it takes; `onError` is told of every error. */
  const insist = async (call: Call, onError: () => void = () => undefined): Promise<unknown> => {
    const startedMs = performance.now();
    for (let at = pick(); ; at = pick(at)) {
      try {
        tally.requests += 1;
        const content = await call({ url: at, tenant });
        if (content !== undefined) return content;
        tally.unavailable += 1;
      } catch (error) {
        const { cause = error } = error as { readonly cause?: unknown };
        const { code } = cause as { readonly code?: unknown };
        if (!CUT_CODES.has(code)) throw error;
        tally.cut += 1;
      }
      onError();
      if (performance.now() - startedMs > GIVE_UP_MS) throw new Error('No process responds any more.');
      await delay(TRY_AGAIN_MS);
    }
  };
  /** Undefined for a 503 that says when to come again. */
  const read = async (response: Response): Promise<unknown> => {
    if (response.status === 200) return response.json();
    const text = await response.text();
    if (response.status === 503 && response.headers.get('retry-after') !== null) return undefined;
    throw new Error(`${response.status} ${text.slice(0, 200)}`);
  };
  return {
    signIn: async (): Promise<void> => {
      const content = await insist(async (at) => read(await post(at, TOKEN_PATH, credentials)));
      if (!Value.Check(TokenResponse, content)) throw new Error('The token is not as specified.');
      headers = { authorization: `bearer ${content.token}` };
    },
    readStatus: async (): Promise<void> => {
      const path = `/api/ServiceReporting/Status/${tenant}`;
      const content = await insist(async (at) => read(await post(at, path, undefined, headers)));
      if (!Value.Check(StatusResponse, content)) throw new Error('The status is not as specified.');
    },
    /** Hands over every page of a report, in order; a page that was cut off is asked for again elsewhere. */
    walk: async (
      report: ReportKind,
      request: object,
      onPage: (page: ReportResponse) => void,
    ): Promise<void> => {
      let lastDocument = '';
      let errors = 0;
      do {
        const body = { ...request, lastDocument };
        const content = await insist(
          async (at) => read(await post(at, toReportAddress(at, report), body, headers)),
          () => {
            errors += 1;
          },
        );
        // Every document is compared with what it has to be: a check of the whole page would take most of the time.
        const page = content as ReportResponse;
        if (!page.isValid) throw new Error(`Not a page of ${report}: ${JSON.stringify(page).slice(0, 300)}`);
        onPage(page);
        ({ lastDocument } = page);
      } while (lastDocument !== '');
      tally.endedWalks += 1;
      if (errors > 0) tally.continuedWalks += 1;
    },
  };
}
