import { AppError } from '../../common/contract/errors.ts';
import { createGate } from '../../node/gate.ts';
import { cleanBody, cleanBodyInTurns, cleanWhole, type CleanedBody } from './clean-body.ts';
import { toSecretForms, type SecretForms } from './secret-forms.ts';
import { createSecretSearch, type SecretSearch } from './secret-search.ts';

/** Takes secrets and tokens that it knows out of what services send back. */
export interface SecretCleaner {
  /** Makes a secret known: it stays so as long as the cleaner is held, if it is among the last that were noted. */
  note(secret: string): void;
  /** Returns the text without any form of a known secret; JSON stays JSON. */
  cleanText(text: string): string;
  /** Returns a body without them: the given one where nothing was found. */
  cleanBody(bytes: ArrayBuffer): CleanedBody;
  /** The same for a body of any size: others get their turn while it is searched. */
  cleanBodyInTurns(bytes: ArrayBuffer): Promise<CleanedBody>;
  /** Returns the error with clean words. */
  cleanError(error: AppError): AppError;
}

/** All secrets of the application; each user of secrets has a cleaner of its own. */
export interface KnownSecrets {
  /** Returns a text without the secrets of all cleaners. */
  cleanText(text: string): string;
  /**
   * Makes a cleaner. Its texts are cleaned of all secrets that are known, its bodies only of those noted with it, since
   * pages are large and other secrets have no way into them.
   */
  createCleaner(): SecretCleaner;
}

/** Shorter texts are in other words by chance, and hardly secret. */
const MIN_TEXT_CHARACTERS = 4;
/** In a page, a shorter one may be a word of somebody's message, which would be taken out of a record. */
const MIN_BODY_CHARACTERS = 8;
/** Of cleaners that nobody holds any longer: texts about what they did may still come. */
const MAX_RECENT = 64;
/** Two secrets, and tokens of the last hours. */
const MAX_OWN = 8;
/** A search takes additions, and is made anew to forget; that of bodies, which are large, sooner. */
const MAX_FORGOTTEN = 64;
const MAX_FORGOTTEN_OWN = 8;

/** Makes the list of what is known, empty. */
export function createKnownSecrets(): KnownSecrets {
  const compiled = new Map<string, SecretForms>();
  /** Those of cleaners that are held; a cleaner of a test goes with it. */
  const held = new Set<WeakRef<readonly SecretForms[][]>>();
  let recent: readonly SecretForms[] = [];
  let search = createSecretSearch();

  function listKept(): Set<SecretForms> {
    const kept = new Set(recent);
    for (const reference of held) {
      const lists = reference.deref();
      if (lists === undefined) held.delete(reference);
      else for (const forms of lists.flat()) kept.add(forms);
    }
    return kept;
  }
  function forget(): void {
    const kept = listKept();
    if (compiled.size <= kept.size + MAX_FORGOTTEN) return;
    compiled.clear();
    search = createSecretSearch();
    for (const forms of kept) {
      compiled.set(forms.secret, forms);
      search.add(forms);
    }
  }
  function compile(secret: string): SecretForms {
    let forms = compiled.get(secret);
    if (forms === undefined) {
      forms = toSecretForms(secret);
      compiled.set(secret, forms);
      search.add(forms);
    }
    recent = [...recent.filter((each) => each !== forms), forms].slice(-MAX_RECENT);
    forget();
    return forms;
  }
  const cleanText = (text: string): string => (search.mayHold(text) ? cleanWhole(text, search).text : text);

  return {
    cleanText,
    createCleaner() {
      const own: SecretForms[][] = [[]];
      held.add(new WeakRef(own));
      let inBodies: SecretSearch = createSecretSearch();
      let forgotten = 0;
      // Each body takes its part of a turn, and pages of several walks may arrive at once.
      const oneAtATime = createGate(1);

      return {
        note: (secret) => {
          if (secret.length < MIN_TEXT_CHARACTERS) return;
          const before = own[0] ?? [];
          if (before.at(-1)?.secret === secret) return;
          const forms = compile(secret);
          const next = [...before.filter((each) => each.secret !== secret), forms];
          own[0] = next.slice(-MAX_OWN);
          forgotten += next.length - own[0].length;
          if (forgotten > MAX_FORGOTTEN_OWN) {
            inBodies = createSecretSearch();
            forgotten = 0;
          }
          for (const each of own[0]) if (each.secret.length >= MIN_BODY_CHARACTERS) inBodies.add(each);
        },
        cleanText,
        cleanBody: (bytes) => cleanBody(bytes, inBodies),
        cleanBodyInTurns: (bytes) => oneAtATime(() => cleanBodyInTurns(bytes, inBodies)),
        cleanError: ({ code, message, details, cause }) => {
          const clean = Object.entries(details).map(
            ([name, value]) => [name, typeof value === 'string' ? cleanText(value) : value] as const,
          );
          return new AppError(code, cleanText(message), Object.fromEntries(clean), cause);
        },
      };
    },
  };
}
