import type { RecordStore } from '../store/record-store.ts';
import type { NewInboundRecord, NewOutboundRecord } from '../store/write-records.ts';
import {
  hashRecord,
  type ImportedInbound,
  type ImportedOutbound,
  type ImportedRecord,
} from './imported-record.ts';
import { toImportError } from './import-error.ts';
import type { KnownRecords } from './known-records.ts';

/** Combinations of channel, service, origin and code, and origins, that the store takes: each is kept in memory. */
const MOST_GROUPS = 50_000;

/** What became of the records of a batch. */
export interface BatchResult {
  readonly added: number;
  readonly known: number;
}

interface Fresh<Record> {
  readonly record: Record;
  readonly hash: number;
}

/**
 * Writes what the store doesn't know yet, with everything derived from it, in one transaction. Throws
 * AppError when the store would have to know too many groups, SqliteError when it can't be written.
 */
export function writeImportBatch(
  store: RecordStore,
  known: KnownRecords,
  records: readonly ImportedRecord[],
): BatchResult {
  const inbound: Fresh<ImportedInbound>[] = [];
  const outbound: Fresh<ImportedOutbound>[] = [];
  for (const record of records) {
    const hash = hashRecord(record);
    if (known.tryClaim(record, hash)) continue;
    if (record.direction === 'inbound') inbound.push({ record, hash });
    else outbound.push({ record, hash });
  }
  const added = inbound.length + outbound.length;
  const result = { added, known: records.length - added };
  if (added === 0) return result;
  if (store.groups.size > MOST_GROUPS) {
    throw toImportError(
      `There are more than ${MOST_GROUPS} combinations of channel, service, origin and code.`,
    );
  }
  store.runInTransaction(() => {
    writeFresh(store, sortByDate(inbound), sortByDate(outbound));
  });
  return result;
}

function writeFresh(
  store: RecordStore,
  inbound: readonly Fresh<ImportedInbound>[],
  outbound: readonly Fresh<ImportedOutbound>[],
): void {
  const { properties, imports, writer } = store;
  let arrival = properties.getCounter('inbound_arrival');
  for (const { record, hash } of inbound) {
    arrival += 1;
    imports.addInbound(
      { arrival, dateMs: record.dateMs, hash },
      { ...record, payload: record.payload ?? '' },
    );
  }
  arrival = properties.getCounter('outbound_arrival');
  for (const { record, hash } of outbound) {
    arrival += 1;
    imports.addOutbound(
      { arrival, dateMs: record.dateMs, hash },
      { ...record, payload: record.payload ?? '', response: record.response ?? '' },
    );
  }
  // Sample traffic goes on from where it was, whatever dates an import brings.
  const newestMs = properties.getCounter('newest_ms');
  writer.writeBatch({
    inbound: inbound.map(({ record }): NewInboundRecord => ({
      ...record,
      session: imports.resolveSession(record.sessionId),
    })),
    outbound: outbound.map(({ record }): NewOutboundRecord => ({
      ...record,
      session: imports.resolveSession(record.sessionId),
      actionId: 0,
    })),
    nextSession: properties.getCounter('session'),
  });
  properties.setCounter('newest_ms', newestMs);
}

/** As the store keeps them; equal dates stay in the file's order. */
function sortByDate<Item extends Fresh<ImportedRecord>>(items: Item[]): Item[] {
  return items.sort((a, b) => a.record.dateMs - b.record.dateMs);
}
