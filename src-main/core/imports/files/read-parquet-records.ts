import { readNdjsonRecords, type FileRecords, type RecordFindings } from './read-json-records.ts';

/** Reads the lines that were written of a Parquet file; numbers are spelled as everywhere else. */
export async function* readParquetRecords(
  chunks: AsyncIterable<Buffer>,
  fractions: readonly string[],
  findings: RecordFindings,
): FileRecords {
  for await (const record of readNdjsonRecords(chunks, findings, 'Row')) {
    const respelled = fractions.filter((name) => isOtherwiseSpelled(record[name]));
    if (respelled.length === 0) yield record;
    else {
      const spelled = respelled.map((name) => [name, JSON.stringify(Number(record[name]))] as const);
      yield { ...record, ...Object.fromEntries(spelled) };
    }
  }
}

/** DuckDB writes 12 as `12.0`, and puts an exponent where JavaScript does not. */
function isOtherwiseSpelled(text: string | undefined): boolean {
  if (text === undefined || text.startsWith('"')) return false;
  return text.endsWith('.0') || text.includes('e');
}
