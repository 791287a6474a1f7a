import { createConnection } from 'node:net';
import { AppError } from '../../common/contract/errors.ts';
import type { EventArguments } from '../../common/contract/index.ts';
import type { Envelope } from '../../common/contract/operation.ts';
import { readControlReply } from '../../common/control/control-messages.ts';
import { readControlPlace, createLineListener } from './control-place.ts';
import type { ControlledCore } from './serve-control.ts';

/** Results hold 500 records at a time, at most, with texts that may be long. */
const MAX_LINE = 256 * 1024 * 1024;
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
      { maxCharacters: MAX_LINE, onTooLong: () => socket.destroy() },
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
