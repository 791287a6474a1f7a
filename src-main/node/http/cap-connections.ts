import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Keeps at most `maxConnections` open. One more closes the connection that has been idle for longest, so that a crowd
 * of silent ones can't keep anybody out; where none is idle, the new one is closed.
 */
export function capConnections(server: Server, maxConnections: number): void {
  const open = new Set<Socket>();
  // In order of when each was last in use.
  const idle = new Set<Socket>();
  const forget = (socket: Socket): void => {
    open.delete(socket);
    idle.delete(socket);
  };
  server.maxConnections = maxConnections * 2;
  server.on('connection', (socket) => {
    if (open.size >= maxConnections) {
      const [oldest = socket] = idle;
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
}
