import { quoteText } from '../engine-database.ts';

/** Rows of a group, which is in memory until it is whole: half of what DuckDB takes, as large as readers like it. */
const GROUP_ROWS = 61_440;

/** How Parquet is written. */
export const PARQUET_OPTIONS = `FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${GROUP_ROWS}`;

/** The option that keeps what a file is, as JSON, in the file's own metadata. */
export function toMetadataSql(about: string): string {
  return `KV_METADATA {channelscope: ${quoteText(about)}}`;
}
