import { SPECIFIED_REPORT_IDENTIFIERS, type DetailKind } from '../../../src-main/common/reporting/reports.ts';
import { fromWireDate, toWireDate } from '../../../src-main/common/reporting/wire-documents.ts';
import { isShownTwice, toOffsetMs } from '../../../src-main/common/time/civil-time.ts';
import {
  sendJson,
  startFaultServer,
  toEnvelope,
  type FaultServer,
} from '../../support/network/fault-server.ts';

/** Random numbers that a seed decides. */
export interface Chance {
  next(): number;
  /** A whole number of [least, most]. */
  whole(least: number, most: number): number;
  pick<Value>(values: readonly Value[]): Value;
  is(share: number): boolean;
}

export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    whole,
    pick: (values) => values[whole(0, values.length - 1)]!,
    is: (share) => next() < share,
  };
}

/** A record as anybody reads it in what the service served. */
export interface ServedRecord {
  readonly dateMs: number | null;
  readonly sessionId: string;
  readonly channel: number | null;
  readonly service: number | null;
  readonly client: string;
  readonly responseTimeMs: number | null;
  readonly responseCode: number | null;
  readonly error: string;
  readonly origin: string;
  readonly payload: string;
  /** Of one direction only; undefined for the other. */
  readonly botLatencyMs?: number | null;
  readonly actionId?: string;
  readonly response?: string;
}

/** A record that the service has: when it happened, what it sends of it, and how that reads. */
interface Kept {
  readonly atMs: number;
  readonly document: Record<string, unknown>;
  readonly record: ServedRecord;
}

/** A record with its number among equal ones. */
interface Numbered extends Kept {
  readonly number: number;
}

function numberEqual(list: readonly Kept[]): Numbered[] {
  const counts = new Map<string, number>();
  return list.map((kept) => {
    const key = JSON.stringify(kept.document);
    const number = counts.get(key) ?? 0;
    counts.set(key, number + 1);
    return { ...kept, number };
  });
}

/** How a download goes: `share` of the records come, in pages of some size. */
export interface Serving {
  readonly order: 'rising' | 'falling';
  readonly pageSize: number;
  /** 1 for all of them. */
  readonly share: number;
  /** Whether those that don't come are the last ones, or any. */
  readonly isCutOff: boolean;
}

export interface ServedWorld {
  readonly zone: string;
  readonly startMs: number;
  readonly endMs: number;
  /** Sets how the next download goes, and begins its list of served records. */
  serve(serving: Serving): void;
  /** Records of [fromMs, toMs) that the service has, by when they happened and by what their dates say. */
  countHeld(report: DetailKind, fromMs: number, toMs: number): number;
  /** What was served since; what two walks of a download returned is there once, of equal records the larger number. */
  listServed(): readonly ServedRecord[];
  readonly draft: {
    readonly baseAddress: string;
    readonly tenant: number;
    readonly serviceZone: string;
    readonly pageSize: number;
    readonly reportIdentifiers: typeof SPECIFIED_REPORT_IDENTIFIERS;
  };
}

const HOUR_MS = 3_600_000;
/** What the connection asks for at a time. */
const PAGE_SIZE = 50;
/** A clock that is set back, one that is set forward, and plain hours. */
const PLACES = [
  ['Europe/Madrid', Date.UTC(2025, 9, 25, 21)],
  ['Europe/Madrid', Date.UTC(2026, 2, 28, 21)],
  ['America/New_York', Date.UTC(2025, 10, 2, 3)],
  ['Asia/Kathmandu', Date.UTC(2026, 5, 1, 14)],
  ['UTC', Date.UTC(2026, 1, 28, 20)],
] as const;

const TEXTS = ['', 'Ana', 'ana', 'ANA', 'é', 'É', "it's", '%_', '"quoted"', 'a,b;c', '😀', '=1+1', 'x\ny'];
const ERRORS = ['', '', '', 'Timed out', 'timed OUT 12', 'timed OUT 345', 'No route to 10.0.0.7', 'Ana', ' '];

