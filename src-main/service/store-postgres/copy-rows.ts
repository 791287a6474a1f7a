import type pg from 'pg';

/** Runs COPY with all of its rows at hand, in PostgreSQL's binary form (see `BinaryRows`). */
export function copyRows(client: pg.PoolClient, target: string, rows: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query(new CopyIn(`COPY ${target} FROM STDIN (FORMAT binary)`, rows, resolve, reject));
  });
}

/** What the driver's connection has besides what is declared of it. */
interface CopyConnection extends pg.Connection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** A statement as the driver takes one that it doesn't know: it calls a method for each message of the server. */
class CopyIn implements pg.Submittable {
  readonly #text: string;
  readonly #rows: Buffer;
  readonly #resolve: () => void;
  readonly #reject: (error: Error) => void;
  #error: Error | null = null;

  constructor(text: string, rows: Buffer, resolve: () => void, reject: (error: Error) => void) {
    this.#text = text;
    this.#rows = rows;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(connection: pg.Connection): void {
    connection.query(this.#text);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    connection.sendCopyFromChunk(this.#rows);
    connection.endCopyFrom();
  }

  handleCommandComplete(): void {
    // The server is ready for the next statement only after another message.
  }

  /** Of the server, or of a connection that was lost: then nothing follows. */
  handleError(error: Error): void {
    this.#error = error;
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    if (this.#error === null) this.#resolve();
  }
}
