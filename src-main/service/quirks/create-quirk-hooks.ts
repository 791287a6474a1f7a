import type { FastifyReply, FastifyRequest, onSendHookHandler, preHandlerHookHandler } from 'fastify';
import type { QuirkName } from '../../common/model/connections/local-service.ts';
import { REPORTS } from '../../common/reporting/reports.ts';
import {
  correctWireName,
  type ReportResponse,
  type StatusResponse,
  TrafficGroup,
} from '../../common/reporting/wire-documents.ts';
import { toOffsetMs } from '../../common/time/civil-time.ts';
import type { Random } from '../sample/random.ts';
import type { TrafficBatch } from '../store/record-store.ts';

type JsonObject = Record<string, unknown>;

/** Fields as documents have them. */
const { responseCode: CODE, error: ERROR, response: RESPONSE } = REPORTS['outbound-detail'].fields;
const { averageResponseTimeMs, averageBotLatencyMs } = REPORTS['inbound-summary'].fields;

/** How a service says that a request failed, and what it says then. */
interface Convention {
  /** The code instead of one of HTTP; `bits` belong to the record, and are the same whenever it is read. */
  code(code: number, bits: number): number;
  /** The text of Error. */
  error?(error: string, code: number, document: JsonObject, bits: number): string;
  /** The response of the queried service, of outbound requests. */
  response?(response: string, code: number, bits: number): string;
}

const FIRST_FAILED = 400;
/** Codes of HTTP that a service gives where none of its own came. */
const NO_ANSWER = [408, 502, 503, 504];
const hasFailed = (code: number): boolean => code >= FIRST_FAILED;

/** The texts of services whose errors are JSON, in the three forms that are most usual. */
const JSON_ERRORS: readonly ((error: string, code: number, bits: number) => object)[] = [
  (message, code, bits) => ({
    error: { code: NAMES[code] ?? 'failed', message, trace: bits.toString(16).padStart(8, '0') },
  }),
  (detail, code) => ({
    type: 'about:blank',
    title: (NAMES[code] ?? 'failed').replaceAll('_', ' '),
    status: code,
    detail,
  }),
  (details, code, bits) => ({
    errors: [{ code: 131_000 + (code % 100), title: NAMES[code] ?? 'failed', error_data: { details } }],
    fbtrace_id: bits.toString(36),
  }),
];
const NAMES: Readonly<Record<number, string>> = {
  400: 'invalid_message',
  401: 'key_refused',
  404: 'conversation_closed',
  408: 'read_timeout',
  422: 'template_paused',
  429: 'rate_limited',
  500: 'internal_error',
  502: 'bad_gateway',
  503: 'no_worker',
  504: 'no_answer',
};

const CONVENTIONS: Partial<Record<QuirkName, Convention>> = {
  'zero-ok-one-failed': { code: (code) => (hasFailed(code) ? 1 : 0) },
  'minus-one-no-answer': {
    code: (code) => (NO_ANSWER.includes(code) ? -1 : hasFailed(code) ? 500 : 200),
    error: (error, code, _document, bits) =>
      NO_ANSWER.includes(code) ? (bits % 2 === 0 ? '' : 'No answer') : error,
  },
  'always-200-error-text': { code: () => 200 },
  'two-99-failed': {
    code: (code) => (hasFailed(code) ? 299 : code),
    error: () => '',
    response: (response, code, bits) =>
      hasFailed(code)
        ? JSON.stringify({ result: 'refused', ref: String(100_000 + (bits % 900_000)) })
        : response,
  },
  'vendor-4-digits': {
    code: (code) => {
      if (!hasFailed(code)) return code === 200 ? 1000 : 1001;
      if (NO_ANSWER.includes(code)) return 4210;
      return code >= 500 ? 4007 : 4001;
    },
  },
  'normal-404': {
    code: (code) => (code >= 400 && code <= 499 ? 404 : code),
    error: (error, code, document) =>
      code >= 400 && code <= 499 ? `User ${String(document['Client'])} not found` : error,
    response: (response, code) => (code >= 400 && code <= 499 ? '{"found":false}' : response),
  },
  'errors-as-json': {
    code: (code) => code,
    error: (error, code, _document, bits) =>
      error === '' ? '' : JSON.stringify(JSON_ERRORS[code % JSON_ERRORS.length]?.(error, code, bits)),
  },
  'errors-with-names': {
    code: (code) => code,
    error: (error, _code, document) =>
      error === '' ? '' : `Customer ${String(document['Client'])}: ${error}`,
  },
};

