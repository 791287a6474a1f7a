import { createHash } from 'node:crypto';
import { DIRECTIONS, type Direction } from '../../common/reporting/reports.ts';
import { toImportError } from '../import/import-fields.ts';
import {
  createRecordClaims,
  type ImportedRecord,
  type ImportResult,
  MAX_GROUPS,
  type RecordComparer,
  type RecordTexts,
  TEXT_NAMES,
  type StoredRecord,
  type StoreImport,
} from '../store/record-store.ts';
import type { PostgresPool, Queryable } from './connect.ts';
import type { GroupCache } from './group-cache.ts';
import type { CounterName } from './schema.ts';
import type { RecordWriter, RecordWriting } from './write-records.ts';

type ImportedRow = readonly [contentHash: number, textsJson: string, ...row: RecordRow];

/** The dates' bounds keep the statement to their partitions. */
const toImportedSql = (direction: Direction): string => `
SELECT r.content_hash, r.texts_json, ${ROW_COLUMNS[direction]}
FROM (SELECT DISTINCT * FROM unnest($5::bigint[], $6::bigint[]) AS row (content_hash, date_ms)) incoming
JOIN ${direction}_record r ON r.tenant = $1 AND r.date_ms >= $3 AND r.date_ms <= $4
  AND r.date_ms = incoming.date_ms AND r.content_hash = incoming.content_hash AND r.arrival <= $2`;

const toSampleSql = (direction: Direction): string => `
SELECT ${ROW_COLUMNS[direction]}
FROM (SELECT DISTINCT date_ms FROM unnest($5::bigint[]) AS row (date_ms)) incoming
JOIN ${direction}_record r ON r.tenant = $1 AND r.date_ms >= $3 AND r.date_ms <= $4
  AND r.date_ms = incoming.date_ms AND r.arrival <= $2 AND r.session > 0`;

const FIND_SESSIONS_SQL = `
SELECT id_json, session FROM import_session WHERE tenant = $1 AND digest = ANY($2::bytea[])`;
const ADD_SESSIONS_SQL = `
INSERT INTO import_session
SELECT $1, session, digest, id_json FROM unnest($2::bigint[], $3::bytea[], $4::text[]) AS row (session, digest, id_json)`;
interface ImportParts {
  readonly pool: PostgresPool;
  readonly tenant: number;
  readonly groups: GroupCache;
  readonly writer: RecordWriter;
}

/** Opens an import (see `StoreImport`): it recognises what the tenant had by now. */
export async function openPostgresImport(
  { pool, tenant, groups, writer }: ImportParts,
  isSame: RecordComparer | null,
): Promise<StoreImport> {
  const counters = new Map(
    await pool.read((source) =>
      source.query<[CounterName, number]>('SELECT name, value FROM counter WHERE tenant = $1', [tenant]),
    ),
  );
  const prepare = (direction: Direction) => {
    const lastArrival = counters.get(`${direction}_arrival`) ?? 0;
    return { lastArrival, begin: isSame === null ? null : createRecordClaims(isSame, lastArrival) };
  };
  const stored = { inbound: prepare('inbound'), outbound: prepare('outbound') };

  /** Returns the records that the store didn't hold, in the order given. */
  const findFresh = async (
    source: Queryable,
    direction: Direction,
    records: readonly ImportedRecord[],
  ): Promise<ImportedRecord[]> => {
    const { lastArrival, begin } = stored[direction];
    if (lastArrival === 0 || begin === null || records.length === 0) return [...records];
    const claims = begin(records);
    const known = await source.query<ImportedRow>(toImportedSql(direction), [
      tenant,
      lastArrival,
      ...toBounds(records),
      records.map(({ contentHash }) => contentHash),
      records.map(({ dateMs }) => dateMs),
    ]);
    await catchUpWith(
      groups,
      source,
      known.map(([, , ...row]) => row),
    );
    for (const [contentHash, textsJson, ...row] of known) {
      claims.offerImported(contentHash, row[1], () => toRecord(row, textsJson, groups));
    }
    const left = claims.listFresh();
    if (left.length === 0) return left;
    const samples = await source.query<RecordRow>(toSampleSql(direction), [
      tenant,
      lastArrival,
      ...toBounds(left),
      left.map(({ dateMs }) => dateMs),
    ]);
    await catchUpWith(groups, source, samples);
    for (const row of samples) claims.offerSample(row[0], row[1], () => toRecord(row, null, groups));
    return claims.listFresh();
  };

  /** Numbers of the records' sessions, below 0; unknown ones are added. */
  const resolveSessions = async (
    { connection, next }: RecordWriting,
    records: readonly ImportedRecord[],
  ): Promise<(sessionId: string) => number> => {
    const ids = [...new Set(records.map(({ sessionId }) => JSON.stringify(sessionId)))];
    const found = new Map(
      await connection.query<[string, number]>(FIND_SESSIONS_SQL, [tenant, ids.map(toDigest)]),
    );
    const added = ids.filter((id) => !found.has(id)).map((id) => [id, next('session')] as const);
    if (added.length > 0) {
      await connection.query(ADD_SESSIONS_SQL, [
        tenant,
        added.map(([, session]) => session),
        added.map(([id]) => toDigest(id)),
        added.map(([id]) => id),
      ]);
    }
    const sessions = new Map([...found, ...added]);
    return (sessionId) => -(sessions.get(JSON.stringify(sessionId)) ?? 0);
  };

  const write = async (
    writing: RecordWriting,
    direction: Direction,
    records: readonly ImportedRecord[],
  ): Promise<void> => {
    const toSession = await resolveSessions(writing, records);
    await writing.write(
      direction,
      records.map((record) => ({
        ...record,
        session: toSession(record.sessionId),
        actionId: 0,
        imported: toStoredTexts(record),
      })),
    );
  };

  return {
    addBatch: async (records, properties = {}): Promise<ImportResult> => {
      const given = Map.groupBy(records, ({ direction }) => direction);
      const toDates = (direction: Direction) => (given.get(direction) ?? []).map(({ dateMs }) => dateMs);
      const dates = { inbound: toDates('inbound'), outbound: toDates('outbound') };
      const added = await writer.transact(dates, async (writing) => {
        let count = 0;
        for (const direction of DIRECTIONS) {
          const fresh = await findFresh(writing.connection, direction, given.get(direction) ?? []);
          if (fresh.length === 0) continue;
          if (writing.groupCount > MAX_GROUPS) {
            throw toImportError(
              `There are more than ${MAX_GROUPS} combinations of channel, service, origin and code.`,
            );
          }
          // Equal dates stay in the file's order.
          await write(
            writing,
            direction,
            fresh.toSorted((a, b) => a.dateMs - b.dateMs),
          );
          count += fresh.length;
        }
        await writing.setProperties(properties);
        return count;
      });
      return { added, known: records.length - added };
    },
    close: () => Promise.resolve(),
  };
}

