import { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import { endOnErrors } from '../../../src-main/start/run-web.ts';
import { createSilentLogger } from '../../support/fakes/silent-logger.ts';

it('what nobody caught is logged, each time, and ends the program in order, once', async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const program = new EventEmitter();
  const logged: unknown[] = [];
  const stop = vi.fn(() => Promise.resolve());
  const ended = new Promise((resolve) => {
    endOnErrors(Object.assign(program, { exit: resolve }) as unknown as NodeJS.Process, {
      findLogger: () => ({
        ...createSilentLogger(),
        error: (event, fields) => void logged.push([event, fields]),
      }),
      stop,
    });
  });
  const first = new Error('first');
  const second = new Error('second');
  program.emit('uncaughtException', first);
  program.emit('unhandledRejection', second);
  expect(await ended).toBe(1);
  expect(stop).toHaveBeenCalledOnce();
  expect(logged).toEqual([
    ['uncaught', { error: first }],
    ['uncaught', { error: second }],
  ]);
});
