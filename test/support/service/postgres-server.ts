import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import {
  addTenant,
  migrateDatabase,
  withDatabase,
} from '../../../src-main/service/store-postgres/tenants.ts';
import { findUser, give, makeData, type PostgresUser } from './postgres-data.ts';

/** A PostgreSQL of the tests' own: data and socket in a folder of its own, and no port unless it is given a network. */
export interface PostgresServer {
  /** Address of its database as a role that owns nothing but what it makes. */
  readonly url: string;
  /** Where it listens on 127.0.0.1, if it does. */
  readonly port: number;
  /** The same as a role that may only serve from schemas that were migrated for it. */
  readonly servingUrl: string;
  /** Makes the tables of the service in a schema, owned by the role of `url`. */
  migrate(schema: string): Promise<void>;
  addTenant(schema: string, tenant: number): Promise<void>;
  /** Runs a statement as the superuser. */
  run(statement: string): Promise<void>;
  /** The same, and returns its rows as lines of text. */
  read(statement: string): Promise<string>;
  /** Ends the server at once; the returned function starts it again on its data. */
  interrupt(): Promise<() => Promise<void>>;
  /** Runs a statement in a transaction that stays open until the returned function is called. */
  hold(statement: string): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

const DEBIAN_FOLDER = '/usr/lib/postgresql';

/** Folder of initdb and postgres; undefined where none is installed. */
export function findPostgres(): string | undefined {
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER) : [];
  const folders = versions
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(DEBIAN_FOLDER, version, 'bin'));
  return folders.find((folder) => existsSync(join(folder, 'initdb')));
}

/** Settings of the server, `name=value`, that replace those of a test; and how it is reached besides its socket. */
export interface PostgresOptions {
  readonly settings?: readonly string[];
  readonly network?: PostgresNetwork;
}

/** On 127.0.0.1, where every role needs the password. */
export interface PostgresNetwork {
  /** Null for a server that doesn't speak TLS. */
  readonly certificate: { readonly cert: string; readonly key: string } | null;
  /** Refuses who doesn't speak it. */
  readonly requiresTls?: boolean;
  readonly password: string;
}

export async function startPostgres({
  settings: given = ['fsync=off'],
  network,
}: PostgresOptions = {}): Promise<PostgresServer> {
  const programs = findPostgres();
  if (programs === undefined) throw new Error('PostgreSQL is not installed.');
  const user = findUser();
  const folder = await mkdtemp(join(tmpdir(), 'postgres-'));
  give(folder, user);
  const data = join(folder, 'data');
  makeData(programs, data, user);
  const port = network === undefined ? 5432 : await findFreePort();
  const settings = [
    ...given,
    ...(network === undefined ? ['listen_addresses='] : openNetwork(data, network, user)),
    `port=${port}`,
    `unix_socket_directories=${folder}`,
    'max_connections=60',
  ];
  const spawnServer = (): ChildProcess =>
    spawn(join(programs, 'postgres'), ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
      ...user,
      stdio: 'ignore',
    });
  let child = spawnServer();
  const connect = () => new pg.Client({ host: folder, port, user: 'root', database: 'postgres' });
  const read = async (statement: string): Promise<string> => {
    const client = connect();
    await client.connect();
    try {
      const question: pg.QueryArrayConfig = { text: statement, rowMode: 'array' };
      const { rows } = await client.query<unknown[]>(question);
      return rows.map((row) => row.join(' ')).join('\n');
    } finally {
      await client.end();
    }
  };
  const run = async (statement: string): Promise<void> => {
    await read(statement);
  };
  const awaitServer = async (): Promise<void> => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        await run('SELECT 1');
        return;
      } catch (error) {
        if (attempt === 600 || child.exitCode !== null) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  };
  /** At once: what a test left open must not keep it. */
  const endServer = async (): Promise<void> => {
    const exited = once(child, 'exit');
    child.kill('SIGQUIT');
    await exited;
  };
  await awaitServer();
  const password = network === undefined ? '' : ` PASSWORD '${network.password}'`;
  await run(`CREATE ROLE service LOGIN${password}`);
  await run(`CREATE ROLE serving LOGIN${password}`);
  await run('GRANT CREATE ON DATABASE postgres TO service');
  const toUrl = (user: string): string =>
    `postgresql://${user}@localhost:${port}/postgres?host=${encodeURIComponent(folder)}`;
  const url = toUrl('service');
  return {
    url,
    port,
    servingUrl: toUrl('serving'),
    migrate: async (schema) => {
      await migrateDatabase({ url, schema }, 'serving');
    },
    addTenant: async (schema, tenant) => {
      await withDatabase({ url, schema }, (pool) => addTenant(pool, tenant, 0));
    },
    run,
    read,
    hold: async (statement) => {
      const client = connect();
      await client.connect();
      await client.query('BEGIN');
      await client.query(statement);
      return () => client.end();
    },
    interrupt: async () => {
      await endServer();
      return () => {
        child = spawnServer();
        return awaitServer();
      };
    },
    stop: async () => {
      await endServer();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Lets the network in, as the files of the server say it; returns the settings that go with them. */
function openNetwork(
  data: string,
  { certificate, requiresTls = false }: PostgresNetwork,
  user: PostgresUser,
): string[] {
  const write = (name: string, text: string): void => {
    const path = join(data, name);
    writeFileSync(path, text, { mode: 0o600 });
    give(path, user);
  };
  const type = requiresTls ? 'hostssl' : 'host';
  write('pg_hba.conf', `local all all trust\n${type} all all 127.0.0.1/32 scram-sha-256\n`);
  if (certificate === null) return ['listen_addresses=127.0.0.1'];
  write('server.crt', certificate.cert);
  write('server.key', certificate.key);
  return ['listen_addresses=127.0.0.1', 'ssl=on'];
}
