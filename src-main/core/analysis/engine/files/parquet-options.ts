import { quoteText } from '../engine-database.ts';

/** How Parquet is written. */
export const PARQUET_OPTIONS = 'FORMAT parquet, COMPRESSION zstd';

/** The option that keeps what a file is, as JSON, in the file's own metadata. */
export function toMetadataSql(about: string): string {
  return `KV_METADATA {channelscope: ${quoteText(about)}}`;
}
