const UNWRITABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Replaces what a file of text can't hold, and counts it. */
export interface TextCleaner {
  /** Returns the text with U+FFFD for NUL and for each half of a surrogate pair. */
  clean(text: string): string;
  countReplaced(): number;
}

/** Makes a cleaner; `pattern` finds what is replaced, where a format can hold less than others. */
export function createTextCleaner(pattern: RegExp = UNWRITABLE): TextCleaner {
  let replaced = 0;
  return {
    clean: (text) =>
      text.replace(pattern, () => {
        replaced += 1;
        return '\ufffd';
      }),
    countReplaced: () => replaced,
  };
}
