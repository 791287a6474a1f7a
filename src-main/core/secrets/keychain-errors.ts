import { AppError } from '../../common/contract/errors.ts';
import { toErrorText } from '../../node/error-text.ts';

/**
 * The name or path of the Secret Service, which stands in errors of a system that has none. Nothing else in the texts of
 * keychains is looked at: they are in the language of the system.
 */
const SECRET_SERVICE = /org[./]freedesktop[./]secrets/;

/** Converts a keychain's error to its code: `secrets.denied`, or `secrets.no-keychain`. Returns an AppError as it is. */
export function toKeychainError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const text = toErrorText(error);
  const code = SECRET_SERVICE.test(text) ? 'secrets.no-keychain' : 'secrets.denied';
  return new AppError(code, 'The keychain refused.', { reason: text.slice(0, 200) }, error);
}
