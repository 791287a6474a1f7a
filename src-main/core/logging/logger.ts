import { realpathSync } from 'node:fs';
import { appendFile, chmod, readdir, readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { isFolderGone } from '../../node/claim-folder.ts';
import {
  makePrivateFolder,
  PRIVATE_FILE_MODE,
  retryWhileHeld,
  tryToRemove,
  writeFileAtomically,
} from '../../node/files.ts';
import { redact, toPathPattern } from './redact.ts';

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
