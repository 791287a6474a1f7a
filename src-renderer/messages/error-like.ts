/** The parts of an AppError that survive a message between processes. */
export interface ErrorLike {
  readonly code: string;
  readonly details?: Readonly<Record<string, string | number>> | undefined;
}

/** Turns what a rejected call threw into an error with a code. Anything without a code is an unexpected error. */
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
