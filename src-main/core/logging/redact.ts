import { ERROR_CODES } from '../../common/contract/errors.ts';

const REMOVED = '[redacted]';
const MAX_DEPTH = 8;
const MAX_ENTRIES = 100;
const MAX_DETAIL_CHARS = 2000;

const SECRET_KEY =
  /authorization|cookie|token|secret|passw|passphrase|pwd|xsrf|csrf|credential|(^|[-_.\s])keys?($|[-_.\sA-Z])|[a-z\d]Keys?($|[-_.\sA-Z])|(api|private|access)keys?$/;
/** Names of secrets in authorisation flows that are plain words elsewhere. */
const DOUBTFUL_KEY = /^(code|state)$/i;
const KNOWN_WORDS: ReadonlySet<unknown> = new Set([
  ...ERROR_CODES,
  ...['running', 'done', 'failed', 'cancelled', 'downloading', 'paused', 'complete', 'incomplete'],
  ...['stopped', 'starting', 'stopping', 'up', 'down', 'unknown', 'unreachable', 'not-checked'],
]);
const SYSTEM_CODE = /^(E[A-Z0-9]{2,20}|(ERR|SQLITE|UND_ERR|CERT|DEPTH)_[A-Z0-9_]{2,60})$/;

/**
 * What a log line may hold of a value: secrets removed by key name at any depth, then texts by pattern.
 * Never throws; circular, deep and long values are cut.
 */
export function redact(value: unknown, pathPattern: RegExp | null): unknown {
  return redactValue(value, { pathPattern, above: new Set(), depth: 0 });
}

interface Place {
  readonly pathPattern: RegExp | null;
  readonly above: ReadonlySet<object>;
  readonly depth: number;
}

function redactValue(value: unknown, place: Place): unknown {
  switch (typeof value) {
    case 'string':
      return redactText(value, place.pathPattern).slice(0, MAX_DETAIL_CHARS);
    case 'bigint':
    case 'symbol':
      return redactText(String(value), place.pathPattern);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'function':
      return '[function]';
    case 'object':
      return value === null ? null : redactObject(value, place);
    default:
      return value;
  }
}

function redactObject(value: object, place: Place): unknown {
  if (place.above.has(value)) return '[circular]';
  if (place.depth >= MAX_DEPTH) return '[deep]';
  const inside = { ...place, above: new Set([...place.above, value]), depth: place.depth + 1 };
  try {
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
    if (value instanceof URL) return redactValue(value.href, inside);
    if (value instanceof Error) return redactError(value, inside);
    if (value instanceof Map) return redactEntries([...value.entries()], inside);
    if (value instanceof Set) return redactList([...value], inside);
    if (Array.isArray(value)) return redactList(value, inside);
    return redactEntries(Object.entries(value), inside);
  } catch {
    return '[unreadable]';
  }
}

function redactList(values: readonly unknown[], place: Place): unknown[] {
  return values.slice(0, MAX_ENTRIES).map((value) => redactValue(value, place));
}

function redactEntries(entries: readonly (readonly [unknown, unknown])[], place: Place): unknown {
  const clean: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [key, value] of entries.slice(0, MAX_ENTRIES)) {
    const name = typeof key === 'string' || typeof key === 'number' ? String(key) : `[${typeof key}]`;
    clean[redactText(name, place.pathPattern).slice(0, 100)] = mustHide(name, value)
      ? REMOVED
      : redactValue(value, place);
  }
  return clean;
}

/** The stack repeats the message, so it passes the same patterns. Own fields carry codes and details. */
function redactError(error: Error, place: Place): unknown {
  const { name, message, cause, stack } = error;
  const fields = { name, message, cause, stack };
  return redactEntries([...Object.entries(fields), ...Object.entries(error)], place);
}

function mustHide(name: string, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'boolean') return false;
  if (SECRET_KEY.test(name) || SECRET_KEY.test(name.toLowerCase())) return true;
  if (!DOUBTFUL_KEY.test(name)) return false;
  return typeof value === 'string' && !KNOWN_WORDS.has(value) && !SYSTEM_CODE.test(value);
}

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
function redactText(text: string, pathPattern: RegExp | null): string {
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
