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
