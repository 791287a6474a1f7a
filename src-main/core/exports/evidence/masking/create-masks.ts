import { joinJsonTexts, toPlainText, type JsonTexts } from '../../../../common/json/exact-json.ts';
import type { EvidenceMasking } from '../../../../common/model/exports/evidence-options.ts';
import { createErrorMasks } from './create-error-masks.ts';
import { replaceSpans, type ClientSpan, type KnownClients } from './known-clients.ts';
import type { Masks } from './masks.ts';
import type { ToPseudonym } from './pseudonyms.ts';

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
