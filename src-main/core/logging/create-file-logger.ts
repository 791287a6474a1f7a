import { realpathSync } from 'node:fs';
import { appendFile, chmod, readdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { makePrivateFolder, PRIVATE_FILE_MODE } from '../../node/private-files.ts';
import { formatLogLine, type LogEntry } from './format-log-line.ts';
import type { LogFields, Logger } from './logger.ts';
import { toPathPattern } from './redact-text.ts';

const FILES_KEPT = 14;
/** A disk that does not take lines must not fill the memory. */
const MAX_WAITING_LINES = 2000;
const LOG_FILE = /^channelscope-\d{4}-\d{2}-\d{2}\.log$/;

/**
 * Writes JSON lines to a file for each UTC day, readable by its owner only; the newest 14 files stay.
 * Folders of the user (`homeFolders`, by default the home folder) and the log's own are redacted. Never throws.
 */
export function createFileLogger(options: {
  folder: string;
  now(): number;
  homeFolders?: string[];
}): Logger & { close(): Promise<void> } {
  const { folder, now, homeFolders = [homedir()] } = options;
  const pathPattern = toPathPattern([...homeFolders, folder].flatMap((path) => [path, resolveLinks(path)]));
  let waiting: { fileName: string; line: string }[] = [];
  let writing: Promise<void> | null = null;
  let openFileName = '';

  async function prepare(fileName: string): Promise<void> {
    makePrivateFolder(folder);
    await appendFile(join(folder, fileName), '', { mode: PRIVATE_FILE_MODE });
    await chmod(join(folder, fileName), PRIVATE_FILE_MODE);
    openFileName = fileName;
    const logs = (await readdir(folder)).filter((name) => LOG_FILE.test(name)).sort();
    for (const old of logs.slice(0, -FILES_KEPT)) await rm(join(folder, old), { force: true });
  }

  async function write(lines: typeof waiting): Promise<void> {
    for (const [fileName, group] of Map.groupBy(lines, (line) => line.fileName)) {
      if (fileName !== openFileName) await prepare(fileName);
      await appendFile(join(folder, fileName), group.map(({ line }) => line).join(''), {
        mode: PRIVATE_FILE_MODE,
      });
    }
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
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
      waiting.push({ fileName, line: formatLogLine({ atMs, level, part, event, fields }, pathPattern) });
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
