import { expect, it } from 'vitest';
import { AppError } from '../../../src-main/common/contract/errors.ts';
import { createTokenKeeper } from '../../../src-main/core/client/token-keeper.ts';
import { createSkipClock } from '../../support/skip-clock.ts';

it('keeps quiet for what the service asks, but not for longer than an hour', async () => {
  const clock = createSkipClock();
  let asked = 0;
  const tokens = createTokenKeeper(() => {
    asked += 1;
    const details = { status: 429, retryAfterMs: 10 * 86_400_000 };
    return Promise.reject(new AppError('client.rate-limited', 'Too many.', details));
  }, clock);
  const ask = (): Promise<unknown> => tokens.getToken(undefined).catch((error: unknown) => error);

  await ask();
  await clock.sleep(59 * 60_000, undefined);
  await ask();
  expect(asked).toBe(1);
  await clock.sleep(2 * 60_000, undefined);
  await ask();
  expect(asked).toBe(2);
});