function toStoredTexts(record: ImportedRecord) {
  const { sessionId, contentHash } = record;
  const texts = {
    sessionId,
    ...Object.fromEntries(TEXT_NAMES.map((name) => [name, record.texts[name] ?? ''])),
  } as RecordTexts;
  return {
    contentHash,
    characters: texts.error.length + texts.payload.length + texts.response.length,
    textsJson: JSON.stringify(texts),
  };
}

/** The first and the last date. */
function toBounds(records: readonly ImportedRecord[]): readonly [number, number] {
  let [fromMs, toMs] = [Infinity, -Infinity];
  for (const { dateMs } of records) {
    fromMs = Math.min(fromMs, dateMs);
    toMs = Math.max(toMs, dateMs);
  }
  return [fromMs, toMs];
}

/** Identifiers of any length are found by it. */
function toDigest(idJson: string): Buffer {
  return createHash('sha256').update(idJson).digest();
}

/** `detail` is the bot latency of an inbound record, the action of an outbound one, whose origin is a number of its own. */
export type RecordRow = readonly [
  dateMs: number,
  arrival: number,
  session: number,
  groupId: number,
  responseTimeUs: number,
  detail: number,
  originId: number | null,
];

const SHARED_COLUMNS = 'r.date_ms, r.arrival, r.session, r.group_id, r.response_time_us';

/** Columns of RecordRow, from a table named `r`. */
export const ROW_COLUMNS: Readonly<Record<Direction, string>> = {
  inbound: `${SHARED_COLUMNS}, r.bot_latency_ms, NULL::integer`,
  outbound: `${SHARED_COLUMNS}, r.action_id, r.origin_id`,
};

/** Makes sure that the groups and origins of rows are known. */
export async function catchUpWith(
  groups: GroupCache,
  source: Queryable,
  rows: readonly RecordRow[],
): Promise<void> {
  const originIds = rows.flatMap(([, , , , , , originId]) => (originId === null ? [] : [originId]));
  await groups.catchUp(
    source,
    rows.map(([, , , groupId]) => groupId),
    originIds,
  );
}

/** `textsJson` is null for a sample record. */
export function toRecord(row: RecordRow, textsJson: string | null, groups: GroupCache): StoredRecord {
  const [dateMs, arrival, session, groupId, responseTimeUs, detail, originId] = row;
  const { channel, service, origin, responseCode } = groups.getGroup(groupId);
  const isInbound = originId === null;
  return {
    dateMs,
    arrival,
    session: textsJson === null ? session : 0,
    channel,
    service,
    origin: isInbound ? origin : groups.getOrigin(originId),
    responseCode,
    responseTimeUs,
    botLatencyMs: isInbound ? detail : 0,
    actionId: isInbound ? 0 : detail,
    texts: textsJson === null ? null : (JSON.parse(textsJson) as RecordTexts),
  };
}
