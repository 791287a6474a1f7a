import { expect, it } from 'vitest';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import { createTokenSource } from '../../../../src-main/core/client/create-reporting-client.ts';
import { createSkipClock } from '../../../support/fakes/skip-clock.ts';

it('stays quiet for as long as the service asks, a day too, but not for more than a week', async () => {
  const clock = createSkipClock();
  let requests = 0;
  const tokens = createTokenSource(() => {
    requests += 1;
    const details = { status: 429, retryAfterMs: 10 * 86_400_000 };
    return Promise.reject(new AppError('client.rate-limited', 'Too many.', details));
  }, clock);
  const get = (): Promise<unknown> => tokens.getToken(undefined).catch((error: unknown) => error);

  await get();
  await clock.sleep(6 * 86_400_000, undefined);
  await get();
  expect(requests).toBe(1);
  await clock.sleep(2 * 86_400_000, undefined);
  await get();
  expect(requests).toBe(2);
});

it('aborts the request once the last waiting call is cancelled, and makes a new one for the next call', async () => {
  const signals: AbortSignal[] = [];
  const tokens = createTokenSource((signal) => {
    signals.push(signal);
    if (signals.length > 1) return Promise.resolve('token');
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new AppError('app.cancelled', 'Cancelled.')));
    });
  }, createSkipClock());
  const first = new AbortController();
  const second = new AbortController();
  const waiting = [tokens.getToken(first.signal), tokens.getToken(second.signal)];
  const settled = Promise.allSettled(waiting);
  await Promise.resolve();

  first.abort();
  await expect(waiting[0]).rejects.toMatchObject({ code: 'app.cancelled' });
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  second.abort();
  await settled;
  await expect(waiting[1]).rejects.toMatchObject({ code: 'app.cancelled' });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);

  expect(await tokens.getToken(undefined)).toBe('token');
  expect(signals).toHaveLength(2);
});

it('keeps a request that a call without a signal waits for', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  let signal: AbortSignal | undefined;
  const tokens = createTokenSource((given) => {
    signal = given;
    return promise;
  }, createSkipClock());
  const cancelled = new AbortController();
  const kept = tokens.getToken(undefined);
  const dropped = tokens.getToken(cancelled.signal);
  cancelled.abort();
  await expect(dropped).rejects.toMatchObject({ code: 'app.cancelled' });
  expect(signal?.aborted).toBe(false);
  resolve('token');
  expect(await kept).toBe('token');
});
