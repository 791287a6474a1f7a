import { isUtf8 } from 'node:buffer';
import { AppError } from '../../common/contract/errors.ts';
import { isNumberWord, replaceNumberWords, restoreNumberWords } from '../../common/json.ts';
import type { ImportFault, ImportFaultCode } from '../../common/model/connections/connection.ts';
import {
  DETAIL_FIELD_NAMES,
  resolveFields,
  SUMMARY_FIELD_NAMES,
} from '../../common/reporting/field-names.ts';
import { createDateReader } from '../../common/reporting/reading/read-date.ts';
import {
  isJsonObject,
  isRounded,
  isTooDeep,
  type JsonObject,
  parseKeepingDigits,
} from '../../common/reporting/reading/read-json.ts';
import { createShapeCache } from '../../common/reporting/reading/read-record.ts';
import type { DetailKind, Direction } from '../../common/reporting/reports.ts';
import { DOCUMENT_FAULTS } from '../../node/json-splitter.ts';
import { type ReadingLimits, readObjects } from '../../node/record-files.ts';

/** What the service writes itself about a file; the window has words of its own for each code. */
const ENGLISH = {
  columns: 'The file has more than {limit} columns.',
  'column-twice': 'The column "{column}" is there twice.',
  utf16: 'The file is UTF-16; save it as UTF-8.',
  compressed: 'The file is compressed; unpack it first.',
  'no-text': 'The file is not a text.',
  'empty-file': 'The file is empty.',
  unknown:
    'The file is not recognised: it is neither JSON nor begins with the names of the fields (Id, Date, Channel …).',
  shorter: 'The file became shorter while it was read.',
  'open-row': "The row that begins on line {line} doesn't end within {limit} bytes; a quote may be missing.",
  ...DOCUMENT_FAULTS,
} as const;
type FileFaultCode = keyof typeof ENGLISH;

/** An AppError `local-service.import-failed` that says why a file as a whole can't be read on, in English only. */
export function toImportError(message: string, cause?: unknown): AppError {
  return new AppError('local-service.import-failed', message, {}, cause);
}

/** The same for what the window has words for: details `reason`, a code, and the values of its words. */
export function toFileError(code: FileFaultCode, values: ImportFault['values'] = {}): AppError {
  const message = ENGLISH[code].replace(/\{(\w+)\}/gu, (_all, name: string) => String(values[name]));
  return new AppError('local-service.import-failed', message, { reason: code, ...values });
}

/** The same for a header whose fields are at fault, as those of a record may be. */
export function toHeaderError(fault: ImportFault): AppError {
  const reason: ImportFaultCode = fault.code;
  return new AppError('local-service.import-failed', describeFaults([fault]), { reason, ...fault.values });
}

/** What the service writes itself, such as on its command line; the window has words of its own for each code. */
const FAULTS_IN_ENGLISH: Readonly<Record<ImportFaultCode, string>> = {
  missing: '{field} is missing.',
  date: "The date {value} can't be read.",
  'date-range': "{field} isn't between 1970 and 2199: {value}.",
  integer: "{field} isn't a whole number from {min} to {max}: {value}.",
  number: "{field} isn't a number from 0 to {max}: {value}.",
  'number-word': '{field} is {value}, which is no number.',
  'too-deep': '{field} is nested too deep.',
  'text-too-long': '{field} is longer than {limit} characters.',
  'entry-too-long': 'It is longer than {limit} bytes.',
  'not-utf8': "It isn't UTF-8.",
  'not-object': "It isn't a JSON object.",
  'not-json': "It isn't JSON.",
  empty: 'It is empty.',
  'no-known-field': 'None of its fields is known.',
  'summary-group': 'This is a group of a summary, not a detail record.',
  'both-directions': "Both {inbound} and {outbound} are there, so inbound can't be told from outbound.",
  'no-direction': "Neither {inbound} nor {outbound} is there, so inbound can't be told from outbound.",
  'other-direction': 'The fields are not those of an {direction} record.',
  'open-quote': "A quotation mark isn't closed.",
  cells: 'It has {cells} cells, the header {header}.',
  'header-again': 'The header again.',
};

/** Makes a fault of a line. */
export function toFault(code: ImportFaultCode, values: ImportFault['values'] = {}): ImportFault {
  return { code, values };
}

/** Faults in English, one sentence each. */
export function describeFaults(faults: readonly ImportFault[]): string {
  return faults
    .map(({ code, values }) =>
      FAULTS_IN_ENGLISH[code].replace(/\{(\w+)\}/gu, (_all, name: string) => String(values[name])),
    )
    .join(' ');
}

/** Names of everything that a file of detail records may hold; `count` is what only a summary has. */
export const IMPORT_FIELDS = {
  ...DETAIL_FIELD_NAMES,
  count: SUMMARY_FIELD_NAMES.count,
} as const;

