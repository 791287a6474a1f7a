import { expect, it } from 'vitest';
import { createFetchQueue, type ServiceShare } from '../../../../src-main/core/downloads/fetch-queue.ts';

const { signal } = new AbortController();

/** Begins a download that runs until it is told to end. */
function begin(
  queue: ReturnType<typeof createFetchQueue>,
  connectionId: string,
  report: 'inbound' | 'outbound',
) {
  const end = Promise.withResolvers<null>();
  const begun = Promise.withResolvers<ServiceShare>();
  let isBegun = false;
  const over = queue.download(
    { connectionId, report: `${report}-detail` },
    async (share) => {
      isBegun = true;
      begun.resolve(share);
      await end.promise;
    },
    signal,
  );
  return {
    begun: begun.promise,
    isBegun: () => isBegun,
    stop: () => {
      end.resolve(null);
      return over;
    },
  };
}

it('lets downloads of one report wait for each other, and those of others run', async () => {
  const queue = createFetchQueue(() => 0);
  const first = begin(queue, 'one', 'inbound');
  const second = begin(queue, 'one', 'inbound');
  await Promise.all([
    first.begun,
    begin(queue, 'one', 'outbound').begun,
    begin(queue, 'two', 'inbound').begun,
  ]);
  expect(second.isBegun()).toBe(false);
  await first.stop();
  await second.begun;
});

it('shares what a service is asked at once among the downloads of its connection', async () => {
  const queue = createFetchQueue(() => 0);
  const inbound = begin(queue, 'one', 'inbound');
  const share = await inbound.begun;
  expect(share.read(6)).toBe(6);
  const outbound = begin(queue, 'one', 'outbound');
  expect((await outbound.begun).read(6) + share.read(6)).toBe(6);
  expect((await begin(queue, 'two', 'inbound').begun).read(6)).toBe(6);
  expect(share.read(1)).toBe(1);
  await outbound.stop();
  expect(share.read(6)).toBe(6);
});

it('lets what the service asks of one download, or of following, hold for all of its connection', async () => {
  let nowMs = 0;
  const queue = createFetchQueue(() => nowMs);
  const [inbound, outbound, other] = await Promise.all([
    begin(queue, 'one', 'inbound').begun,
    begin(queue, 'one', 'outbound').begun,
    begin(queue, 'two', 'inbound').begun,
  ]);
  for (const ask of [() => inbound.fallBack(), () => queue.fallBack('one')]) {
    expect(outbound.read(6)).toBe(3);
    ask();
    expect([inbound.read(6), outbound.read(6), other.read(6)]).toEqual([1, 1, 6]);
    nowMs += 60_000;
  }
});

it('lets turns of following run beside downloads', async () => {
  const queue = createFetchQueue(() => 0);
  await begin(queue, 'one', 'inbound').begun;
  expect(await queue.turn(() => Promise.resolve('read'), signal)).toBe('read');
});
