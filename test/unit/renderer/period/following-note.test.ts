import { flushPromises, mount } from '@vue/test-utils';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Following } from '../../../../src-main/common/contract/operations/cache.ts';
import type { LocalServiceState } from '../../../../src-main/common/model/connections/local-service.ts';
import FollowingNote from '../../../../src-renderer/period/FollowingNote.vue';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const connection = makeConnection();
const OFF: Following = {
  connectionId: connection.id,
  state: 'off',
  lastTurnAtMs: null,
  nextTurnAtMs: null,
  behindMs: 0,
  failure: null,
  failingSinceMs: null,
};
let backend: ScriptedBackend;
let answer: Following;

async function mountNote(following: Partial<Following>) {
  answer = { ...OFF, ...following };
  backend = new ScriptedBackend({
    'connections/list': () => [connection],
    'following/list': () => [answer],
    'following/switch': ({ followed }) => ({ ...OFF, state: followed ? 'starting' : 'off' }),
  });
  const { global } = await provideApplication(backend);
  await useConnectionsStore().load();
  const note = mount(FollowingNote, {
    attachTo: document.body,
    global,
  });
  await flushPromises();
  return note;
}
beforeEach(() => {
  document.body.innerHTML = '';
});

describe('the note about following', () => {
  test('of the built-in service, once it is stopped, is not green and follows nothing', async () => {
    const note = await mountNote({ state: 'following', lastTurnAtMs: Date.now() });
    backend.emit('connections/changed', [{ ...connection, kind: 'local' }]);
    backend.emit('local-service/changed', { state: 'stopped' } as LocalServiceState);
    await flushPromises();
    expect(note.text()).toBe('Service stopped');
    expect(note.get('.dot').attributes('data-state')).toBe('stopped');
  });

  test('is a button where the connection is not followed', async () => {
    const note = await mountNote({});
    await note.get('button').trigger('click');
    await flushPromises();
    expect(backend.calls.at(-1)).toEqual({
      name: 'following/switch',
      input: { connectionId: connection.id, followed: true },
    });
    expect(note.text()).toContain('Following starts');
  });

  test.each<[Partial<Following>, string | RegExp]>([
    [{ state: 'following', lastTurnAtMs: Date.now() - 12_000 }, /^Following, 1[2-9] s ago$/],
    [{ state: 'catching-up', behindMs: 7_200_000 }, 'Catching up, 2 h left'],
    [{ state: 'paused' }, 'Following is paused'],
    [{ state: 'refused' }, 'Following has stopped'],
    [{ state: 'unreachable', failingSinceMs: Date.now() - 300_400 }, 'Unreachable for 5 min'],
    [{ state: 'failing', failingSinceMs: Date.now() - 300_400 }, 'Following has failed for 5 min'],
  ])('%j', async (following, words) => {
    expect((await mountNote(following)).text()).toMatch(words);
  });

  test('says why it stopped, and tries again', async () => {
    const failure = { code: 'client.credentials-refused', message: '', details: {} } as const;
    const note = await mountNote({ state: 'refused', failure });
    await note.get('button').trigger('click');
    await flushPromises();
    const panel = document.querySelector('.cs-popover');
    expect(panel?.textContent).toContain('Credentials refused');
    const again = [...(panel?.querySelectorAll('button') ?? [])].find(
      (each) => each.textContent === 'Try again',
    );
    again?.click();
    await flushPromises();
    expect(backend.countCalls('following/switch')).toBe(1);
  });
});
