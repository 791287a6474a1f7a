import type { PartContent, PinnedContent } from '../../../common/model/cases/case.ts';
import type { Words } from '../../../common/words/words.ts';

/** A part as it is written: masked, and with its words. */
export type WrittenPart =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'pinned';
      readonly title: string;
      readonly of: string;
      readonly line: readonly string[];
      /** What asking again found; null where nobody did. */
      readonly answer: string | null;
      /** The piece of the line that says that records failed; null where none did. */
      readonly failed: string | null;
      /** Contents of records are left out of it. */
      readonly isCut: boolean;
      readonly content: PartContent;
      /** What was asked, when, and what it found, masked. */
      readonly taken: Pick<
        PinnedContent,
        'kind' | 'connectionName' | 'takenAtMs' | 'coverage' | 'figures' | 'question'
      >;
      /** A link into the window; null where it would say what is masked. */
      readonly place: string | null;
    };

/** Everything that an exported case says. */
export interface WrittenCase {
  readonly title: string;
  readonly parts: readonly WrittenPart[];
  /** Sentences about the document as a whole. */
  readonly facts: readonly string[];
  readonly words: Words;
  readonly applicationVersion: string;
}