/** A service with random records of some hours, over HTTP. */
export async function startServedWorlds(): Promise<{
  /** Adds a service; in a zone with hours of one's own, if they are given. */
  add(chance: Chance, place?: readonly [zone: string, startMs: number]): ServedWorld;
  close(): Promise<void>;
}> {
  const tenants = new Map<number, (report: DetailKind, body: Record<string, unknown>) => unknown>();
  const server: FaultServer = await startFaultServer((request, response) => {
    if (request.path.endsWith('/CreateToken')) {
      sendJson(response, { token: 'token-1' });
      return;
    }
    const [, tenant = '', identifier = ''] = /ExecuteReport\/(\d+)\/(.+)$/.exec(request.path) ?? [];
    const report = (['inbound-detail', 'outbound-detail'] as const).find(
      (kind) => SPECIFIED_REPORT_IDENTIFIERS[kind] === identifier,
    );
    const answer = tenants.get(Number(tenant));
    if (report === undefined || answer === undefined) {
      sendJson(response, {}, 404);
      return;
    }
    sendJson(response, answer(report, JSON.parse(request.body) as Record<string, unknown>));
  });
  return {
    close: () => server.close(),
    add(chance, place = chance.pick(PLACES)) {
      const [zone, startMs] = place;
      const endMs = startMs + 10 * HOUR_MS;
      const kept = {
        'inbound-detail': createRecords(chance, { zone, startMs, endMs }, 'inbound-detail'),
        'outbound-detail': createRecords(chance, { zone, startMs, endMs }, 'outbound-detail'),
      };
      const tenant = 1000 + tenants.size;
      let serving: Serving = { order: 'rising', pageSize: 50, share: 1, isCutOff: true };
      let served = new Map<string, ServedRecord>();
      // One for each period asked for: the days of a download are walked at once.
      const walks = new Map<string, { readonly list: readonly Numbered[]; readonly total: number }>();
      const takesLater = chance.is(0.5);
      // A clock that is set back shows an hour twice, and services take it for the earlier or for the later one.
      const readAsked = (text: unknown): number => {
        const atMs = Number(fromWireDate(String(text), zone));
        return takesLater && isShownTwice(atMs, zone) ? atMs + HOUR_MS : atMs;
      };
      tenants.set(tenant, (report, { startDate, endDate, lastDocument, size }) => {
        const key = `${report} ${String(startDate)} ${String(endDate)}`;
        let walk = walks.get(key);
        if (lastDocument === '' || walk === undefined) {
          const fromMs = readAsked(startDate);
          const toMs = readAsked(endDate) + 999;
          const all = kept[report].filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
          const ordered = serving.order === 'rising' ? all : all.toReversed();
          const count = Math.floor(ordered.length * serving.share);
          const list = serving.isCutOff
            ? ordered.slice(0, count)
            : ordered.filter(() => chance.is(serving.share));
          walk = { list: numberEqual(list), total: all.length };
          walks.set(key, walk);
        }
        const from = Number(lastDocument);
        const page = walk.list.slice(from, from + serving.pageSize);
        // A smaller page than downloads ask for is a look at how much there is; nothing of it is kept.
        const isKept = Number(size) >= PAGE_SIZE;
        for (const { record, number } of isKept ? page : [])
          served.set(`${JSON.stringify(record)} ${number}`, record);
        const next = from + page.length;
        return toEnvelope(
          page.map(({ document }) => document),
          {
            totalDocument: walk.total,
            lastDocument: next < walk.list.length ? String(next) : '',
          },
        );
      });
      return {
        zone,
        startMs,
        endMs,
        serve(next) {
          serving = next;
          served = new Map();
          walks.clear();
        },
        countHeld: (report, fromMs, toMs) =>
          kept[report].filter(({ atMs, record: { dateMs } }) =>
            [atMs, dateMs].every((one) => one !== null && one >= fromMs && one < toMs),
          ).length,
        listServed: () => [...served.values()],
        draft: {
          baseAddress: server.address,
          tenant,
          serviceZone: zone,
          pageSize: PAGE_SIZE,
          reportIdentifiers: SPECIFIED_REPORT_IDENTIFIERS,
        },
      };
    },
  };
}

/** Two of them are more than a number can be. */
const MOST = Number.MAX_VALUE;

function createRecords(
  chance: Chance,
  place: { readonly zone: string; readonly startMs: number; readonly endMs: number },
  report: DetailKind,
): Kept[] {
  const { startMs, endMs } = place;
  const records: Kept[] = [];
  const count = chance.whole(0, 160);
  while (records.length < count) {
    // Whole hours and seconds, and what lies right beside them, are where periods are cut.
    const coarse = chance.pick([HOUR_MS / 2, 60_000, 1000, 1]);
    const rounded = startMs + Math.floor((chance.next() * (endMs - startMs)) / coarse) * coarse;
    const atMs = Math.min(endMs - 1, Math.max(startMs, rounded + chance.pick([0, 0, 1, -1, 999])));
    const kept = createKept(chance, atMs, place.zone, report);
    records.push(kept);
    // Equal records are ordinary.
    while (chance.is(0.1)) records.push({ ...kept });
  }
  return records.sort((a, b) => a.atMs - b.atMs);
}

