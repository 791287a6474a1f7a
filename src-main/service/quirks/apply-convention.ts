import type { QuirkName } from '../../common/model/connections/local-service.ts';
import { REPORTS } from '../../common/reporting/reports.ts';

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
export function applyConventions(
  documents: readonly JsonObject[],
  quirks: ReadonlySet<QuirkName>,
): JsonObject[] {
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
