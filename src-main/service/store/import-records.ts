import type { Database } from 'better-sqlite3';
import type { Direction } from '../../common/reporting/reports.ts';
import type { InboundRow, OutboundRow } from './read-details.ts';

/** The texts of an imported inbound record. */
export interface InboundTexts {
  readonly client: string;
  readonly error: string;
  readonly payload: string;
}

/** The texts of an imported outbound record. */
export interface OutboundTexts extends InboundTexts {
  readonly actionId: string;
  readonly response: string;
}

/** Where an imported record is, and what it is recognised by. */
export interface ImportKey {
  readonly arrival: number;
  readonly dateMs: number;
  readonly hash: number;
}

const INBOUND_COLUMNS = `r.date_ms AS dateMs, r.arrival, r.session, r.group_id AS groupId,
  r.response_time_us AS responseTimeUs, r.bot_latency_ms AS botLatencyMs`;
const OUTBOUND_COLUMNS = `r.date_ms AS dateMs, r.arrival, r.session, r.group_id AS groupId,
  r.response_time_us AS responseTimeUs, r.action_id AS actionId, r.origin_id AS originId`;

const toSampleSql = (direction: Direction, columns: string): string => `
SELECT ${columns} FROM ${direction}_record r
WHERE r.date_ms = ? AND r.arrival <= ? AND r.session > 0
ORDER BY r.arrival`;

// CROSS JOIN keeps the order: by content first, as a file may hold any number of records of one date.
const toImportedSql = (direction: Direction, columns: string): string => `
SELECT ${columns} FROM ${direction}_import i
CROSS JOIN ${direction}_record r ON r.date_ms = i.date_ms AND r.arrival = i.arrival
WHERE i.date_ms = ? AND i.hash = ? AND i.arrival <= ?
ORDER BY r.arrival`;

/** What the store keeps of imported records beside their numbers. Writes belong into the caller's transaction. */
export class ImportStore {
  readonly #findSession;
  readonly #addSession;
  readonly #readSession;
  readonly #addInbound;
  readonly #addOutbound;
  readonly #readInbound;
  readonly #readOutbound;
  readonly #findInbound;
  readonly #findOutbound;

  constructor(db: Database) {
    this.#findSession = db
      .prepare<[string], number>('SELECT session FROM import_session WHERE id = ?')
      .pluck();
    this.#addSession = db.prepare<[string]>('INSERT INTO import_session (id) VALUES (?)');
    this.#readSession = db
      .prepare<[number], string>('SELECT id FROM import_session WHERE session = ?')
      .pluck();
    this.#addInbound = db.prepare<(number | string)[]>(
      'INSERT INTO inbound_import VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.#addOutbound = db.prepare<(number | string)[]>(
      'INSERT INTO outbound_import VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#readInbound = db.prepare<[number], InboundTexts>(
      'SELECT client, error, payload FROM inbound_import WHERE arrival = ?',
    );
    this.#readOutbound = db.prepare<[number], OutboundTexts>(
      'SELECT client, error, action_id AS actionId, payload, response FROM outbound_import WHERE arrival = ?',
    );
    this.#findInbound = {
      sample: db.prepare<[number, number], InboundRow>(toSampleSql('inbound', INBOUND_COLUMNS)),
      imported: db.prepare<[number, number, number], InboundRow>(toImportedSql('inbound', INBOUND_COLUMNS)),
    };
    this.#findOutbound = {
      sample: db.prepare<[number, number], OutboundRow>(toSampleSql('outbound', OUTBOUND_COLUMNS)),
      imported: db.prepare<[number, number, number], OutboundRow>(
        toImportedSql('outbound', OUTBOUND_COLUMNS),
      ),
    };
  }

  /** Number by which the records of an imported session know it: below 0. */
  resolveSession(id: string): number {
    return -(this.#findSession.get(id) ?? Number(this.#addSession.run(id).lastInsertRowid));
  }

  /** Identifier of an imported session as the file had it; the number is below 0. */
  getSessionId(session: number): string {
    return this.#readSession.get(-session) ?? '';
  }

  addInbound({ arrival, dateMs, hash }: ImportKey, texts: InboundTexts): void {
    this.#addInbound.run(arrival, dateMs, hash, texts.client, texts.error, texts.payload);
  }

  addOutbound({ arrival, dateMs, hash }: ImportKey, texts: OutboundTexts): void {
    const { client, error, actionId, payload, response } = texts;
    this.#addOutbound.run(arrival, dateMs, hash, client, error, actionId, payload, response);
  }

  /** Throws for a record that the store doesn't hold as imported, which is damage. */
  getInboundTexts(arrival: number): InboundTexts {
    return refuseMissing(this.#readInbound.get(arrival), arrival);
  }

  /** Throws for a record that the store doesn't hold as imported, which is damage. */
  getOutboundTexts(arrival: number): OutboundTexts {
    return refuseMissing(this.#readOutbound.get(arrival), arrival);
  }

  /** Records of the date that arrived up to `lastArrival`: those with the hash for imported, else all sample ones. */
  findInbound(dateMs: number, lastArrival: number, hash: number | null): InboundRow[] {
    return hash === null
      ? this.#findInbound.sample.all(dateMs, lastArrival)
      : this.#findInbound.imported.all(dateMs, hash, lastArrival);
  }

  /** As `findInbound`. */
  findOutbound(dateMs: number, lastArrival: number, hash: number | null): OutboundRow[] {
    return hash === null
      ? this.#findOutbound.sample.all(dateMs, lastArrival)
      : this.#findOutbound.imported.all(dateMs, hash, lastArrival);
  }
}

function refuseMissing<Texts>(texts: Texts | undefined, arrival: number): Texts {
  if (texts === undefined) throw new Error(`No texts of imported record ${arrival}`);
  return texts;
}
