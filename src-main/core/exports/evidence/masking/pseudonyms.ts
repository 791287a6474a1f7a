import { createHmac } from 'node:crypto';
import { toClientKey } from './known-clients.ts';

/** Digits and letters that are not taken for one another when they are read aloud or copied by hand. */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
/** Sixty bits: among ten million clients two have the same pseudonym with a chance of 1 in 20,000. */
const CHARACTERS = 12;
const MAX_REMEMBERED = 50_000;

/** Gives the pseudonym of a client, or of its key: always the same for the same one. */
export type ToPseudonym = (client: string) => string;

/**
 * Makes pseudonyms such as `client-3k9t2m7qx0ab` with a secret key: whoever doesn't have it can't try out numbers or
 * names to find the client behind one.
 */
export function createPseudonyms(key: Uint8Array): ToPseudonym {
  const remembered = new Map<string, string>();
  return (client) => {
    if (client === '') return '';
    const known = remembered.get(client);
    if (known !== undefined) return known;
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    const digest = createHmac('sha256', key).update(toClientKey(client)).digest();
    const letters = Array.from(
      digest.subarray(0, CHARACTERS),
      (byte) => LETTERS[byte % LETTERS.length] ?? '',
    );
    const pseudonym = `client-${letters.join('')}`;
    remembered.set(client, pseudonym);
    return pseudonym;
  };
}
