import { randomBytes } from 'node:crypto';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { EVENT_POSITION_HEADER } from '../common/contract/event-position.ts';
import type { Core } from '../core/create-core.ts';

const MAX_STREAMS = 8;
/** Often enough for a page to notice within five seconds that the application is gone. */
const KEEP_ALIVE_MS = 2_000;
/** A page that doesn't read is disconnected; it connects again when it wakes. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** Events that are kept for pages that connect again: those of some minutes of a download. */
const MAX_KEPT = 1_000;

/** The open pages that listen to events. */
export interface EventStreams {
  /**
   * Opens a stream that goes on after the event with the id `lastId`, if that is known here, otherwise with the next
   * one. False when too many pages listen already. `isAllowed` is checked again while the stream lasts.
   */
  open(reply: FastifyReply, lastId: string | null, isAllowed: () => boolean): boolean;
  /** Ends the streams that are no longer allowed. */
  review(): void;
}

/**
 * Sends every event of the core to the pages that listen, as server-sent events. A page may listen before the core is
 * there, and misses nothing then.
 */
export function createEventStreams(core: Promise<Core>): EventStreams {
  const reviews = new Set<() => void>();
  const responses = new Set<ServerResponse>();
  const log = createEventLog();
  void core.then(
    ({ on }) =>
      on((name, payload) => {
        const text = log.add(name, JSON.stringify(payload));
        for (const response of responses) send(response, text);
      }),
    () => undefined,
  );
  return {
    open: (reply, lastId, isAllowed) => {
      if (responses.size >= MAX_STREAMS) return false;
      reply.hijack();
      const response = reply.raw;
      const { position, missed } = log.readAfter(lastId);
      const headers = reply
        .type('text/event-stream; charset=utf-8')
        .header(EVENT_POSITION_HEADER, position)
        .getHeaders() as OutgoingHttpHeaders;
      response.writeHead(200, headers);
      response.write(`: open\n\n${missed}`);
      const review = (): void => {
        if (isAllowed()) response.write(': open\n\n');
        else response.end();
      };
      responses.add(response);
      reviews.add(review);
      const timer = setInterval(review, KEEP_ALIVE_MS);
      response.once('close', () => {
        clearInterval(timer);
        responses.delete(response);
        reviews.delete(review);
      });
      return true;
    },
    review: () => {
      for (const review of reviews) review();
    },
  };
}

function send(response: ServerResponse, text: string): void {
  response.write(text);
  if (response.writableLength > MAX_WAITING_BYTES) response.destroy();
}

/** The last events, as they are sent. Ids are a run of the application and a number, so that none is taken for another. */
function createEventLog() {
  const run = randomBytes(6).toString('hex');
  const kept: string[] = [];
  let count = 0;
  return {
    add(name: string, data: string): string {
      count += 1;
      const text = `id: ${run}-${count}\nevent: ${name}\ndata: ${data}\n\n`;
      kept.push(text);
      if (kept.length > MAX_KEPT) kept.shift();
      return text;
    },
    /** The id after which a stream goes on, and what it missed since then: nothing where `lastId` is not known. */
    readAfter(lastId: string | null): { readonly position: string; readonly missed: string } {
      const [ofRun = '', number = ''] = lastId?.split('-') ?? [];
      const missing = ofRun === run && /^\d{1,15}$/.test(number) ? count - Number(number) : -1;
      if (lastId === null || missing < 0 || missing > kept.length) {
        return { position: `${run}-${count}`, missed: '' };
      }
      return { position: lastId, missed: missing === 0 ? '' : kept.slice(-missing).join('') };
    },
  };
}
