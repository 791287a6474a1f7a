import type { EvidenceMasking } from '../../../../common/model/exports/evidence-options.ts';
import { toErrorPattern } from '../../../analysis/families/learn-families.ts';
import type { Masks, MaskedRecord, NamedFamily } from './masks.ts';
import { replaceSpans, type ClientSpan } from './known-clients.ts';
import { findQuotedContent, holdsWhole } from './quoted-content.ts';

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
export function createErrorMasks(
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
