import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { AppError } from '../../../common/contract/errors.ts';

// Higher levels take longer and make the repetitive pages of reports hardly smaller, or larger.
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 } };

/** Compresses the body of a page with zstd; a checksum is part of it. */
export function packBody(body: Uint8Array): Buffer {
  return zstdCompressSync(body, OPTIONS);
}

/** Returns the body as received. Throws AppError `cache.page-damaged` for bytes that are not what was packed. */
export function unpackBody(packed: Uint8Array): Buffer {
  try {
    return zstdDecompressSync(packed);
  } catch (cause) {
    throw new AppError('cache.page-damaged', 'The stored page is damaged.', {}, cause);
  }
}
