import { type ImportedRecord, TEXT_NAMES } from '../../../src-main/service/store/record-store.ts';

/** A record as an import reads it from a file, changed as given. */
export function makeImported({
  texts = {},
  ...change
}: Partial<Omit<ImportedRecord, 'texts'>> & {
  readonly texts?: Partial<ImportedRecord['texts']>;
}): ImportedRecord {
  const all = Object.fromEntries(TEXT_NAMES.map((name) => [name, ''])) as ImportedRecord['texts'];
  return {
    direction: 'inbound',
    dateMs: Date.UTC(2026, 10, 20),
    sessionId: 'a session',
    channel: 3,
    service: 3,
    origin: 'web',
    responseCode: 200,
    responseTimeUs: 1,
    botLatencyMs: 0,
    texts: { ...all, client: 'Ana', ...texts },
    contentHash: 5,
    ...change,
  };
}
