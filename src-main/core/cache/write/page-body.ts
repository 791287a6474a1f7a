import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { AppError } from '../../../common/contract/errors.ts';

// Higher levels take longer and make the repetitive pages of reports hardly smaller, or larger.
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 } };

/** Compresses the body of a page with zstd; a checksum is part of it. */
export function packBody(body: Uint8Array): Buffer {
  return zstdCompressSync(body, OPTIONS);
}

/** Bodies take several times as much room as when packed: in larger pieces, fewer ones are put together. */
const PIECE_RATIO = 8;
const [LEAST_PIECE_BYTES, MOST_PIECE_BYTES] = [16_384, 4_194_304];

/** Returns the body as received. Throws AppError `cache.page-damaged` for bytes that are not what was packed. */
export function unpackBody(packed: Uint8Array): Buffer {
  try {
    const chunkSize = Math.min(Math.max(packed.length * PIECE_RATIO, LEAST_PIECE_BYTES), MOST_PIECE_BYTES);
    return zstdDecompressSync(packed, { chunkSize });
  } catch (cause) {
    throw new AppError('cache.page-damaged', 'The stored page is damaged.', {}, cause);
  }
}
