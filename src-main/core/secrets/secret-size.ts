import { AppError } from '../../common/contract/errors.ts';

/** Windows takes about 2,500 bytes, by some counts in UTF-16; 1 KiB of UTF-8 fits everywhere. */
const MAX_SECRET_BYTES = 1024;

/** Throws `secrets.too-large` over 1,024 bytes of UTF-8, and `app.invalid-input` for an empty secret. */
export function checkSecretSize(value: string): void {
  if (value === '') throw new AppError('app.invalid-input', 'A secret is empty.', { field: 'secret' });
  // Never the length itself: it helps to guess.
  if (Buffer.byteLength(value, 'utf8') > MAX_SECRET_BYTES) {
    throw new AppError('secrets.too-large', 'A secret is too long for the keychain.', {
      maxBytes: MAX_SECRET_BYTES,
    });
  }
}
