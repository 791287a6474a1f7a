import type { ServerResponse } from 'node:http';
import type { Core } from '../core/create-core.ts';

const MOST_STREAMS = 8;
const KEEP_ALIVE_MS = 15_000;
/** A page that doesn't read is let go; it asks anew when it wakes. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;

/** The open pages that listen to events. */
export interface EventStreams {
  /** False when too many listen already. `isAllowed` is asked again while the stream lasts. */
  open(response: ServerResponse, isAllowed: () => boolean): boolean;
}

/** Sends every event of the core to the pages that listen, as server-sent events. */
export function createEventStreams(core: Core): EventStreams {
  const open = new Set<ServerResponse>();
  return {
    open: (response, isAllowed) => {
      if (open.size >= MOST_STREAMS) return false;
      open.add(response);
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      response.write(': open\n\n');
      const stopListening = core.on((name, payload) => {
        response.write(`event: ${name}\ndata: ${JSON.stringify(payload)}\n\n`);
        if (response.writableLength > MOST_WAITING_BYTES) response.destroy();
      });
      const timer = setInterval(() => {
        if (isAllowed()) response.write(': open\n\n');
        else response.end();
      }, KEEP_ALIVE_MS);
      response.once('close', () => {
        clearInterval(timer);
        stopListening();
        open.delete(response);
      });
      return true;
    },
  };
}
