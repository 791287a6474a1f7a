import type { LogFields } from './logger.ts';
import { redact } from './redact.ts';

const MAX_LINE_BYTES = 8192;
/** Six bytes for a character at worst, so a line cut to this stays below the limit. */
const MAX_REST_CHARS = 1000;
const MAX_EVENT_CHARS = 200;
/** What JSON leaves as it is, and terminals and viewers obey: controls, direction marks, zero width. */
const UNESCAPED_CONTROLS = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

export interface LogEntry {
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
