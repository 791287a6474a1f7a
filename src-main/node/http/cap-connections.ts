import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** The connections of a server. */
export interface Connections {
  /** Marks a connection whose requests proved who sends them: no stranger's ever takes its place. */
  trust(socket: Socket): void;
}

/**
 * Keeps at most `maxConnections` open. One more closes the connection that has been idle for longest, so that a crowd
 * of silent ones can't keep anybody out. Where none is idle, the new one is closed; with `strangers: 'yield'` the
 * oldest one in use that isn't trusted is, so that a crowd that never reads its responses keeps nobody out either.
 */
export function capConnections(
  server: Server,
  { maxConnections, strangers }: { readonly maxConnections: number; readonly strangers: 'stay' | 'yield' },
): Connections {
  const trusted = new WeakSet<Socket>();
  const open = new Set<Socket>();
  // In order of when each was last in use.
  const idle = new Set<Socket>();
  const forget = (socket: Socket): void => {
    open.delete(socket);
    idle.delete(socket);
  };
  const isStranger = (socket: Socket): boolean => !trusted.has(socket);
  const findOldest = (): Socket | undefined => {
    if (strangers === 'stay') return first(idle);
    return first(idle, isStranger) ?? first(open, isStranger) ?? first(idle);
  };
  server.maxConnections = maxConnections * 2;
  server.on('connection', (socket) => {
    if (open.size >= maxConnections) {
      const oldest = findOldest() ?? socket;
      forget(oldest);
      oldest.destroy();
      if (oldest === socket) return;
    }
    open.add(socket);
    idle.add(socket);
    socket.once('close', () => {
      forget(socket);
    });
  });
  server.on('request', ({ socket }, response) => {
    idle.delete(socket);
    response.once('close', () => {
      if (open.has(socket)) idle.add(socket);
    });
  });
  return { trust: (socket) => trusted.add(socket) };
}

function first(sockets: ReadonlySet<Socket>, isMeant?: (socket: Socket) => boolean): Socket | undefined {
  for (const socket of sockets) if (isMeant?.(socket) ?? true) return socket;
  return undefined;
}