/**
 * Returns the documents of a report as a service with other habits would send them: with its own codes, and its own words
 * for what failed. Groups of a summary that have the same code then are one.
 */
function applyConventions(documents: readonly JsonObject[], quirks: ReadonlySet<QuirkName>): JsonObject[] {
  let changed = [...documents];
  for (const quirk of quirks) {
    const convention = CONVENTIONS[quirk];
    if (convention !== undefined)
      changed = joinGroups(changed.map((document) => change(document, convention)));
  }
  return changed;
}

function change(document: JsonObject, convention: Convention): JsonObject {
  const code = Number(document[CODE.wireName]);
  const bits = toBits(`${String(document['Id'])} ${String(document['Date'])} ${String(document['Payload'])}`);
  const changed: JsonObject = { ...document, [CODE.wireName]: convention.code(code, bits) };
  const [error, response] = [document[ERROR.wireName], document[RESPONSE.wireName]];
  if (typeof error === 'string' && convention.error !== undefined) {
    changed[ERROR.wireName] = convention.error(error, code, document, bits);
  }
  if (typeof response === 'string' && convention.response !== undefined) {
    changed[RESPONSE.wireName] = convention.response(response, code, bits);
  }
  return changed;
}

const AVERAGES = [averageResponseTimeMs.wireName, averageBotLatencyMs.wireName];

function joinGroups(documents: readonly JsonObject[]): JsonObject[] {
  const groups = new Map<string, JsonObject>();
  const joined: JsonObject[] = [];
  for (const document of documents) {
    if (!('Count' in document)) {
      joined.push(document);
      continue;
    }
    const key = JSON.stringify(
      ['Id', CODE.wireName, 'Channel', 'Service', 'Origin'].map((name) => document[name]),
    );
    const group = groups.get(key);
    if (group === undefined) {
      const own = { ...document };
      groups.set(key, own);
      joined.push(own);
      continue;
    }
    const [before, more] = [Number(group['Count']), Number(document['Count'])];
    for (const name of AVERAGES.filter((one) => one in group)) {
      const sum = Number(group[name]) * before + Number(document[name]) * more;
      const average = sum / (before + more);
      group[name] = name === averageBotLatencyMs.wireName ? Math.round(average) : average;
    }
    group['Count'] = String(before + more);
  }
  return joined;
}

/** FNV-1a of a text. */
function toBits(text: string): number {
  let bits = 0x811c9dc5;
  for (let place = 0; place < text.length; place += 1) {
    bits = Math.imul(bits ^ text.charCodeAt(place), 0x01000193);
  }
  return bits >>> 0;
}

const SLOW_MS = 2_000;
const HTML_PAGE =
  '<!doctype html><html><head><title>Sign in</title></head><body>Please sign in.</body></html>';

/**
 * Returns hooks for the routes of reports and of the status that make them misbehave on purpose. Kept apart from the
 * exact service, which knows nothing of it.
 */
export function createQuirkHooks(names: readonly QuirkName[], zone: string, now: () => number) {
  const quirks = new Set(names);
  const cursors = createCursorQuirks(quirks, now);
  // What was sent, as the exact service may receive something else.
  const sentBodies = new WeakMap<FastifyRequest, Record<string, unknown>>();
  let reports = 0;
  let nextPages = 0;

  const preHandler: preHandlerHookHandler = (request, reply, done) => {
    reports += 1;
    const body = tryParseBody(request.body);
    if (body !== undefined) sentBodies.set(request, body);
    const sentCursor = readCursor(body);
    if (sentCursor !== '') nextPages += 1;
    if (quirks.has('stalls')) {
      // No response: the client's own timeout has to end it.
      reply.hijack();
    } else if (quirks.has('html-page')) {
      void reply.type('text/html; charset=utf-8').send(HTML_PAGE);
    } else if (quirks.has('rate-limited') && reports % 3 === 0) {
      void reply.code(429).header('retry-after', '1').send();
    } else if (quirks.has('unauthorised-mid-page') && sentCursor !== '' && nextPages % 2 === 1) {
      void reply.code(401).send();
    } else {
      const lastDocument = cursors.replaceSent(sentCursor);
      if (body !== undefined && (lastDocument !== sentCursor || quirks.has('small-pages'))) {
        const changed = lastDocument === sentCursor ? body : { ...body, lastDocument };
        request.body = Buffer.from(JSON.stringify(quirks.has('small-pages') ? shrinkPage(changed) : changed));
      }
      setTimeout(done, quirks.has('slow') ? SLOW_MS : 0);
    }
  };

  const distortPage = (reply: FastifyReply, payload: string, body: Record<string, unknown>): string => {
    const response = JSON.parse(payload) as ReportResponse;
    if (!response.isValid && quirks.has('invalid-with-400')) reply.code(400);
    const sentCursor = readCursor(body);
    const walk = JSON.stringify([response.idReport, body['startDate'], body['endDate']]);
    const lastDocument = cursors.replaceIssued(walk, sentCursor, response);
    const documents = cursors.isPastEnd(sentCursor) ? [] : response.documents;
    return JSON.stringify(distortReport({ ...response, documents, lastDocument }, { quirks, zone }));
  };

  const sendReport: onSendHookHandler = (request, reply, payload, done) => {
    if (!isJson(reply)) {
      done(null, payload);
      return;
    }
    const text = distortPage(reply, String(payload), sentBodies.get(request) ?? {});
    if (quirks.has('cut-body')) cutBody(reply, text);
    else done(null, text);
  };
  const sendStatus: onSendHookHandler = (_request, reply, payload, done) => {
    if (!isJson(reply)) done(null, payload);
    else done(null, JSON.stringify(distortStatus(JSON.parse(String(payload)) as StatusResponse, quirks)));
  };
  return { report: { preHandler, onSend: sendReport }, status: { onSend: sendStatus } };
}

