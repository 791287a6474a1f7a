export type Messages = Record<string, unknown>;

/**
 * Gathers the messages of a language from its files, one per feature. A file's name is the first part of each of its
 * keys, its folder none.
 */
export function gatherMessages(files: Readonly<Record<string, Messages>>): Record<string, Messages> {
  return Object.fromEntries(Object.entries(files).map(([path, messages]) => [nameFile(path), messages]));
}

function nameFile(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1, -'.json'.length);
}