function createKept(chance: Chance, atMs: number, zone: string, report: DetailKind): Kept {
  const date = createDate(chance, atMs, zone);
  const whole = (values: readonly (number | null)[]): [sent: unknown, read: number | null] => {
    const value = chance.pick(values);
    return [value !== null && chance.is(0.2) ? String(value) : value, value];
  };
  const text = (values: readonly string[]): [sent: unknown, read: string] => {
    const value = chance.pick(values);
    return [value === '' && chance.is(0.5) ? null : value, value];
  };
  const [channel, service] = [
    whole([null, 0, 1, 2, 3, 4, 5, 6, 7, 8, -1, 2 ** 53 - 1]),
    whole([null, 1, 2, 30]),
  ];
  const code = whole([null, 200, 200, 200, 204, 301, 404, 500, 503, 599, 600, 99, -1, 0, 100]);
  const time = whole([null, 0, 0.5, 1, 12.25, 250, 999.999, 1e9, 1e300, MOST, -MOST, 5e-324, -3]);
  const [client, error, origin] = [text(TEXTS), text(ERRORS), text(['web', 'WEB', 'app', ''])];
  const payload = text(['{"text":"hello Ana"}', 'plain', '', '{"a":[1,2]}']);
  const session = `00000000-0000-4000-8000-00000000000${chance.pick(['a', 'b', 'A', '1'])}`;
  const shared = {
    dateMs: date.dateMs,
    sessionId: session,
    channel: channel[1],
    service: service[1],
    client: client[1],
    responseTimeMs: time[1],
    responseCode: code[1],
    error: error[1],
    origin: origin[1],
    payload: payload[1],
  };
  const document = {
    Id: session,
    Date: date.sent,
    Channel: channel[0],
    Service: service[0],
    Client: client[0],
    ReponseTime: time[0],
    ReponseCode: code[0],
    Error: error[0],
    Origin: origin[0],
    Payload: payload[0],
  };
  if (report === 'inbound-detail') {
    const latency = whole([null, 0, 1, 40, 250.5, MOST]);
    const record = { ...shared, botLatencyMs: latency[1] };
    return { atMs, document: { ...document, BotLatency: latency[0] }, record };
  }
  const [action, response] = [text(['', '-1', '7', '12', 'x']), text(['', '{"ok":true}', 'Ana'])];
  return {
    atMs,
    document: { ...document, ActionId: action[0], Reponse: response[0] },
    record: { ...shared, actionId: action[1], response: response[1] },
  };
}

/** One of nine forms, and what it says; some dates can't be read. */
function createDate(
  chance: Chance,
  atMs: number,
  zone: string,
): { readonly sent: unknown; readonly dateMs: number | null } {
  if (chance.is(0.04)) return { sent: chance.pick(['soon', '2026-02-30 10:00:00', '', null]), dateMs: null };
  const secondMs = Math.floor(atMs / 1000) * 1000;
  const local = toWireDate(atMs, zone);
  const milliseconds = String(atMs - secondMs).padStart(3, '0');
  // The clock may show the time twice: a text without a zone says the first of the two.
  const localMs = Number(fromWireDate(local, zone));
  const offsetMs = toOffsetMs(atMs, zone);
  const minutes = Math.abs(offsetMs) / 60_000;
  const pad = (value: number): string => String(value).padStart(2, '0');
  const offset = `${offsetMs < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
  const iso = new Date(atMs).toISOString();
  return chance.pick([
    { sent: iso, dateMs: atMs },
    { sent: iso.replace(/\.\d+Z/, 'Z'), dateMs: secondMs },
    { sent: `${local.replace(' ', 'T')}.${milliseconds}${offset}`, dateMs: atMs },
    { sent: local.replace(' ', 'T'), dateMs: localMs },
    { sent: local, dateMs: localMs },
    { sent: `${local}.${milliseconds}`, dateMs: localMs + (atMs - secondMs) },
    { sent: `/Date(${atMs})/`, dateMs: atMs },
    { sent: atMs, dateMs: atMs },
    { sent: secondMs / 1000, dateMs: secondMs },
  ]);
}
