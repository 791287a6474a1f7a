import { AppError, type ErrorCode } from '../../common/contract/errors.ts';
import { toErrorText } from '../../node/error-text.ts';

/**
 * Keychains of three systems report in prose, without codes; this is the one place that reads such texts.
 * The first row that matches wins, so the narrow ones stand first.
 */
const SYSTEM_TEXTS: readonly (readonly [ErrorCode, RegExp])[] = [
  ['secrets.too-large', /stub received bad data|\b1783\b|too (large|long|big)|exceeds/i],
  [
    'secrets.denied',
    /dismiss|cancel|denied|not permitted|not allowed to|passphrase|authori[sz]|authenticat/i,
  ],
  ['secrets.locked', /\blocked\b|unlock|interaction is not allowed|\bislocked\b/i],
  ['secrets.missing', /item could not be found|element not found|\b1168\b|no such (item|secret object)/i],
  [
    'secrets.no-keychain',
    /d-?bus|\.service files|does not exist at path|org\.freedesktop|keychain (could not be|cannot be) found|no keychain|no such keychain|keychain is not available|logon session|failed to load|libsecret|connect/i,
  ],
];

/** Converts a keychain's error to its code; an unknown text counts as `secrets.denied`. */
export function toKeychainError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const text = toErrorText(error);
  const code = SYSTEM_TEXTS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'secrets.denied';
  return new AppError(code, 'The keychain refused.', { reason: text.slice(0, 200) }, error);
}
