import type { ServerResponse } from 'node:http';
import { createDocument } from '../../integration/cache/cache-fixture.ts';
import { sendJson, startFaultServer, type FaultServer } from '../../support/network/fault-server.ts';

/** One request for a page, as an odd service sees it. */
export interface PageCall {
  /** The cursor as it was sent; empty for the first page. */
  readonly cursor: string;
  readonly size: number;
  readonly startDate: string;
  readonly endDate: string;
  /** Number of the request for a page, from 1; repeated ones count. */
  readonly call: number;
  readonly response: ServerResponse;
}

/** One way in which a service may behave, and how a download over it has to end. */
export interface Behaviour {
  readonly name: string;
  /** What the service holds of the period; 25 records in pages of 10 when left out. */
  readonly records?: readonly unknown[];
  /** Payloads that are expected, where they aren't simply those of the records. */
  readonly payloads?: readonly string[];
  readonly meet: (call: PageCall, records: readonly unknown[]) => void | Promise<void>;
  /** `complete`, or the reason that has to be given for an incomplete one. */
  readonly ends: string;
  /** It never ends by itself: a download has to give it up. */
  readonly standsStill?: boolean;
  /** What has to be said beside "complete". */
  readonly reservations?: readonly string[];
}

const PAGE = 10;
export const HELD = 25;

/** Records with a payload each that is its own. */
export function createRecords(count: number, change: (index: number) => object = () => ({})): unknown[] {
  return Array.from({ length: count }, (_entry, index) => ({ ...createDocument(index), ...change(index) }));
}

export const readPayload = (record: unknown): string => (record as { Payload: string }).Payload;

type Fields = Record<string, unknown>;

/** An envelope as specified, with fields changed; those that are set to `undefined` are left out. */
export function toBody(documents: readonly unknown[], change: Fields): Fields {
  return { isValid: true, executionTime: 3, totalDocument: HELD, lastDocument: '', documents, ...change };
}

/** Where a page begins, by the cursor `after N` or any other text that ends with the number. */
function toStart(cursor: string): number {
  return Number(/(\d+)\D*$/.exec(cursor)?.[1] ?? 0);
}

/** The page that a call asks for, and the usual cursor of the next one; empty at the end. */
export function cut(call: PageCall, records: readonly unknown[], length = PAGE) {
  const from = toStart(call.cursor);
  const to = Math.min(records.length, from + length);
  return { from, to, page: records.slice(from, to), next: to < records.length ? `after ${to}` : '' };
}

/** Answers with the usual page, changed by what a behaviour makes of it. */
export function serve(
  change: (part: ReturnType<typeof cut> & { readonly call: number }) => Fields = () => ({}),
): Behaviour['meet'] {
  return (call, records) => {
    const part = cut(call, records);
    const usual = { totalDocument: records.length, lastDocument: part.next };
    sendJson(call.response, toBody(part.page, { ...usual, ...change({ ...part, call: call.call }) }));
  };
}

/** Answers calls from the given number on, counted from 1, as a behaviour says; those before as usual. */
export function from(first: number, meet: Behaviour['meet'], last = Infinity): Behaviour['meet'] {
  return (call, records) => (call.call >= first && call.call <= last ? meet : serve())(call, records);
}

export const withBytes =
  (status: number, body: string | Buffer = '', headers: Record<string, string> = {}): Behaviour['meet'] =>
  ({ response }) =>
    void response.writeHead(status, headers).end(body);

/** A service with a path of its own for each behaviour. */
export async function startOddService(behaviours: readonly Behaviour[]): Promise<FaultServer> {
  const calls = behaviours.map(() => 0);
  return startFaultServer(async ({ path, body }, response) => {
    response.on('error', () => undefined);
    if (path.endsWith('/CreateToken')) {
      sendJson(response, { token: 'token' });
      return;
    }
    const place = Number(/^\/b(\d+)\//.exec(path)?.[1]);
    const behaviour = behaviours[place]!;
    const { lastDocument: cursor, ...asked } = JSON.parse(body) as Record<
      'lastDocument' | 'startDate' | 'endDate',
      string
    > & { size: number };
    calls[place] = (calls[place] ?? 0) + 1;
    const call = { ...asked, cursor, call: calls[place], response };
    await behaviour.meet(call, behaviour.records ?? createRecords(HELD));
  });
}