export type ImportField = keyof typeof IMPORT_FIELDS;

/** What an entry holds for a field; undefined when it has no such field. */
export type ReadField = (field: ImportField) => unknown;

type KeyOf = Readonly<Record<ImportField, string | undefined>>;

type DetectedDirection =
  | { readonly direction: Direction; readonly fault: null }
  | { readonly direction: null; readonly fault: ImportFault };

/**
 * Detects the direction by the fields that only one of them has, or takes it as stated, by the file itself or
 * by the import's request. A statement that the fields contradict is a fault.
 */
export function detectDirection(keyOf: KeyOf, stated: DetailKind | null): DetectedDirection {
  const isInbound = keyOf.botLatencyMs !== undefined;
  const isOutbound = keyOf.actionId !== undefined || keyOf.response !== undefined;
  if (keyOf.count !== undefined && keyOf.dateText === undefined) {
    return { direction: null, fault: toFault('summary-group') };
  }
  if (stated === null && isInbound === isOutbound) {
    const [inbound, outbound] = [IMPORT_FIELDS.botLatencyMs[0], IMPORT_FIELDS.actionId[0]];
    const fault = toFault(isInbound ? 'both-directions' : 'no-direction', { inbound, outbound });
    return { direction: null, fault };
  }
  const direction = stated === null ? (isInbound ? 'inbound' : 'outbound') : toDirection(stated);
  const contradicts = direction === 'inbound' ? isOutbound && !isInbound : isInbound && !isOutbound;
  return contradicts
    ? { direction: null, fault: toFault('other-direction', { direction }) }
    : { direction, fault: null };
}

function toDirection(report: DetailKind): Direction {
  return report === 'inbound-detail' ? 'inbound' : 'outbound';
}

/** The detail report that a text names, or null. */
export function tryReadReport(name: unknown): DetailKind | null {
  return name === 'inbound-detail' || name === 'outbound-detail' ? name : null;
}

/** One line (CSV, NDJSON) or entry (JSON) of a file, from 1: what it holds, or why that can't be read. */
export type FileEntry =
  | { readonly line: number; readonly direction: Direction; readonly get: ReadField }
  | { readonly line: number; readonly fault: ImportFault };

/** Longest line or entry that is read, in bytes; a record's texts are far below. */
export const MAX_ENTRY_BYTES = 16 * 1024 * 1024;
export const LIMITS: ReadingLimits = { maxBytes: MAX_ENTRY_BYTES, toError: toFileError };
const TOO_LONG = toFault('entry-too-long', { limit: MAX_ENTRY_BYTES });

/**
 * Records written as JSON objects, by their line or number. Where a document names its report, as the application's
 * exports do, that holds unless `stated` says otherwise. Throws AppError as `readObjects`.
 */
export async function* readJsonEntries(
  chunks: AsyncIterable<Buffer>,
  kind: 'json' | 'ndjson',
  stated: DetailKind | null,
): AsyncGenerator<FileEntry> {
  let toEntry: ReturnType<typeof createEntryReader> | null = null;
  for await (const { line, bytes, head } of readObjects(chunks, kind, LIMITS)) {
    toEntry ??= createEntryReader(stated ?? tryReadStatedReport(head));
    if (bytes === null) yield { line, fault: TOO_LONG };
    else if (!isUtf8(bytes)) yield { line, fault: toFault('not-utf8') };
    else {
      const parsed = parseObject(bytes.toString());
      yield 'fault' in parsed ? { line, fault: parsed.fault } : toEntry(line, parsed.value);
    }
  }
}

/** What the application's own exports say before their records. */
function tryReadStatedReport(head: string): DetailKind | null {
  try {
    const about: unknown = JSON.parse(`${head}[]}`);
    return isJsonObject(about) ? tryReadReport(about['report']) : null;
  } catch {
    return null;
  }
}

/** The same for objects that are read already. */
export function createEntryReader(stated: DetailKind | null): (line: number, entry: JsonObject) => FileEntry {
  const resolve = createShapeCache((keys) => resolveFields(keys, IMPORT_FIELDS));
  return (line, entry) => {
    const { keyOf, foundCount } = resolve(entry);
    if (foundCount === 0) return { line, fault: toFault('no-known-field') };
    const detected = detectDirection(keyOf, stated);
    if (detected.fault !== null) return { line, fault: detected.fault };
    const get: ReadField = (field) => {
      const key = keyOf[field];
      return key === undefined ? undefined : entry[key];
    };
    return { line, direction: detected.direction, get };
  };
}

function parseObject(text: string): { readonly value: JsonObject } | { readonly fault: ImportFault } {
  try {
    let value = JSON.parse(text) as unknown;
    if (!isJsonObject(value)) return { fault: toFault('not-object') };
    // A number beyond 2^53 would lose digits, and an identifier may be one.
    if (Object.values(value).some(isRounded)) value = parseKeepingDigits(text);
    return { value: value as JsonObject };
  } catch {
    return { fault: text.trim() === '' ? toFault('empty') : (findNumberWord(text) ?? toFault('not-json')) };
  }
}

