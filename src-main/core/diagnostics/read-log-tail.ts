import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { ERROR_CODES } from '../../common/contract/errors.ts';
import { OPERATIONS } from '../../common/contract/index.ts';
import type { Trouble } from '../../common/contract/operations/diagnostics.ts';
import { Task } from '../../common/model/cache/task.ts';
import { ENDPOINTS } from '../client/retry.ts';
import { listLogs } from '../logging/create-file-logger.ts';

/** Of each of the last two days. */
const TAIL_BYTES = 256 * 1024;
const DAYS = 2;
/** An error's code, which holds nothing of what was being done. */
const CODE = /^(?:[a-z]+(?:\.[a-z-]+)+|E[A-Z0-9_]{2,40}|ERR_[A-Z0-9_]{2,60}|SQLITE_[A-Z_]{2,40})$/u;

/** What the application itself calls its operations, its tasks and their ends: such a text was written by nobody else. */
const OWN_WORDS: ReadonlySet<unknown> = new Set([
  ...Object.keys(OPERATIONS),
  ...Object.keys(ENDPOINTS),
  ...[...Task.properties.kind.anyOf, ...Task.properties.state.anyOf].map((word) => word.const),
  ...ERROR_CODES,
]);
const NAMED_BY_US = ['operation', 'kind', 'state', 'failure'];
/** Where in the window's own files something failed, and with which kind of error. */
const FAULT_PARTS: Readonly<Record<string, RegExp>> = {
  fault: /^[A-Za-z]{1,60}$/u,
  place: /^[\w.-]{1,80}\.js:\d{1,7}:\d{1,7}$/u,
};

function isOurs(name: string, value: unknown): boolean {
  if (NAMED_BY_US.includes(name)) return OWN_WORDS.has(value);
  return typeof value === 'string' && FAULT_PARTS[name]?.test(value) === true;
}

/** A line of the log, bare of everything that a person or a service wrote. */
export interface BareLine {
  readonly time: string;
  readonly level: string;
  readonly part: string;
  readonly event: string;
  readonly code: string | null;
  /** Which operation or task it is about, and how that ended. */
  readonly words: Readonly<Record<string, string>>;
  /** Its numbers and answers of yes or no. */
  readonly figures: Readonly<Record<string, number | boolean>>;
}

async function readTail(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(Math.min(size, TAIL_BYTES)),
      position: start,
    });
    const text = buffer.toString('utf8', 0, bytesRead);
    // A line that is cut off at its start would be read as another one.
    return start === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    await file.close();
  }
}

function findCode(value: unknown, depth = 0): string | null {
  if (typeof value !== 'object' || value === null || depth > 3) return null;
  const { code } = value as { code?: unknown };
  if (typeof code === 'string' && CODE.test(code)) return code;
  for (const inner of Object.values(value)) {
    const found = findCode(inner, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

function toBareLine(line: string): BareLine | null {
  try {
    const { time, level, part, event, fields } = JSON.parse(line) as Record<string, unknown>;
    if (![time, level, part, event].every((one) => typeof one === 'string')) return null;
    const entries = Object.entries(fields ?? {});
    const words = entries.filter((entry): entry is [string, string] => isOurs(...entry));
    const figures = entries.filter(
      (entry): entry is [string, number | boolean] =>
        typeof entry[1] === 'number' || typeof entry[1] === 'boolean',
    );
    return {
      time: time as string,
      level: level as string,
      part: part as string,
      event: event as string,
      code: findCode(fields),
      words: Object.fromEntries(words),
      figures: Object.fromEntries(figures),
    };
  } catch {
    return null;
  }
}

/** Returns the last lines of the log, oldest first, of the last two days that have one. Lines that are damaged are left out. */
export async function readLogTail(folder: string): Promise<BareLine[]> {
  const names = (await listLogs(folder)).slice(-DAYS);
  const texts = await Promise.all(names.map((name) => readTail(join(folder, name)).catch(() => '')));
  return texts.flatMap((text) => text.split('\n').flatMap((line) => toBareLine(line) ?? []));
}

/** Returns what went wrong, the newest first. */
export function pickTroubles(lines: readonly BareLine[], maxCount: number): Trouble[] {
  return lines
    .flatMap(({ time, level, part, event, code }) =>
      level === 'warn' || level === 'error' ? [{ time, level, part, event, code }] : [],
    )
    .slice(-maxCount)
    .toReversed() as Trouble[];
}
