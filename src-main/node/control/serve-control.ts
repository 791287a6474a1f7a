import { chmodSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { readControlCall, readHello, type NamedFiles } from '../../common/control/control-messages.ts';
import type { Emit } from '../../common/contract/index.ts';
import type { Envelope } from '../../common/contract/operation.ts';
import { PRIVATE_FILE_MODE } from '../private-files.ts';
import { makeSecretToken, digestToken, matchesDigest } from '../secret-tokens.ts';
import {
  chooseControlAddress,
  removeControlPlace,
  writeControlPlace,
  createLineListener,
} from './control-place.ts';

/** In characters; the same as that of the window's calls. */
const MAX_LINE = 1024 * 1024;
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
      maxCharacters: MAX_LINE,
      onTooLong: () => socket.destroy(),
    }),
  );
}
