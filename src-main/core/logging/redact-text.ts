const REMOVED = '[redacted]';
/** Longer texts are cut before patterns run over them; every pattern below is bounded as well. */
const MAX_TEXT_CHARS = 16_384;

const SECRET_NAME =
  '(?:authorization|cookie|token|secret|passw|passphrase|pwd|xsrf|csrf|credential|api[-_]?key)';

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)\s+[^\s"',;]+/giu, `$1 ${REMOVED}`],
  [/\beyJ[\w-]{4,}\.[\w-]*(?:\.[\w-]*)?/gu, REMOVED],
  // user:password@ of an address
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#"'<>]*@/giu, `$1${REMOVED}@`],
  [/([?&][^=&\s#"'<>]{1,100}=)[^&\s#"'<>]*/gu, `$1${REMOVED}`],
  // name=value and "name": "value" inside texts
  [
    new RegExp(
      `([\\w-]{0,40}${SECRET_NAME}[\\w-]{0,40}\\\\*["']?\\s{0,3}[:=]\\s{0,3}\\\\*)("[^"]*"?|'[^']*'?|[^\\s"'&,;}]+)`,
      'giu',
    ),
    `$1${REMOVED}`,
  ],
  [/[\p{L}\p{N}._%+-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}/gu, REMOVED],
  // Opaque tokens mix both cases and digits; hash sums and identifiers do not.
  [/(?<![\w-])(?=[\w-]{0,200}[a-z])(?=[\w-]{0,200}[A-Z])(?=[\w-]{0,200}\d)[\w-]{32,}={0,2}/gu, REMOVED],
  [
    /(\/home\/|\/Users\/|\b[a-z]:(?:\\{1,2}|\/)Users(?:\\{1,2}|\/)|%2FUsers%2F|%2Fhome%2F)[^\\/\s"'%:]+/giu,
    '~',
  ],
];

/**
 * Replaces what must not be logged in a text: tokens, credentials, e-mail addresses, user names and query
 * values of addresses, and what `pathPattern`, made by `toPathPattern`, finds.
 */
export function redactText(text: string, pathPattern: RegExp | null): string {
  let clean = text.length > MAX_TEXT_CHARS ? text.slice(0, MAX_TEXT_CHARS) : text;
  if (pathPattern !== null) clean = clean.replace(pathPattern, '~');
  for (const [pattern, replacement] of PATTERNS) clean = clean.replace(pattern, replacement);
  return clean;
}

/** One pattern for folders in every spelling that logs may hold; null without folders. */
export function toPathPattern(folders: readonly string[]): RegExp | null {
  const variants = folders
    .filter((folder) => folder.length > 1)
    .flatMap((folder) => [folder, folder.normalize('NFC'), folder.normalize('NFD')])
    .flatMap((folder) => [folder, folder.replaceAll('\\', '/'), folder.replaceAll('/', '\\')])
    .flatMap((folder) => [
      folder,
      folder.replaceAll('\\', '\\\\'),
      encodeURI(folder),
      encodeURIComponent(folder),
    ]);
  if (variants.length === 0) return null;
  const sorted = [...new Set(variants)].sort((a, b) => b.length - a.length);
  return new RegExp(`(?:${sorted.map(escapePattern).join('|')})(?![\\w-])`, 'giu');
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
