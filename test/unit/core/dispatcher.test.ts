import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src-main/common/contract/errors.ts';
import type { Handlers } from '../../../src-main/common/contract/index.ts';
import { createDispatcher } from '../../../src-main/core/dispatch/create-dispatcher.ts';
import { createSilentLogger } from '../../support/silent-logger.ts';

function dispatcherFor(handlers: Partial<Handlers>) {
  return createDispatcher(handlers as Handlers, createSilentLogger(), Date.now);
}

describe('dispatcher', () => {
  it('returns a value that the contract promises', async () => {
    const call = dispatcherFor({ 'tasks/list': () => [] });
    expect(await call('tasks/list', null)).toEqual({ ok: true, value: [] });
  });

  it('refuses a name that is not an operation, also names every object has', async () => {
    const call = dispatcherFor({});
    for (const name of ['tasks/destroy', 'constructor', '__proto__', 'toString', '']) {
      expect(await call(name, null)).toMatchObject({ ok: false, error: { code: 'app.unknown-operation' } });
    }
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
