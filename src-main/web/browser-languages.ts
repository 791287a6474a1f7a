/** The languages of the browser that shows the window. */
export interface BrowserLanguages {
  /** The preferred one first; those of this process until a browser came. */
  list(): readonly string[];
  /** Takes over what a browser says when it asks for the page. */
  note(header: string | undefined): void;
}

const MAX_LANGUAGES = 20;

/** Starts with the language of this process, which takes a moment to find out, and is asked for where no browser comes. */
export function createBrowserLanguages(): BrowserLanguages {
  let languages: readonly string[] | null = null;
  return {
    list: () => (languages ??= [Intl.DateTimeFormat().resolvedOptions().locale]),
    note(header) {
      const given = readAcceptLanguage(header ?? '');
      if (given.length > 0) languages = given;
    },
  };
}

/** Reads an Accept-Language header (RFC 9110, section 12.5.4); what weighs nothing is left out. */
export function readAcceptLanguage(header: string): readonly string[] {
  return header
    .split(',', MAX_LANGUAGES)
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((text) => text.trim());
      const quality = parameters.find((text) => text.startsWith('q='));
      return { tag, weight: quality === undefined ? 1 : Number(quality.slice(2)) };
    })
    .filter(({ tag, weight }) => /^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i.test(tag) && weight > 0)
    .toSorted((first, second) => second.weight - first.weight)
    .map(({ tag }) => tag);
}
