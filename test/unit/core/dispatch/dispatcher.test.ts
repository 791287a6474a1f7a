import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import type { Handlers } from '../../../../src-main/common/contract/index.ts';
import { createDispatcher } from '../../../../src-main/core/dispatch/create-dispatcher.ts';
import { makeTask } from '../../renderer/support/samples.ts';
import { createSilentLogger } from '../../../support/fakes/silent-logger.ts';

function dispatcherFor(handlers: Partial<Handlers>) {
  return createDispatcher(handlers as Handlers, createSilentLogger(), Date.now);
}

describe('dispatcher', () => {
  it('returns a value that the contract promises', async () => {
    const call = dispatcherFor({ 'tasks/list': () => [] });
    expect(await call('tasks/list', null)).toEqual({ ok: true, value: [] });
  });

  it.each([
    ['few', 2],
    ['many', 100],
  ])(
    'refuses a list of %s that the contract does not promise, the first time and later',
    async (_what, count) => {
      const tasks = Array.from({ length: count }, () => makeTask());
      let last = makeTask();
      const call = dispatcherFor({ 'tasks/list': () => [...tasks, last] });
      for (let round = 0; round < 12; round += 1) {
        last = makeTask({ startedAtMs: 0.5 });
        expect(await call('tasks/list', null)).toMatchObject({ ok: false, error: { code: 'app.bug' } });
        last = makeTask();
        expect(await call('tasks/list', null)).toMatchObject({ ok: true });
      }
    },
  );

  it('refuses a name that is not an operation, also names every object has', async () => {
    const call = dispatcherFor({});
    for (const name of ['tasks/destroy', 'constructor', '__proto__', 'toString', '']) {
      expect(await call(name, null)).toMatchObject({ ok: false, error: { code: 'app.unknown-operation' } });
    }
  });

  it.each([
    ['before 1900', { fromMs: -8.64e15, toMs: 0 }],
    ['after 2200', { fromMs: 0, toMs: 8.64e15 }],
    ['beyond any date', { fromMs: -9_007_199_254_740_991, toMs: 9_007_199_254_740_991 }],
    ['that ends before it begins', { fromMs: 1_000, toMs: 0 }],
  ])('absurd instants get app.invalid-input, never app.bug: a period %s', async (_what, span) => {
    const fail = (): never => {
      throw new RangeError('Invalid time value');
    };
    const call = dispatcherFor({
      'overview/read-volume': fail,
      'coverage/read': fail,
      'downloads/start': fail,
      'records/open-view': fail,
    });
    const period = { ...span, startDate: 'x', endDate: 'x', zone: 'UTC' };
    const scope = { connectionId: 'a', report: 'inbound-detail', ...span };
    const order = [{ column: 'dateMs', descending: false }];
    const inputs = {
      'overview/read-volume': { connectionId: 'a', buckets: 5, ...span },
      'coverage/read': { connectionId: 'a', report: 'inbound-detail', buckets: 5, ...span },
      'downloads/start': { connectionId: 'a', report: 'inbound-detail', period, sliceDays: null },
      'records/open-view': { scope, filter: { conditions: [] }, order },
    };
    for (const [name, input] of Object.entries(inputs)) {
      expect(await call(name, input), name).toMatchObject({
        ok: false,
        error: { code: 'app.invalid-input' },
      });
    }
  });

  it.each([2 ** 53, 1e19, 1e308, -(2 ** 53)])(
    'a whole number beyond 2^53 gets app.invalid-input: %s',
    async (number) => {
      const fail = (): never => {
        throw new TypeError('datatype mismatch');
      };
      const call = dispatcherFor({ 'snapshots/read-set-aside': fail, 'snapshots/get': fail });
      const inputs = {
        'snapshots/read-set-aside': { snapshotId: 1, offset: number, limit: 1 },
        'snapshots/get': { snapshotId: number },
      };
      for (const [name, input] of Object.entries(inputs)) {
        expect(await call(name, input), name).toMatchObject({ error: { code: 'app.invalid-input' } });
      }
    },
  );

  it('an unknown time zone of a period and an absurd date in a filter get app.invalid-input', async () => {
    const call = dispatcherFor({});
    const period = { fromMs: 0, toMs: 0, startDate: 'x', endDate: 'x', zone: 'Mars/Olympus' };
    const input = { connectionId: 'a', report: 'inbound-detail', period, sliceDays: null };
    expect(await call('downloads/start', input)).toMatchObject({
      error: { details: { fault: '/period/zone' } },
    });
    const scope = { connectionId: 'a', report: 'inbound-detail', fromMs: 0, toMs: 1 };
    const filter = { conditions: [{ field: 'dateMs', min: 1e300 }] };
    expect(await call('records/read-facets', { scope, filter })).toMatchObject({
      error: { code: 'app.invalid-input', details: { fault: '/filter/conditions/0/min' } },
    });
  });

  it.each([
    ['a missing field', {}],
    ['a field of the wrong type', { taskId: 7 }],
    ['a field that nobody knows', { taskId: 'a', force: true }],
    ['nothing at all', undefined],
    ['a list', []],
  ])('refuses input with %s', async (_what, input) => {
    let called = false;
    const call = dispatcherFor({
      'tasks/cancel': () => {
        called = true;
        return null;
      },
    });
    expect(await call('tasks/cancel', input)).toMatchObject({
      ok: false,
      error: { code: 'app.invalid-input' },
    });
    expect(called).toBe(false);
  });

  it('hands an expected failure over with its code and details', async () => {
    const call = dispatcherFor({
      'tasks/list': () => {
        throw new AppError('cache.disk-full', 'full', { freeBytes: 12 });
      },
    });
    expect(await call('tasks/list', null)).toEqual({
      ok: false,
      error: { code: 'cache.disk-full', message: 'full', details: { freeBytes: 12 } },
    });
  });

  it('keeps the text of an unexpected error from the window', async () => {
    const call = dispatcherFor({
      'tasks/list': () => {
        throw new Error('secret path /home/somebody');
      },
    });
    const answer = await call('tasks/list', null);
    expect(answer).toMatchObject({ ok: false, error: { code: 'app.bug' } });
    expect(JSON.stringify(answer)).not.toContain('somebody');
  });

  it('does not let a value through that the contract does not promise', async () => {
    const call = dispatcherFor({ 'tasks/list': () => [{ id: 'a' }] as never });
    expect(await call('tasks/list', null)).toMatchObject({ ok: false, error: { code: 'app.bug' } });
  });
});
