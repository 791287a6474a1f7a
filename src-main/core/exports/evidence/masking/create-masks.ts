import { joinJsonTexts, type JsonTexts, toPlainText } from '../../../../common/json.ts';
import type { EvidenceMasking } from '../../../../common/model/exports/export-options.ts';
import { OWN_ROOT } from '../../../../common/model/records/body-path.ts';
import type { RecordDetail } from '../../../../common/model/records/record.ts';
import type { DetailKind, FieldName } from '../../../../common/reporting/reports.ts';
import { toErrorPattern } from '../../../analysis/families/learn-families.ts';
import type { ExportColumn, ExportValue } from '../../export-columns.ts';
import {
  type ClientSpan,
  type KnownClients,
  replaceSpans,
  type TextSpan,
  type ToPseudonym,
} from './known-clients.ts';
import type { MaskedRecord, Masks, NamedFamily } from './masks.ts';

const CLIENT_CHARACTERS = 4;
const CONTENT_CHARACTERS = 40;
/** How far beyond what is shown of a payload clients are looked for, so that none is cut in two. */
const CONTENT_MARGIN = 400;
/** An identifier of a session that says nothing about a client, whatever its digits. */
const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const ESCAPED_LETTER = /\\u([0-9a-f]{4})/gi;
const LETTER = /[\p{L}\p{N}]/u;

/** Makes the masks of one pack; `isFiltered` where a filter leaves records out, of which no text may stand in it. */
export function createMasks(
  masking: EvidenceMasking,
  known: KnownClients,
  toPseudonym: ToPseudonym,
  isFiltered = false,
): Masks {
  /** What stands in a text where a client stood. */
  function replaceClient(text: string, { key, fromAt, toAt }: ClientSpan): string {
    if (masking.client === 'pseudonym') return toPseudonym(key);
    if (masking.client === 'shortened') return shorten(text.slice(fromAt, toAt), CLIENT_CHARACTERS);
    return '<client>';
  }
  const findClients = (text: string, own: string): readonly ClientSpan[] =>
    masking.client === 'received' ? [] : known.find(text, own);
  const replaceClients = (text: string, own = ''): string =>
    replaceSpans(text, findClients(text, own), (span) => replaceClient(text, span));

  /** JSON may write the letters of a client as their codes. */
  function replaceEscapedClients(text: string, own: string): string {
    const replaced = replaceClients(text, own);
    if (masking.client === 'received' || !replaced.includes('\\u')) return replaced;
    const plain = replaced.replace(ESCAPED_LETTER, (code, digits: string) => {
      const character = String.fromCharCode(Number.parseInt(digits, 16));
      return LETTER.test(character) ? character : code;
    });
    const found = replaceClients(plain, own);
    return found === plain ? replaced : found;
  }

  function hideContent(text: string, own: string): string {
    if (masking.payload === 'received') return replaceEscapedClients(text, own);
    if (masking.payload === 'masked') return toShape(text);
    const beginning = replaceEscapedClients(text.slice(0, CONTENT_CHARACTERS + CONTENT_MARGIN), own);
    return shorten(beginning, CONTENT_CHARACTERS, text.length);
  }

  function hideValue(jsonText: string, own: string): string {
    const plain = toPlainText(jsonText);
    const hidden = hideContent(plain, own);
    return hidden === plain ? jsonText : JSON.stringify(hidden);
  }

  const errors = createErrorMasks(masking, { findClients, replaceClient }, isFiltered);
  return {
    masking,
    client(client) {
      if (masking.client === 'received') return client;
      if (masking.client === 'pseudonym') return toPseudonym(client);
      return masking.client === 'shortened' ? shorten(client, CLIENT_CHARACTERS) : '';
    },
    text: replaceClients,
    sessionId: (sessionId, own) => (GUID.test(sessionId) ? sessionId : replaceClients(sessionId, own)),
    content: hideContent,
    otherFields: (fields, own) =>
      Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [replaceClients(name, own), hideValue(value, own)]),
      ),
    ...errors,
  };
}

/** The same as one JSON text; null where there are none. */
export function joinFields(fields: JsonTexts): string | null {
  return Object.keys(fields).length === 0 ? null : joinJsonTexts(Object.entries(fields));
}

const NOT_ASCII = /[^\0-\x7f]/gu;

/**
 * Returns the beginning of a text: at most `most` characters, and never more than a third of it, so that no short text
 * stands there whole. `length` is that of the whole text where `text` is its beginning only.
 */
