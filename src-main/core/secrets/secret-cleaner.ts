import { AppError } from '../../common/contract/errors.ts';
import { cleanBody, type CleanedBody } from './clean-body.ts';
import { toSecretForms, type SecretForms } from './secret-forms.ts';
import { createSecretSearch } from './secret-search.ts';

/** Takes secrets and tokens that it knows out of what services send back. */
export interface SecretCleaner {
  /** Makes a secret known; of many, those noted last stay known. */
  note(secret: string): void;
  /** Returns the text without any form of a known secret. */
  cleanText(text: string): string;
  /** Returns a body without them: the given one where nothing was found. */
  cleanBody(bytes: ArrayBuffer): CleanedBody;
  /** Returns the error with clean words. */
  cleanError(error: AppError): AppError;
}

/** Shorter texts are in other words by chance, and hardly secret. */
const MIN_TEXT_CHARACTERS = 4;
/** In a page, a shorter one may be a word of somebody's message, which would be taken out of a record. */
const MIN_BODY_CHARACTERS = 8;
const MAX_SHARED = 64;
/** Two secrets, and tokens of the last hours. */
const MAX_OWN = 8;

interface KnownSecret extends SecretForms {
  readonly secret: string;
}

/**
 * Makes a cleaner. With `shared`, whatever is noted is noted there too, and texts are cleaned of all that others
 * noted; bodies are only searched for what was noted here, since pages are large.
 */
export function createSecretCleaner(shared: SecretCleaner | null = null): SecretCleaner {
  let known: readonly KnownSecret[] = [];
  let inTexts = createSecretSearch([]);
  let inBodies = createSecretSearch([]);
  const limit = shared === null ? MAX_SHARED : MAX_OWN;
  const cleanText = shared?.cleanText ?? ((text: string): string => inTexts.clean(text).text);

  return {
    note: (secret) => {
      shared?.note(secret);
      if (secret.length < MIN_TEXT_CHARACTERS || known.at(-1)?.secret === secret) return;
      const same = known.find((each) => each.secret === secret);
      const others = known.filter((each) => each !== same);
      known = [...others, same ?? { secret, ...toSecretForms(secret) }].slice(-limit);
      inTexts = createSecretSearch(known);
      inBodies = createSecretSearch(known.filter((each) => each.secret.length >= MIN_BODY_CHARACTERS));
    },
    cleanText,
    cleanBody: (bytes) => cleanBody(bytes, inBodies),
    cleanError: ({ code, message, details, cause }) => {
      const clean = Object.entries(details).map(
        ([name, value]) => [name, typeof value === 'string' ? cleanText(value) : value] as const,
      );
      return new AppError(code, cleanText(message), Object.fromEntries(clean), cause);
    },
  };
}
