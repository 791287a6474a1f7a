import { realpathSync } from 'node:fs';
import { appendFile, chmod, readdir, readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { ERROR_CODES } from '../../common/contract/errors.ts';
import { isFolderGone } from '../../node/claim-folder.ts';
import {
  makePrivateFolder,
  PRIVATE_FILE_MODE,
  retryWhileHeld,
  tryToRemove,
  writeFileAtomically,
} from '../../node/files.ts';

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
function redact(value: unknown, pathPattern: RegExp | null): unknown {
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

/** Fields of a log line; redaction happens at the sink, by key name and by pattern. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes log lines: a fixed event text and fields. Never throws. */
export interface Logger {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** A logger whose lines carry the name of a part of the core. */
  child(part: string): Logger;
}

const FILES_KEPT = 14;
const MAX_DAY_BYTES = 32 * 1024 * 1024;
/** Lines that a full or broken disk doesn't take must not fill the memory. */
const MAX_WAITING_LINES = 2000;

export interface FileLogger extends Logger {
  /** Changes the lines of every log that is there, between two writes. Rejects where a file can't be replaced. */
  rewrite(change: (line: string) => string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Writes JSON lines to a file for each UTC day, readable by its owner only; the newest 14 files stay. A
 * day's file takes 32 MB, and says so when it is full.
 * Folders of the user (`homeFolders`, by default the home folder) and the log's own are redacted. Never throws.
 */
export function createFileLogger(options: {
  folder: string;
  now(): number;
  homeFolders?: string[];
  /** Takes secrets out of a line, whatever escapes it holds them in. */
  clean?: (line: string) => string;
  maxDayBytes?: number;
}): FileLogger {
  const { folder, now, homeFolders = [homedir()], maxDayBytes = MAX_DAY_BYTES } = options;
  const { clean = (line: string): string => line } = options;
  const pathPattern = toPathPattern([...homeFolders, folder].flatMap((path) => [path, resolveLinks(path)]));
  let waiting: { fileName: string; line: string }[] = [];
  let writing: Promise<void> | null = null;
  const rewrites: (() => Promise<void>)[] = [];
  const kept = new Set<string>();
  let openFileName = '';
  let openFileBytes = 0;

  async function prepare(fileName: string): Promise<void> {
    makePrivateFolder(folder);
    await add(fileName, '');
    await chmod(join(folder, fileName), PRIVATE_FILE_MODE);
    openFileBytes = (await stat(join(folder, fileName))).size;
    openFileName = fileName;
    const logs = await listLogs(folder);
    for (const old of logs.slice(0, -FILES_KEPT)) {
      await tryToRemove(join(folder, old), (error) => noteKept(old, error), { maxWaitMs: 0 });
    }
  }

  /** Said once for each file, so that the line about a full file doesn't cause another. */
  function noteKept(file: string, error: unknown): void {
    if (kept.has(file)) return;
    kept.add(file);
    append('warn', 'log', 'old log can not be removed', { file, error });
  }

  function add(fileName: string, text: string): Promise<void> {
    const path = join(folder, fileName);
    return retryWhileHeld({ path, action: 'open' }, () =>
      appendFile(path, text, { mode: PRIVATE_FILE_MODE }),
    );
  }

  async function write(lines: typeof waiting): Promise<void> {
    // A data folder that was removed isn't made again, and one that took its place is left alone.
    if (isFolderGone(folder)) {
      openFileName = '';
      return;
    }
    for (const [fileName, group] of Map.groupBy(lines, (line) => line.fileName)) {
      if (fileName !== openFileName) await prepare(fileName);
      const text = cutToSpace(group.map(({ line }) => line));
      if (text === '') continue;
      await add(fileName, text);
      openFileBytes += Buffer.byteLength(text);
    }
  }

  /** Lines as far as the day has room for them; the first that hasn't becomes the note that the file is full. */
  function cutToSpace(lines: readonly string[]): string {
    let text = '';
    let sizeBytes = openFileBytes;
    for (const line of lines) {
      if (sizeBytes >= maxDayBytes) return text;
      const lineBytes = Buffer.byteLength(line);
      const isFull = sizeBytes + lineBytes > maxDayBytes;
      text += isFull
        ? formatLogLine(
            { atMs: now(), level: 'warn', part: 'log', event: 'full for today', fields: {} },
            pathPattern,
          )
        : line;
      sizeBytes += isFull ? maxDayBytes : lineBytes;
    }
    return text;
  }

  async function drain(): Promise<void> {
    while (waiting.length + rewrites.length > 0) {
      await rewrites.shift()?.();
      const lines = waiting;
      waiting = [];
      try {
        await write(lines);
      } catch {
        // A log that can't be written must not stop anything; the folder is checked again next time.
        openFileName = '';
      }
    }
    writing = null;
  }

  function append(level: LogEntry['level'], part: string, event: string, fields: LogFields): void {
    try {
      if (waiting.length >= MAX_WAITING_LINES) return;
      const atMs = now();
      const fileName = `channelscope-${new Date(atMs).toISOString().slice(0, 10)}.log`;
      const line = formatLogLine({ atMs, level, part, event, fields }, pathPattern);
      waiting.push({ fileName, line: clean(line) });
      writing ??= Promise.resolve().then(drain);
    } catch {
      // Logging never throws, whatever its fields hold.
    }
  }

  function createPart(part: string): Logger {
    return {
      info: (event, fields = {}) => append('info', part, event, fields),
      warn: (event, fields = {}) => append('warn', part, event, fields),
      error: (event, fields = {}) => append('error', part, event, fields),
      child: (name) => createPart(part === '' ? name : `${part}/${name}`),
    };
  }

  return {
    ...createPart(''),
    rewrite: (change) =>
      new Promise((resolve, reject) => {
        rewrites.push(async () => {
          await rewriteLogs(folder, change).then(resolve, reject);
          // The file of today may be another one, and shorter.
          openFileName = '';
        });
        writing ??= Promise.resolve().then(drain);
      }),
    async close() {
      while (writing !== null) await writing;
    },
  };
}

function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const MAX_LINE_BYTES = 8192;
/** Six bytes for a character at worst, so a line cut to this stays below the limit. */
const MAX_REST_CHARS = 1000;
const MAX_EVENT_CHARS = 200;
/** What JSON leaves as it is, and terminals and viewers obey: controls, direction marks, zero width. */
const UNESCAPED_CONTROLS = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

interface LogEntry {
  readonly atMs: number;
  readonly level: 'info' | 'warn' | 'error';
  readonly part: string;
  readonly event: string;
  readonly fields: LogFields;
}

/** One line of JSON, at most 8,192 bytes with its line break, redacted, with every control character escaped. */
export function formatLogLine(entry: LogEntry, pathPattern: RegExp | null): string {
  const head = {
    time: new Date(entry.atMs).toISOString(),
    level: entry.level,
    part: String(redact(entry.part, pathPattern)).slice(0, MAX_EVENT_CHARS),
    event: String(redact(entry.event, pathPattern)).slice(0, MAX_EVENT_CHARS),
  };
  const fields = redact(entry.fields, pathPattern);
  const line = toLine({ ...head, fields });
  if (Buffer.byteLength(line) <= MAX_LINE_BYTES) return line;
  return toLine({ ...head, cut: JSON.stringify(fields).slice(0, MAX_REST_CHARS) });
}

function toLine(value: unknown): string {
  const json = JSON.stringify(value).replace(
    UNESCAPED_CONTROLS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${json}\n`;
}

const LOG_FILE = /^channelscope-\d{4}-\d{2}-\d{2}\.log$/;
/** Lines between two pauses, in which others get their turn. */
const LINES_AT_ONCE = 500;

/** Returns the names of the logs in a folder, oldest first. */
export async function listLogs(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => LOG_FILE.test(name)).sort();
}

/** Changes every line of every log; a file in which nothing changes is left alone. Throws where one can't be replaced. */
async function rewriteLogs(folder: string, change: (line: string) => string): Promise<void> {
  for (const name of await listLogs(folder)) {
    const path = join(folder, name);
    const lines = (await readFile(path, 'utf8')).split('\n');
    let isChanged = false;
    for (const [at, line] of lines.entries()) {
      const changed = change(line);
      isChanged ||= changed !== line;
      lines[at] = changed;
      if (at % LINES_AT_ONCE === LINES_AT_ONCE - 1) await pause();
    }
    if (isChanged) await writeFileAtomically(path, lines.join('\n'));
  }
}
