import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from } from 'pg-copy-streams';
import { AppError } from '../../common/contract/errors.ts';
import { findErrorCode, toErrorText } from '../../node/error-text.ts';
import type { Gate } from '../../node/gate.ts';
import { toStartError } from '../service-options.ts';
import type { ConnectionCounts } from '../store/record-store.ts';

/** One connection within a transaction. */
export interface Queryable {
  /** Rows as arrays, in the order of the statement's columns; whole numbers and sums are numbers. */
  query<Row extends readonly unknown[]>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Adds rows in PostgreSQL's binary form; `target` is a table with its columns. */
  copy(target: string, rows: Buffer): Promise<void>;
}

/** Connections to a database. Every name is looked up in one schema. */
export interface PostgresPool {
  /** Runs `work` at one moment: all that it reads is as it was when it began. */
  read<Result>(work: (connection: Queryable) => Promise<Result>): Promise<Result>;
  /** Runs `work` in a transaction of its own: all of it is kept, or none. */
  transact<Result>(work: (connection: Queryable) => Promise<Result>): Promise<Result>;
  /** The same connections, for one tenant: row-level security goes by it. `gate` says how many it uses at once. */
  forTenant(tenant: number, gate?: Gate): PostgresPool;
  countConnections(): ConnectionCounts;
  /** Can be called twice. */
  close(): Promise<void>;
}

export const MAX_CONNECTIONS = 8;
const CONNECT_WITHIN_MS = 5_000;
/** A statement of the service takes milliseconds; one that waits this long is given up, and tried again later. */
const STATEMENT_LIMIT_MS = 30_000;

/** How PostgreSQL numbers its types bigint and numeric. */
const BIGINT = 20;
const NUMERIC = 1700;

type TypeId = Parameters<typeof pg.types.getTypeParser>[0];

/** Sums and counts stay below 2^53: as numbers they are exact. */
const types = {
  getTypeParser: (type: TypeId, format?: 'text' | 'binary') => {
    const number: number = type;
    if (number === BIGINT || number === NUMERIC) return Number;
    return pg.types.getTypeParser(type, format) as (text: string) => unknown;
  },
};

export interface PostgresConnection {
  readonly url: string;
  readonly schema: string;
  /** A statement that takes longer is given up; 0 for none, where a schema is changed. */
  readonly statementLimitMs?: number;
}

/**
 * Connects to a PostgreSQL database by its address. Errors of a connection that nothing waits for go to
 * `reportError`.
 */
export function connectPostgres(
  { url, schema, statementLimitMs = STATEMENT_LIMIT_MS }: PostgresConnection,
  reportError: (error: unknown) => void,
): PostgresPool {
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    statement_timeout: statementLimitMs,
    idle_in_transaction_session_timeout: STATEMENT_LIMIT_MS,
    application_name: 'channelscope-service',
    keepAlive: true,
    types,
  });
  // The pool replaces a connection that was lost while idle.
  pool.on('error', reportError);
  // One that is lost in use fails its statement, or the next; with nobody to tell, it would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  let closing: Promise<void> | null = null;

  const toPool = (tenant: number | null, gate: Gate = passAll): PostgresPool => {
    // Within the transaction only, so that a pooler between may give the connection to others afterwards.
    const settings = `SET LOCAL search_path = "${schema}", pg_temp;${
      tenant === null ? '' : ` SET LOCAL channelscope.tenant = '${tenant}'`
    }`;
    const run = async <Result>(
      mode: string,
      work: (connection: Queryable) => Promise<Result>,
    ): Promise<Result> => {
      const client = await pool.connect();
      let isLost = false;
      try {
        await client.query(`BEGIN ${mode}; ${settings}`);
        const result = await work(toQueryable(client));
        await client.query('COMMIT');
        return result;
      } catch (error) {
        await client.query('ROLLBACK').catch(() => {
          isLost = true;
        });
        throw error;
      } finally {
        client.release(isLost);
      }
    };
    return {
      read: (work) => gate(() => run('ISOLATION LEVEL REPEATABLE READ READ ONLY', work)),
      transact: (work) => gate(() => run('', work)),
      forTenant: (of, through) => toPool(of, through),
      countConnections: () => ({
        open: pool.totalCount,
        idle: pool.idleCount,
        waiting: pool.waitingCount,
      }),
      close: () => (closing ??= pool.end()),
    };
  };
  return toPool(null);
}

const passAll: Gate = (work) => work();

function toQueryable(client: pg.PoolClient): Queryable {
  return {
    query: async <Row extends readonly unknown[]>(text: string, values: readonly unknown[] = []) => {
      const statement: pg.QueryArrayConfig = { text, values: [...values], rowMode: 'array' };
      const { rows } = await client.query(statement);
      return rows as readonly unknown[][] as unknown as Row[];
    },
    copy: (target, rows) => pipeline([rows], client.query(from(`COPY ${target} FROM STDIN (FORMAT binary)`))),
  };
}

/** True where a role lacks a right. */
export function isPermissionError(error: unknown): boolean {
  return error instanceof Error && (error as { readonly code?: unknown }).code === '42501';
}

/** True where a statement was given up because it waited for others: canceled by its time limit, or no lock was to be had. */
export function isLockError(error: unknown): boolean {
  const code = error instanceof Error ? (error as { readonly code?: unknown }).code : undefined;
  return code === '57014' || code === '55P03';
}

/** Classes of errors that may be gone at the next attempt: connection, resources, conflict, shutting down. */
const TRANSIENT_CLASSES: ReadonlySet<string> = new Set(['08', '40', '53', '55', '57', '58']);
const TRANSIENT_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // The socket of a server that is starting again.
  'ENOENT',
]);

/** True for an error of the database, or of the way to it, that may be gone at the next attempt. */
export function isTransientPostgresError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { readonly code?: unknown };
  if (typeof code === 'string') return TRANSIENT_CLASSES.has(code.slice(0, 2)) || TRANSIENT_CODES.has(code);
  // The driver gives these no code.
  return /^(Connection terminated|timeout exceeded when trying to connect)/.test(error.message);
}

const UNKNOWN_AUTHORITY =
  "its certificate is of an authority that isn't trusted; ?sslrootcert=FILE names one of your own";

/** What can be done about errors on the way to a database, by their code. */
const ADVICE: ReadonlyMap<string | null, string> = new Map([
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNKNOWN_AUTHORITY],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNKNOWN_AUTHORITY],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNKNOWN_AUTHORITY],
  ['CERT_SIGNATURE_FAILURE', UNKNOWN_AUTHORITY],
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
  ['CERT_NOT_YET_VALID', 'its certificate is not valid yet'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another name than the one in the address'],
  ['28P01', 'the name of the role or its password is not right'],
  ['28000', 'it lets nobody in that way'],
  ['3D000', 'it has no database of that name'],
]);
/** The driver gives this error no code. */
const NO_TLS = 'The server does not support SSL connections';

/** What the database refuses, or the way to it, as an AppError `local-service.start-failed`. */
export function toDatabaseError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const text = toErrorText(error);
  const advice =
    text === NO_TLS
      ? "it doesn't speak TLS; ?sslmode=disable goes without, in the open"
      : ADVICE.get(findErrorCode(error));
  return toStartError(`The database can't be used: ${advice === undefined ? text : `${advice} (${text})`}`);
}
