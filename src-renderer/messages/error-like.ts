/** An AppError, or what is left of one after a message or a task. */
export interface ErrorLike {
  readonly code: string;
  readonly details?: Readonly<Record<string, string | number>> | undefined;
}

/** What a rejected call of the backend says; anything without a code is an unexpected error. */
export function toErrorLike(thrown: unknown): ErrorLike {
  if (typeof thrown === 'object' && thrown !== null && 'code' in thrown && typeof thrown.code === 'string') {
    const details = 'details' in thrown ? thrown.details : undefined;
    return { code: thrown.code, details: isDetails(details) ? details : {} };
  }
  return { code: 'app.bug', details: {} };
}

function isDetails(value: unknown): value is Record<string, string | number> {
  return typeof value === 'object' && value !== null;
}
