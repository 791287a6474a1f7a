import type { IncomingMessage, Server } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refuse, sendEmpty } from './problem.ts';

/**
 * Lets a client that waits with its body go on only once `isOwn` finds its request meant for this server; any other
 * expectation is left to `refuseUnmetExpectation`. Node would meet the one and refuse the other before any hook runs.
 */
export function meetExpectations(server: Server, isOwn: (request: IncomingMessage) => boolean): void {
  server.on('checkContinue', (request, response) => {
    if (isOwn(request)) response.writeContinue();
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request, response) => {
    server.emit('request', request, response);
  });
}

/** Refuses, with 417 and no body, a request that expects anything but to go on with its body; true when it did. */
export function refuseUnmetExpectation(request: FastifyRequest, reply: FastifyReply): boolean {
  const { expect } = request.headers;
  if (expect === undefined || expect.trim().toLowerCase() === '100-continue') return false;
  void sendEmpty(reply.header('connection', 'close'), 417);
  return true;
}

/** Makes a hook that ends, with 408, requests whose body isn't whole in time. `exemptPath` has a limit of its own. */
export function limitBodies(timeoutMs: number, exemptPath: string) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { raw } = request;
    done();
    if (raw.complete || request.url === exemptPath) return;
    const timer = setTimeout(() => {
      if (raw.complete) return;
      if (reply.sent) raw.socket.destroy();
      else void refuse(reply, 408);
    }, timeoutMs).unref();
    raw.once('close', () => {
      clearTimeout(timer);
    });
  };
}
