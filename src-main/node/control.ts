import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { AppError } from '../common/contract/errors.ts';
import type { Emit, EventArguments } from '../common/contract/index.ts';
import type { Envelope } from '../common/contract/operation.ts';
import {
  type NamedFiles,
  readControlCall,
  readControlReply,
  readHello,
} from '../common/control/control-messages.ts';
import {
  chooseControlAddress,
  readControlPlace,
  removeControlPlace,
  writeControlPlace,
} from './control-place.ts';
import { PRIVATE_FILE_MODE } from './files.ts';
import { digestToken, makeSecretToken, matchesDigest } from './secret-tokens.ts';

/** Returns a listener for chunks that calls `onLine` for each whole line, and `onTooLong` for one that never ends. */
function createLineListener(
  onLine: (line: string) => void,
  limit: { readonly maxCharacters: number; readonly onTooLong: () => void },
): (chunk: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  let length = 0;
  return (chunk) => {
    const pieces = decoder.write(chunk).split('\n');
    for (const [index, piece] of pieces.entries()) {
      parts.push(piece);
      length += piece.length;
      if (length > limit.maxCharacters) {
        limit.onTooLong();
        return;
      }
      if (index === pieces.length - 1) return;
      const line = parts.join('');
      parts = [];
      length = 0;
      onLine(line);
    }
  };
}

/** Results hold 500 records at a time, at most, with texts that may be long. */
const MAX_ANSWER_LINE = 256 * 1024 * 1024;
const CONNECT_MS = 5_000;

/** A core that another process runs. */
export interface RemoteCore extends ControlledCore {
  /** The version of the application that runs it. */
  readonly version: string;
  close(): void;
}

/** Reaches the application that holds a folder; null where none can be reached. A call fails with `app.host-gone` when it ends. */
export async function connectControl(folder: string): Promise<RemoteCore | null> {
  const place = await readControlPlace(folder);
  if (place === null) return null;
  const socket = createConnection(place.address);
  const pending = new Map<number, (result: Envelope<unknown>) => void>();
  const listeners = new Set<(...event: EventArguments) => void>();
  let lastId = 0;
  let tellReady: (version: string | null) => void = () => undefined;
  const ready = new Promise<string | null>((resolve) => {
    tellReady = resolve;
  });
  const timer = setTimeout(() => socket.destroy(), CONNECT_MS);
  const toGone = (): Envelope<unknown> => {
    const { code, message } = new AppError('app.host-gone', 'Channelscope ended.');
    return { ok: false, error: { code, message, details: {} } };
  };
  socket.on('error', () => socket.destroy());
  socket.once('close', () => {
    clearTimeout(timer);
    tellReady(null);
    for (const resolve of pending.values()) resolve(toGone());
    pending.clear();
  });
  socket.on(
    'data',
    createLineListener(
      (line) => {
        const reply = readControlReply(line);
        if (reply === null) socket.destroy();
        else if ('ready' in reply) tellReady(reply.version);
        else if ('id' in reply) {
          pending.get(reply.id)?.(reply.result as Envelope<unknown>);
          pending.delete(reply.id);
        } else
          for (const listener of listeners) listener(...([reply.event, reply.payload] as EventArguments));
      },
      { maxCharacters: MAX_ANSWER_LINE, onTooLong: () => socket.destroy() },
    ),
  );
  socket.write(`${JSON.stringify({ token: place.token })}\n`);
  const version = await ready;
  if (version === null) return null;
  clearTimeout(timer);
  return {
    version,
    call: (name, input, files) =>
      new Promise((resolve) => {
        if (socket.destroyed) {
          resolve(toGone());
          return;
        }
        lastId += 1;
        pending.set(lastId, resolve);
        socket.write(`${JSON.stringify({ id: lastId, name, input, files })}\n`);
      }),
    on: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => socket.destroy(),
  };
}

/** In characters; the same as that of the window's calls. */
const MAX_REQUEST_LINE = 1024 * 1024;
const MAX_CALLERS = 16;
const HELLO_MS = 5_000;
/** A caller that doesn't read is disconnected. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** What the callers are given. */
export interface ControlledCore {
  call(name: string, input: unknown, files: NamedFiles): Promise<Envelope<unknown>>;
  on(listener: Emit): () => void;
}

/** The channel over which other programs of the owner use the application that holds a data folder. */
export interface Control {
  /** Accepts no new callers, and resolves once those that are there have left. */
  drain(): Promise<void>;
  /** Disconnects everybody. Never rejects. */
  close(): Promise<void>;
}

/**
 * Serves a core to other programs of the same person: over a socket that only the owner may use, to callers that know
 * the token of a file that only the owner can read. The folder must be claimed by this process. Rejects with the system's
 * error where there can be no socket.
 */
export async function serveControl(
  options: ControlledCore & { readonly folder: string; readonly version: string },
): Promise<Control> {
  const { folder, version } = options;
  await removeControlPlace(folder);
  const token = makeSecretToken();
  const digest = digestToken(token);
  const callers = new Set<Socket>();
  let isEnding = false;
  let noteLeft: () => void = () => undefined;

  const server = createServer((socket) => {
    if (isEnding || callers.size >= MAX_CALLERS) {
      socket.destroy();
      return;
    }
    callers.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      callers.delete(socket);
      if (callers.size === 0) noteLeft();
    });
    serveCaller(socket, options, (given) => matchesDigest(given, digest), version);
  });
  const address = await chooseControlAddress(folder);
  await once(server.listen(address), 'listening');
  // The folder is closed to others; where it could not be, the socket is.
  if (process.platform !== 'win32') chmodSync(address, PRIVATE_FILE_MODE);
  server.unref();
  server.on('error', () => undefined);
  await writeControlPlace(folder, { address, token });

  return {
    async drain() {
      isEnding = true;
      if (callers.size === 0) return;
      await new Promise<void>((resolve) => {
        noteLeft = resolve;
      });
    },
    async close() {
      isEnding = true;
      await removeControlPlace(folder);
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      for (const caller of callers) caller.destroy();
      await closed;
    },
  };
}

function serveCaller(
  socket: Socket,
  { call, on }: ControlledCore,
  isToken: (given: string) => boolean,
  version: string,
): void {
  let isKnown = false;
  const send = (message: object): void => {
    if (socket.destroyed) return;
    socket.write(`${JSON.stringify(message)}\n`);
    if (socket.writableLength > MAX_WAITING_BYTES) socket.destroy();
  };
  const timer = setTimeout(() => socket.destroy(), HELLO_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  const greet = (line: string): void => {
    const hello = readHello(line);
    if (hello === null || !isToken(hello.token)) {
      socket.destroy();
      return;
    }
    clearTimeout(timer);
    isKnown = true;
    socket.once(
      'close',
      on((event, payload) => send({ event, payload })),
    );
    send({ ready: true, version });
  };
  const take = (line: string): void => {
    const message = readControlCall(line);
    if (message === null) {
      socket.destroy();
      return;
    }
    const { id, name, input, files } = message;
    void call(name, input, files).then((result) => send({ id, result }));
  };
  socket.on(
    'data',
    createLineListener((line) => (isKnown ? take(line) : greet(line)), {
      maxCharacters: MAX_REQUEST_LINE,
      onTooLong: () => socket.destroy(),
    }),
  );
}
