import type { FastifyInstance } from 'fastify';
import { sendProblem } from './problem.ts';

const MOST_IN_PROGRESS = 200;
const MOST_IN_PROGRESS_WHEN_LATE = 100;
const LATE_MS = 2_000;
const CHECK_EVERY_MS = 500;

/**
 * Answers 503 with `Retry-After: 1` at once, before a body is read, while more than 200 requests are in
 * progress (100 when the thread has just been two seconds late), and once the service is closing.
 * `elapsedMs` is a clock that never goes back.
 */
export function shedLoad(app: FastifyInstance, elapsedMs: () => number): void {
  let inProgress = 0;
  let most = MOST_IN_PROGRESS;
  let closing = false;
  let checkedMs = elapsedMs();
  const timer = setInterval(() => {
    const nowMs = elapsedMs();
    const isLate = nowMs - checkedMs > CHECK_EVERY_MS + LATE_MS;
    most = isLate ? MOST_IN_PROGRESS_WHEN_LATE : MOST_IN_PROGRESS;
    checkedMs = nowMs;
  }, CHECK_EVERY_MS).unref();

  app.addHook('onRequest', (_request, reply, done) => {
    inProgress += 1;
    reply.raw.once('close', () => {
      inProgress -= 1;
    });
    if (inProgress <= most && !closing) done();
    else void sendProblem(reply.headers({ 'retry-after': '1', connection: 'close' }), 503);
  });
  app.addHook('preClose', (done) => {
    closing = true;
    clearInterval(timer);
    done();
  });
}