/** Names the first field that is NaN or Infinity, for which JSON has no words; null where nothing else is wrong. */
function findNumberWord(text: string): ImportFault | null {
  const marked = replaceNumberWords(text);
  if (marked === null) return null;
  try {
    const value = JSON.parse(marked) as unknown;
    const [field, word] =
      Object.entries(isJsonObject(value) ? value : {}).find(([, each]) => isNumberWord(each)) ?? [];
    if (field === undefined) return null;
    return toFault('number-word', { field, value: restoreNumberWords(JSON.stringify(word)) });
  } catch {
    return null;
  }
}

const INTEGER = /^-?(0|[1-9]\d{0,9})$/;
// Strict on purpose: `1,234` is one number to some and another to others, and `007` is no number at all.
const DECIMAL = /^(0|[1-9]\d*)(\.\d+)?(e[-+]?\d{1,3})?$/i;
const MAX_SHOWN_CHARACTERS = 40;
const MAX_INTEGER = 2 ** 31 - 1;
/** 1970 to 2199. */
const MAX_DATE_MS = Date.UTC(2200, 0, 1) - 1;

/** Longest texts of a record, in characters. */
export const TEXT_LIMITS = { name: 1_000, error: 100_000, content: 1_000_000 } as const;

/**
 * Reads the values of one entry strictly, and collects why it can't: what is read of a faulty entry means
 * nothing. `name` is that of the field, for the reason.
 */
export interface ValueReader {
  /** Milliseconds since 1970, in any of the forms of decision 3. */
  readDate(name: string, value: unknown): number;
  /** A whole number of 32 bits. */
  readInteger(name: string, value: unknown, min: number): number;
  /** A time in milliseconds, as whole microseconds. */
  readMicroseconds(name: string, value: unknown): number;
  /** A text; numbers and structures become their text, null becomes empty. Halves of surrogate pairs are replaced. */
  readText(name: string, value: unknown, limit: number): string;
  /** Why the values read since the last call are no record; empty when they are one. */
  takeFaults(): readonly ImportFault[];
}

/** True for what an entry doesn't have, in any of the ways that files say so. */
export function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** `zone` is that of dates that name none. */
export function createValueReader(zone: string): ValueReader {
  const parseDate = createDateReader(zone);
  let faults: ImportFault[] = [];

  const noteMissing = (name: string, value: unknown): boolean => {
    if (!isMissing(value)) return false;
    faults.push(toFault('missing', { field: name }));
    return true;
  };
  const quote = (value: unknown): string => {
    const text = toText(value);
    return JSON.stringify(
      text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text,
    );
  };
  const refuse = (code: ImportFaultCode, value: unknown, values: ImportFault['values']): 0 => {
    faults.push(toFault(code, { ...values, value: quote(value) }));
    return 0;
  };
  return {
    readDate: (name, value) => {
      if (noteMissing(name, value)) return 0;
      const dateMs = parseDate(value);
      if (dateMs !== null && dateMs >= 0 && dateMs <= MAX_DATE_MS) return dateMs;
      return dateMs === null ? refuse('date', value, {}) : refuse('date-range', value, { field: name });
    },
    readInteger: (name, value, min) => {
      if (noteMissing(name, value)) return 0;
      const number = typeof value === 'string' && INTEGER.test(value) ? Number(value) : value;
      const isInteger = Number.isInteger(number) && Number(number) >= min && Number(number) <= MAX_INTEGER;
      // -0 becomes 0.
      if (isInteger) return Number(number) + 0;
      return refuse('integer', value, { field: name, min, max: MAX_INTEGER });
    },
    readMicroseconds: (name, value) => {
      if (noteMissing(name, value)) return 0;
      const timeMs = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
      if (typeof timeMs === 'number' && timeMs >= 0 && timeMs <= MAX_INTEGER)
        return Math.round(timeMs * 1000);
      return refuse('number', value, { field: name, max: MAX_INTEGER });
    },
    readText: (name, value, limit) => {
      if (typeof value === 'object' && isTooDeep(value)) {
        faults.push(toFault('too-deep', { field: name }));
        return '';
      }
      const text = toText(value);
      if (text.length <= limit) return text.isWellFormed() ? text : text.toWellFormed();
      faults.push(toFault('text-too-long', { field: name, limit }));
      return '';
    },
    takeFaults: () => {
      const taken = faults;
      if (taken.length > 0) faults = [];
      return taken;
    },
  };
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  // Writing it out would exhaust the stack.
  if (isTooDeep(value)) return '…';
  return JSON.stringify(value);
}