function isJson(reply: FastifyReply): boolean {
  return String(reply.getHeader('content-type')).startsWith('application/json');
}

function cutBody(reply: FastifyReply, text: string): void {
  reply.hijack();
  const bytes = Buffer.from(text);
  reply.raw.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
  });
  reply.raw.write(bytes.subarray(0, bytes.length >> 1), () => {
    reply.raw.destroy();
  });
}

function tryParseBody(body: unknown): Record<string, unknown> | undefined {
  if (!Buffer.isBuffer(body)) return undefined;
  try {
    const content: unknown = JSON.parse(body.toString());
    return typeof content === 'object' && content !== null ? { ...content } : undefined;
  } catch {
    return undefined;
  }
}

function readCursor(body: Record<string, unknown> | undefined): string {
  const cursor = body?.['lastDocument'];
  return typeof cursor === 'string' ? cursor : '';
}

function shrinkPage(body: Record<string, unknown>): Record<string, unknown> {
  const size = typeof body['size'] === 'number' && body['size'] >= 1 ? body['size'] : 100;
  return { ...body, size: Math.ceil(size / 3) };
}

/** What of a report's response the cursor quirks look at. */
interface CursorResponse {
  readonly isValid: boolean;
  readonly lastDocument: string;
}

/** Requests the page after the last one, which a service that always sends a cursor must return. */
const END_CURSOR = 'bm8tZnVydGhlci1wYWdl';
const EXPIRED_CURSOR = '!expired';
const CURSOR_LIFETIME_MS = 5_000;
/** Cursors remembered; older ones count as never issued, which an expired one does too. */
const MAX_CURSORS = 10_000;

/** Misbehaviour that needs to remember which cursors were issued. One for each running service. */
interface CursorQuirks {
  /** Returns the cursor that the exact service receives instead of the one that was sent. */
  replaceSent(sentCursor: string): string;
  /** True when the page after the last one was requested, which holds no records. */
  isPastEnd(sentCursor: string): boolean;
  /** Returns the cursor to respond with; `walk` names the report and period that the pages belong to. */
  replaceIssued(walk: string, sentCursor: string, response: CursorResponse): string;
}

/** Creates the misbehaviour of the cursor quirks that are on; `now` is in milliseconds. */
function createCursorQuirks(quirks: ReadonlySet<QuirkName>, now: () => number): CursorQuirks {
  const issuedMs = new Map<string, number>();
  const firstCursors = new Map<string, string>();

  const isPastEnd = (sentCursor: string): boolean =>
    quirks.has('cursor-never-empty') && sentCursor === END_CURSOR;
  const replaceNext = (walk: string, sentCursor: string, next: string): string => {
    if (next === '') return quirks.has('cursor-never-empty') ? END_CURSOR : '';
    if (sentCursor !== '' && quirks.has('cursor-repeats')) return sentCursor;
    if (!quirks.has('cursor-cycles')) return next;
    if (sentCursor === '') remember(firstCursors, walk, next);
    const first = firstCursors.get(walk) ?? next;
    // The first cursor leads to a second one, and that leads back.
    return sentCursor === '' || sentCursor === first ? next : first;
  };
  return {
    replaceSent: (sentCursor) => {
      if (isPastEnd(sentCursor)) return '';
      if (!quirks.has('cursor-expires') || sentCursor === '') return sentCursor;
      const ageMs = now() - (issuedMs.get(sentCursor) ?? -Infinity);
      return ageMs < CURSOR_LIFETIME_MS ? sentCursor : EXPIRED_CURSOR;
    },
    isPastEnd,
    replaceIssued: (walk, sentCursor, { isValid, lastDocument }) => {
      if (!isValid) return lastDocument;
      if (isPastEnd(sentCursor)) return END_CURSOR;
      const cursor = replaceNext(walk, sentCursor, lastDocument);
      if (quirks.has('cursor-expires') && cursor !== '') remember(issuedMs, cursor, now());
      return cursor;
    },
  };
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_CURSORS && oldest !== undefined) map.delete(oldest);
}

