import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Core } from '../core/create-core.ts';
import type { EventListener } from '../core/events.ts';

const MAX_STREAMS = 8;
/** Often enough for a page to notice within five seconds that the application is gone. */
const KEEP_ALIVE_MS = 2_000;
/** A page that doesn't read is disconnected; it connects again when it wakes. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** The open pages that listen to events. */
export interface EventStreams {
  /** False when too many pages listen already. `isAllowed` is checked again while the stream lasts. */
  open(reply: FastifyReply, isAllowed: () => boolean): boolean;
  /** Ends the streams that are no longer allowed. */
  review(): void;
}

/**
 * Sends every event of the core to the pages that listen, as server-sent events. A page may listen before the core is
 * there, and misses nothing then.
 */
export function createEventStreams(core: Promise<Core>): EventStreams {
  const reviews = new Set<() => void>();
  return {
    open: (reply, isAllowed) => {
      if (reviews.size >= MAX_STREAMS) return false;
      reply.hijack();
      const response = reply.raw;
      const headers = reply.type('text/event-stream; charset=utf-8').getHeaders() as OutgoingHttpHeaders;
      response.writeHead(200, headers);
      response.write(': open\n\n');
      const closing = new AbortController();
      void listen(core, closing.signal, (name, payload) => {
        response.write(`event: ${name}\ndata: ${JSON.stringify(payload)}\n\n`);
        if (response.writableLength > MAX_WAITING_BYTES) response.destroy();
      });
      const review = (): void => {
        if (isAllowed()) response.write(': open\n\n');
        else response.end();
      };
      reviews.add(review);
      const timer = setInterval(review, KEEP_ALIVE_MS);
      response.once('close', () => {
        clearInterval(timer);
        closing.abort();
        reviews.delete(review);
      });
      return true;
    },
    review: () => {
      for (const review of reviews) review();
    },
  };
}

/** Listens from the creation of the core until the signal is aborted; for nothing where it can't be created. */
async function listen(core: Promise<Core>, signal: AbortSignal, listener: EventListener): Promise<void> {
  const created = await core.catch(() => null);
  if (created === null || signal.aborted) return;
  signal.addEventListener('abort', created.on(listener), { once: true });
}
