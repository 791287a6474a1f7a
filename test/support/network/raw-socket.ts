import { connect, type Socket } from 'node:net';
import type { RunningService } from '../../../src-main/service/start-service.ts';

/** What came back until the server closed the connection. */
interface RawResponse {
  readonly text: string;
  /** 0 when nothing came back. */
  readonly status: number;
  /** In lower case. */
  readonly head: string;
  readonly body: string;
  readonly tookMs: number;
}

const PATIENCE_MS = 20_000;

/** Port of a running service. */
export function portOf({ url }: Pick<RunningService, 'url'>): number {
  return Number(new URL(url).port);
}

/** A connection that keeps what it reads; a reset counts as closed. */
export class RawSocket {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  text = '';
  #opened = performance.now();

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1' });
    this.socket.on('data', (bytes) => (this.text += bytes.toString('latin1')));
    this.socket.on('error', () => this.socket.destroy());
    this.closed = new Promise((resolve) => this.socket.on('close', () => resolve()));
  }

  write(bytes: string | Uint8Array): void {
    if (this.socket.writable) this.socket.write(bytes);
  }

  /** Reads until the server closes the connection; fails when it never does. */
  async readToEnd(): Promise<RawResponse> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('The connection stayed open')), PATIENCE_MS);
    });
    await Promise.race([this.closed, late]);
    clearTimeout(timer);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(this.text)?.[1] ?? 0);
    const [head = '', ...rest] = this.text.split('\r\n\r\n');
    return {
      text: this.text,
      status,
      head: head.toLowerCase(),
      body: rest.join('\r\n\r\n'),
      tookMs: performance.now() - this.#opened,
    };
  }
}

/** Sends bytes and reads until the server closes the connection. */
export function sendRaw(port: number, ...parts: (string | Uint8Array)[]): Promise<RawResponse> {
  const raw = new RawSocket(port);
  for (const part of parts) raw.write(part);
  return raw.readToEnd();
}

/** A POST without a body that asks for the connection to be closed. */
export function toRawRequest(target: string, ...headers: readonly string[]): string {
  return [`POST ${target} HTTP/1.1`, ...headers, 'Content-Length: 0', 'Connection: close', '', ''].join(
    '\r\n',
  );
}