const MAX_TOTAL = 1_000;

/** How a service misbehaves, and the zone of its clock. */
interface Distortion {
  readonly quirks: ReadonlySet<QuirkName>;
  readonly zone: string;
}

/** Returns a report's response as a service with these quirks would send it; cursors are replaced elsewhere. */
function distortReport(response: ReportResponse, distortion: Distortion): JsonObject {
  const { quirks } = distortion;
  const { documents: exact, ...envelope } = response;
  const own = applyConventions(exact, quirks);
  envelope.totalDocument -= exact.length - own.length;
  let documents = own.map((document): JsonObject => distortDocument(document, distortion));
  const [first] = documents;
  if (quirks.has('duplicate-records') && first !== undefined) documents = [first, ...documents];
  if (quirks.has('total-capped')) envelope.totalDocument = Math.min(envelope.totalDocument, MAX_TOTAL);
  const records = quirks.has('records-as-string') ? JSON.stringify(documents) : documents;
  return { ...envelope, [quirks.has('records-key-data') ? 'data' : 'documents']: records };
}

function distortDocument(document: JsonObject, distortion: Distortion): JsonObject {
  const entries = Object.entries(document).map(([name, value]): [string, unknown] => [
    distortion.quirks.has('corrected-spelling') ? correctWireName(name) : name,
    distortValue(name, value, distortion),
  ]);
  return Object.fromEntries(entries);
}

function distortValue(name: string, value: unknown, { quirks, zone }: Distortion): unknown {
  if (name === 'Date' && typeof value === 'string') {
    if (quirks.has('dates-dotnet')) return `/Date(${Date.parse(value)})/`;
    if (quirks.has('dates-without-zone')) return toCivilText(Date.parse(value), zone);
  }
  return quirks.has('numbers-as-strings') && typeof value === 'number' ? String(value) : value;
}

/** What the clock shows, without saying whose it is. */
function toCivilText(epochMs: number, zone: string): string {
  const shown = new Date(epochMs + toOffsetMs(epochMs, zone));
  return shown.toISOString().replace('T', ' ').replace('Z', '');
}

/** A tenant status as a service with these quirks would give it (decision 2). */
function distortStatus(status: StatusResponse, quirks: ReadonlySet<QuirkName>): Record<string, unknown> {
  if (quirks.has('status-nested')) {
    const outer = Object.entries(status).filter(([name]) => !(name in TrafficGroup.properties));
    const traffic = JSON.parse(status.TrafficInformation) as unknown;
    return { ...Object.fromEntries(outer), TrafficInformation: traffic };
  }
  if (quirks.has('status-text')) {
    const TrafficInformation = `${status.Sessions} sessions`;
    return { ...status, Status: status.Status.toUpperCase(), TrafficInformation };
  }
  if (!quirks.has('numbers-as-strings')) return status;
  return Object.fromEntries(Object.entries(status).map(([name, value]) => [name, String(value)]));
}

const LATE_SHARE = 0.2;
const MIN_DELAY_MS = 30_000;
const MAX_DELAY_MS = 480_000;

/**
 * New traffic of which a part happened minutes ago and arrives only now, so that a period already fetched
 * gains records (decision 27).
 */
export function delayRecords(batch: TrafficBatch, random: Random): TrafficBatch {
  const delay = <T extends { readonly dateMs: number }>(records: readonly T[]): T[] =>
    records
      .map((record) =>
        random() < LATE_SHARE ? { ...record, dateMs: moveBack(record.dateMs, random) } : record,
      )
      .sort((a, b) => a.dateMs - b.dateMs);
  return { ...batch, inbound: delay(batch.inbound), outbound: delay(batch.outbound) };
}

function moveBack(dateMs: number, random: Random): number {
  return dateMs - MIN_DELAY_MS - Math.floor(random() * (MAX_DELAY_MS - MIN_DELAY_MS));
}