function shorten(text: string, most: number, length = text.length): string {
  if (text === '') return '';
  const kept = text.slice(0, Math.min(most, Math.floor(length / 3)));
  return `${kept.replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * Returns the shape of a text: letters become `x` or `X`, digits `0`, and what is no ASCII `?`. Spaces, line ends and
 * signs stay, so that its length and its structure can be seen.
 */
function toShape(text: string): string {
  return text
    .replace(/[\p{Lu}\p{Lt}]/gu, 'X')
    .replace(/(?!X)[\p{L}\p{M}]/gu, 'x')
    .replace(/\p{N}/gu, '0')
    .replace(NOT_ASCII, '?');
}

/** Families whose masked pattern is kept; later ones are not shown. */
const MAX_FAMILIES = 20_000;
/** Longer errors are cut where they are compared with payloads. */
const MAX_CHARACTERS = 2_000;
const NOT_SHOWN = '<not shown>';

/** Characters without a meaning stand for what is replaced, so that folding leaves it alone. */
const FIRST_PLACE = 0xe000;
const LAST_PLACE = 0xefff;
const FIRST_NUMBER = 0xf000;
const LAST_NUMBER = 0xf8fe;
const CONTENT_PLACE = '\uf8ff';
const PLACES = /[\ue000-\uf8ff]/g;
const NUMBERS = /[\uf000-\uf8fe]/g;

/**
 * Numbers that measure something: with a unit, or of few digits, by themselves. What follows the name of an identifier,
 * or stands beside other digits as in telephone numbers, dates and versions, is none.
 */
const NAMED_BEFORE =
  /(?:\b(?:id|no|nr|number|account|acct|customer|user|client|phone|tel|pin|zip|order|ticket|case|contract|card|iban)\.?\s*[=:#]?\s*|\d[\s./()+-]*)$/iu;
const MEASURE =
  /(?<=^|[\s([=:])(?:\d{1,12}(?:[.,]\d{1,6})?(?=\s?(?:ms|s|secs?|seconds?|milliseconds?|mins?|minutes?|h|hours?|bytes?|[kKMG]i?B|B|%)(?![\p{L}\p{N}]))|\d{1,6}(?:\.\d{1,6})?(?=[,.;:)\]]?(?:\s|$)))(?![\s./()+-]*\d)/gu;

/** What masks of errors take from those of clients. */
interface ClientMasks {
  findClients(text: string, own: string): readonly ClientSpan[];
  replaceClient(text: string, span: ClientSpan): string;
}

/**
 * Makes the masks of errors: clients are replaced, what the record's payload says is taken out, and what varies is
 * folded, as the choices ask for. Of a family only what records of the pack say is shown, unless nothing is hidden.
 */
function createErrorMasks(
  masking: EvidenceMasking,
  { findClients, replaceClient }: ClientMasks,
  isFiltered = false,
): Pick<Masks, 'error' | 'errorFamily' | 'addFamilies'> {
  const families = new Map<string, string>();
  const namedFamilies = new Map<string, NamedFamily[]>();
  const hidesContent = masking.payload !== 'received';
  const hidesNothing = !hidesContent && masking.client === 'received';

  function remember(error: string, withPlaces: string): void {
    const family = toErrorPattern(error);
    const shown = toErrorPattern(
      withPlaces.replace(PLACES, (place) => (place === CONTENT_PLACE ? place : '\ue000')),
    )
      .replaceAll('\ue000', '<client>')
      .replaceAll(CONTENT_PLACE, '<payload>');
    show(family, shown);
    for (const own of namedFamilies.get(family) ?? []) show(own.family, own.isNamed ? maskName(own) : shown);
  }

  function show(family: string, shown: string): void {
    const before = families.get(family);
    if (before === undefined ? families.size < MAX_FAMILIES : shown.length < before.length)
      families.set(family, shown);
  }
  /** A name that a person gave says what a person chose, but no client. */
  function maskName({ family }: NamedFamily): string {
    return replaceSpans(family, findClients(family, ''), (span) => replaceClient(family, span));
  }

  return {
    addFamilies(named) {
      for (const own of named)
        namedFamilies.set(own.pattern, [...(namedFamilies.get(own.pattern) ?? []), own]);
    },
    error(record) {
      const { error, client } = record;
      if (error === '') return '';
      if (hidesNothing && masking.errors === 'received') {
        if (isFiltered) remember(error, error);
        return error;
      }
      const plain = error.replace(PLACES, '\ufffd');
      const clients = findClients(plain, client).slice(0, LAST_PLACE - FIRST_PLACE);
      let count = 0;
      let text = replaceSpans(plain, clients, () => String.fromCharCode(FIRST_PLACE + count++));
      if (masking.errors === 'folded') text = toErrorPattern(text);
      if (masking.errors === 'numbers') text = foldAllButMeasures(text);
      if (hidesContent) text = hideQuotedContent(text, record);
      if (!hidesNothing || isFiltered) remember(error, text);
      return text.replace(PLACES, (place) => {
        const span = clients[place.charCodeAt(0) - FIRST_PLACE];
        return span === undefined ? '<payload>' : replaceClient(plain, span);
      });
    },
    errorFamily: (pattern) => {
      if ((hidesNothing && !isFiltered) || pattern === '') return pattern;
      return families.get(pattern) ?? NOT_SHOWN;
    },
  };
}

/** Folds an error around the numbers that are measures. */
function foldAllButMeasures(text: string): string {
  const measures: string[] = [];
  const held = text.replace(MEASURE, (number, at: number) => {
    if (NAMED_BEFORE.test(text.slice(0, at)) || measures.length > LAST_NUMBER - FIRST_NUMBER) return number;
    measures.push(number);
    return String.fromCharCode(FIRST_NUMBER + measures.length - 1);
  });
  return toErrorPattern(held).replace(
    NUMBERS,
    (place) => measures[place.charCodeAt(0) - FIRST_NUMBER] ?? '<number>',
  );
}

function hideQuotedContent(text: string, { error, payload, response }: MaskedRecord): string {
  const cut = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
  // A response that holds the whole error is where the error comes from.
  const contents = [payload, response !== null && !holdsWhole(response, error) ? response : null];
  return contents.reduce<string>(
    (hidden, content) =>
      content === null
        ? hidden
        : replaceSpans(hidden, findQuotedContent(hidden, content), () => CONTENT_PLACE),
    cut,
  );
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u;
/** So many words in a row, or so many characters, are no chance. */
const MIN_WORDS = 3;
const MIN_CHARACTERS = 12;
/** Shorter values of a JSON content are words, and codes, that stand anywhere. */
const MIN_VALUE_CHARACTERS = 4;
const MIN_NUMBER_CHARACTERS = 5;
const MAX_PARSED_CHARACTERS = 200_000;
const MAX_VALUES = 1_000;

/**
 * Returns where a text repeats what a payload says: runs of words that stand there as they are, and whole values of a
 * JSON payload. In order, without overlaps. Meant for texts of a few thousand characters.
 */
export function findQuotedContent(text: string, content: string): readonly TextSpan[] {
  if (text === '' || content === '') return [];
  return mergeSpans([...findRuns(text, content), ...findValues(text, listTextValues(content))]);
}

/** True where a content holds a text as a whole, by itself or as part of a value of its JSON. */
function holdsWhole(content: string, text: string): boolean {
  return content.includes(text) || listTextValues(content).some((value) => value.includes(text));
}

function findRuns(text: string, content: string): TextSpan[] {
  const words = Array.from(text.matchAll(WORD), ({ 0: word, index }) => ({
    fromAt: index,
    toAt: index + word.length,
  }));
  const spans: TextSpan[] = [];
  for (let first = 0; first < words.length; first += 1) {
    const fromAt = words[first]?.fromAt ?? 0;
    let last = first - 1;
    while (last + 1 < words.length && content.includes(text.slice(fromAt, words[last + 1]?.toAt))) last += 1;
    if (last < first) continue;
    const toAt = words[last]?.toAt ?? fromAt;
    if (last - first + 1 < MIN_WORDS && toAt - fromAt < MIN_CHARACTERS) continue;
    spans.push({ fromAt, toAt });
    first = last;
  }
  return spans;
}

function findValues(text: string, values: readonly string[]): TextSpan[] {
  return values.flatMap((value) => {
    const spans: TextSpan[] = [];
    for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length)) {
      const isWhole = !isWordAt(text, at - 1) && !isWordAt(text, at + value.length);
      if (isWhole) spans.push({ fromAt: at, toAt: at + value.length });
    }
    return spans;
  });
}

function isWordAt(text: string, at: number): boolean {
  return at >= 0 && at < text.length && WORD_CHARACTER.test(text[at] ?? '');
}

/** The content itself and, of JSON, its texts and long numbers. */
function listTextValues(content: string): readonly string[] {
  const values = new Set<string>();
  const visit = (value: unknown): void => {
    if (values.size >= MAX_VALUES) return;
    if (typeof value === 'string') {
      const trimmed = value.trim();
      if (trimmed.length >= MIN_VALUE_CHARACTERS) values.add(trimmed);
    } else if (typeof value === 'number') {
      if (String(value).length >= MIN_NUMBER_CHARACTERS) values.add(String(value));
    } else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit);
  };
  visit(content);
  if (/^\s*[{["]/.test(content) && content.length <= MAX_PARSED_CHARACTERS) {
    try {
      visit(JSON.parse(content));
    } catch {
      // It is no JSON, or nested deeper than it can be visited: its runs of words are found all the same.
    }
  }
  return [...values];
}

function mergeSpans(spans: readonly TextSpan[]): readonly TextSpan[] {
  const merged: TextSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.fromAt - b.fromAt)) {
    const last = merged.at(-1);
    if (last === undefined || span.fromAt >= last.toAt) merged.push(span);
    else merged[merged.length - 1] = { fromAt: last.fromAt, toAt: Math.max(last.toAt, span.toAt) };
  }
  return merged;
}

type Column = ExportColumn<RecordDetail>;

const WHOLE_NUMBER = /^-?\d{1,19}$/;

/** Returns the columns as a pack has them: masked, and without those that are left out. */
export function maskColumns(columns: readonly Column[], masks: Masks): readonly Column[] {
  return columns.flatMap((column) => maskColumn(column, masks) ?? []);
}

/** Null where the column is left out. */
function maskColumn(column: Column, masks: Masks): Column | null {
  const { value } = column;
  if (value?.kind === 'other-fields') return maskOtherFields(column, masks);
  if (value?.kind === 'field') return maskField(column, value.name, masks);
  if (value?.kind === 'path') return maskPath(column, value.path, masks);
  // What the person who exports has named or marked is theirs to share; a note may name a client, and so may a date.
  if (value?.kind !== 'note' && value?.kind !== 'moment') return column;
  return replaceText(column, (text, record) =>
    value.kind === 'moment' && record.dateMs !== null ? text : masks.text(text, record.client),
  );
}

function maskField(column: Column, name: FieldName<DetailKind>, masks: Masks): Column | null {
  const { client, payload } = masks.masking;
  switch (name) {
    case 'client':
      return client === 'left-out' ? null : replaceText(column, (text) => masks.client(text));
    case 'payload':
    case 'response':
      if (payload === 'left-out') return null;
      return replaceText(column, (text, record) => masks.content(text, record.client));
    case 'error':
      return replaceText(column, (_text, record) => masks.error(record));
    case 'sessionId':
      return replaceText(column, (text, record) => masks.sessionId(text, record.client));
    case 'dateText':
      return replaceText(column, (text, record) =>
        record.dateMs === null ? masks.text(text, record.client) : text,
      );
    case 'actionId':
      return replaceText(column, (text, record) =>
        WHOLE_NUMBER.test(text) ? text : masks.text(text, record.client),
      );
    default:
      return replaceText(column, (text, record) => masks.text(text, record.client));
  }
}

function maskOtherFields(column: Column, masks: Masks): Column | null {
  if (masks.masking.payload === 'left-out') return null;
  const readFields = ({ extra, client }: RecordDetail): RecordDetail['extra'] =>
    masks.otherFields(extra, client);
  return { ...column, readFields, read: (record) => joinFields(readFields(record)) };
}

/** What a path leads to in a body is masked as the body is; a column of an own table may name a client. */
function maskPath(column: Column, path: string, masks: Masks): Column | null {
  if (path.startsWith(`${OWN_ROOT}.`))
    return replaceText(column, (text, record) => masks.text(text, record.client));
  if (masks.masking.payload === 'left-out') return null;
  return replaceText(column, (text, record) => masks.content(text, record.client));
}

/** Numbers, and what is not there, stay as they are. */
function replaceText(column: Column, toText: (text: string, record: RecordDetail) => string): Column {
  const { read } = column;
  return {
    ...column,
    read: (record): ExportValue => {
      const value = read(record);
      return typeof value === 'string' ? toText(value, record) : value;
    },
  };
}
