import { findForms } from './find-forms.ts';
import { createByteScan } from './scan-bytes.ts';
import type { SecretForms } from './secret-forms.ts';

/** Stands in place of what was removed. */
const REMOVED = '[removed]';

/** A search for all forms of some secrets. */
export interface SecretSearch {
  /** A quick test that most texts fail. */
  mayHold(text: string): boolean;
  /** The same for the bytes of a page. */
  mayBytesHold(bytes: ArrayBuffer): boolean;
  /** Removes every form; `removed` is how many there were. */
  clean(text: string): { readonly text: string; readonly removed: number };
}

/** Prepares a search. */
export function createSecretSearch(known: readonly SecretForms[]): SecretSearch {
  const forms = known.flatMap(({ texts }) => texts);
  const { mayHold, mayBytesHold } = createQuickTests(known);
  return {
    mayHold,
    mayBytesHold,
    clean: (text) => {
      const ranges = mayHold(text) ? findForms(text, forms) : [];
      let [clean, done] = ['', 0];
      for (const [from, to] of ranges) {
        clean += text.slice(done, from) + REMOVED;
        done = to;
      }
      return { text: clean + text.slice(done), removed: ranges.length };
    },
  };
}

function createQuickTests(known: readonly SecretForms[]): Pick<SecretSearch, 'mayHold' | 'mayBytesHold'> {
  const lists = known.map(({ anchors }) => anchors);
  if (known.length === 0 || lists.includes(null)) {
    const answer = (): boolean => known.length > 0;
    return { mayHold: answer, mayBytesHold: answer };
  }
  const anchors = [...new Set(lists.flatMap((each) => each ?? []))];
  const sources = anchors.map((text) =>
    text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replaceAll('\0', '\\x00'),
  );
  const pattern = new RegExp(sources.join('|'));
  return { mayHold: (text) => pattern.test(text), mayBytesHold: createByteScan(anchors) };
}
