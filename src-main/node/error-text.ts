/** The message of an error, or whatever else was thrown as text. For people; nothing branches on it. */
export function toErrorText(error: unknown): string {
  // A name that stands for several addresses, none of which answered.
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map(toErrorText).join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** The message of an error with that of its cause in parentheses. */
export function toErrorTextWithCause(error: Error): string {
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}

/** The code that the system, Node or SQLite gave an error (`ENOSPC`, `SQLITE_BUSY`), or null. */
export function findErrorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
