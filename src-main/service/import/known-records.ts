import type { InboundDetailDocument, OutboundDetailDocument } from '../../common/reporting/wire-schemas.ts';
import type { Direction } from '../../common/reporting/reports.ts';
import { PageBuffer } from '../reports/page-buffer.ts';
import { createInboundWriter, createOutboundWriter } from '../reports/write-imported.ts';
import type { InboundRow, OutboundRow } from '../store/read-details.ts';
import type { RecordStore } from '../store/record-store.ts';
import { toComparableText, type ImportedRecord } from './imported-record.ts';

type Candidate = Pick<InboundRow, 'arrival' | 'groupId' | 'responseTimeUs'>;
type DetailDocument = InboundDetailDocument | OutboundDetailDocument;

/** Rows that are remembered, and look-ups that found them. */
const MOST_ROWS = 200_000;
const MOST_LOOK_UPS = 1_000;
/** Of a usual document; longer ones make it grow. */
const ROOM_BYTES = 1_024;

/**
 * Recognises records that the store held before an import began. Each record of the store stands for one of
 * the file: the n-th of equal ones is known only if the store held n. Equal means every field that the file
 * has; what can't survive the file's format makes no difference.
 */
export class KnownRecords {
  readonly #store: RecordStore;
  readonly #toComparable: (text: string) => string;
  readonly #lastArrivals: Readonly<Record<Direction, number>>;
  /** One bit for each record that stands for one of the file already. */
  readonly #claimed: Readonly<Record<Direction, Uint8Array>>;
  /** What look-ups found and is not claimed yet, as a file may hold many records that are alike. */
  readonly #candidates = new Map<string, (InboundRow | OutboundRow)[]>();
  #candidateCount = 0;
  readonly #writeInbound: (page: PageBuffer, row: InboundRow) => void;
  readonly #writeOutbound: (page: PageBuffer, row: OutboundRow) => void;

  constructor(store: RecordStore, seed: number, isCsv: boolean) {
    this.#store = store;
    this.#toComparable = isCsv ? toComparableText : (text) => text;
    this.#lastArrivals = {
      inbound: store.properties.getCounter('inbound_arrival'),
      outbound: store.properties.getCounter('outbound_arrival'),
    };
    this.#claimed = {
      inbound: new Uint8Array((this.#lastArrivals.inbound >>> 3) + 1),
      outbound: new Uint8Array((this.#lastArrivals.outbound >>> 3) + 1),
    };
    this.#writeInbound = createInboundWriter(store, seed);
    this.#writeOutbound = createOutboundWriter(store, seed);
  }

  /** True when an equal record of the store is not claimed yet; then it is. */
  tryClaim(record: ImportedRecord, hash: number): boolean {
    if (this.#lastArrivals[record.direction] === 0) return false;
    return (
      this.#claimAmong(record, this.#findCandidates(record, hash)) ||
      this.#claimAmong(record, this.#findCandidates(record, null))
    );
  }

  #claimAmong(record: ImportedRecord, rows: (InboundRow | OutboundRow)[]): boolean {
    const claimed = this.#claimed[record.direction];
    for (const [place, row] of rows.entries()) {
      const byte = row.arrival >>> 3;
      const bit = 1 << (row.arrival & 7);
      if (((claimed[byte] ?? 0) & bit) !== 0 || !this.#isEqual(row, record)) continue;
      claimed[byte] = (claimed[byte] ?? 0) | bit;
      rows.splice(place, 1);
      return true;
    }
    return false;
  }

  /** Imported rows with the hash, or sample rows where it is null. */
  #findCandidates({ direction, dateMs }: ImportedRecord, hash: number | null): (InboundRow | OutboundRow)[] {
    const key = `${direction} ${dateMs} ${hash ?? 'sample'}`;
    const known = this.#candidates.get(key);
    if (known !== undefined) return known;
    const { imports } = this.#store;
    const rows =
      direction === 'inbound'
        ? imports.findInbound(dateMs, this.#lastArrivals.inbound, hash)
        : imports.findOutbound(dateMs, this.#lastArrivals.outbound, hash);
    this.#candidateCount += rows.length;
    if (this.#candidates.size >= MOST_LOOK_UPS || this.#candidateCount > MOST_ROWS) {
      this.#candidates.clear();
      this.#candidateCount = rows.length;
    }
    this.#candidates.set(key, rows);
    return rows;
  }

  #isEqual(row: InboundRow | OutboundRow, record: ImportedRecord): boolean {
    if (!this.#hasSameNumbers(row, record)) return false;
    // What the service serves is what an export holds, so that is what is compared.
    const page = new PageBuffer(0, ROOM_BYTES);
    if ('botLatencyMs' in row) this.#writeInbound(page, row);
    else this.#writeOutbound(page, row);
    return this.#hasSameTexts(JSON.parse(page.finish('', '').toString()) as DetailDocument, record);
  }

  #hasSameNumbers(row: Candidate, record: ImportedRecord): boolean {
    const { channel, service, responseCode } = this.#store.groups.getGroup(row.groupId);
    return (
      row.responseTimeUs === record.responseTimeUs &&
      responseCode === record.responseCode &&
      channel === record.channel &&
      service === record.service
    );
  }

  #hasSameTexts(document: DetailDocument, record: ImportedRecord): boolean {
    const isSame = (told: string, text: string | null): boolean =>
      text === null || told === text || this.#toComparable(told) === this.#toComparable(text);
    const isOwnSame =
      record.direction === 'inbound'
        ? 'BotLatency' in document && document.BotLatency === record.botLatencyMs
        : 'ActionId' in document &&
          isSame(document.ActionId, record.actionId) &&
          isSame(document.Reponse, record.response);
    return (
      isOwnSame &&
      isSame(document.Id, record.sessionId) &&
      isSame(document.Client, record.client) &&
      isSame(document.Error, record.error) &&
      isSame(document.Payload, record.payload) &&
      isSame(document.Origin, record.origin)
    );
  }
}
