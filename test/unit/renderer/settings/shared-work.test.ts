import { flushPromises, mount, type DOMWrapper } from '@vue/test-utils';
import { describe, expect, it, vi } from 'vitest';
import type { Component } from 'vue';
import type { SharedPlan, SharedWork } from '../../../../src-main/common/model/shared/shared-work.ts';
import SharedLinkRow from '../../../../src-renderer/screens/settings/shared-work/SharedLinkRow.vue';
import SharedOnceRow from '../../../../src-renderer/screens/settings/shared-work/SharedOnceRow.vue';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { useSharedWorkStore } from '../../../../src-renderer/stores/window/shared-work.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeSharedWork } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const CHOICE = { folder: '/team', kinds: [], connections: [] };
const LINKED = { choice: CHOICE, state: 'in-step', inStepSinceMs: 0, count: 3 } as const;
const CONFLICT: SharedWork['conflicts'][number] = {
  id: 'c1',
  kind: 'views',
  label: 'Errors‮',
  connectionId: null,
  file: 'views/errors--1.json',
  isCopy: false,
  isMine: true,
  isTheirs: true,
  canKeepBoth: true,
  differences: [{ path: 'query', mine: 'status >= 500', theirs: 'status >= 400' }],
  hasMore: false,
};
const PLAN: SharedPlan = {
  folder: '/team',
  items: [
    {
      id: 'views/a',
      kind: 'views',
      label: 'Fresh',
      connection: null,
      file: 'a',
      state: 'new',
      differences: [],
    },
    {
      id: 'views/b',
      kind: 'views',
      label: 'Mine',
      connection: null,
      file: 'b',
      state: 'other',
      differences: [],
    },
    {
      id: 'views/c',
      kind: 'views',
      label: 'Alike',
      connection: null,
      file: 'c',
      state: 'same',
      differences: [],
    },
  ],
  problems: [{ file: 'views/cut.json', fault: 'cut', error: null, canReplace: false }],
  foreign: [],
};

async function show(row: Component, script: ConstructorParameters<typeof ScriptedBackend>[0] = {}) {
  const backend = new ScriptedBackend({
    'shared-work/read': () => makeSharedWork(),
    'shared-work/plan-import': () => PLAN,
    'connections/list': () => [makeConnection()],
    ...script,
  });
  const { global } = await provideApplication(backend);
  await useConnectionsStore().load();
  const shown = mount(row, { global, attachTo: document.body });
  await flushPromises();
  return { backend, shown };
}
const findButton = (words: string): HTMLElement => {
  const found = [...document.body.querySelectorAll('button')].find(
    (each) => each.textContent.trim() === words,
  );
  if (found === undefined) throw new Error(`There is no button "${words}".`);
  return found;
};
const press = async (words: string): Promise<void> => {
  findButton(words).click();
  await flushPromises();
};
const inputsOf = ({ calls }: ScriptedBackend, name: string) =>
  calls.filter((call) => call.name === name).map(({ input }) => input);

describe('the linked folder', () => {
  it('says how it stands, and follows what happens to it', async () => {
    const { backend, shown } = await show(SharedLinkRow, {
      'shared-work/read': () => makeSharedWork(LINKED),
    });
    expect(shown.text()).toContain('/team');
    expect(shown.get('[role="status"]').text()).toMatch(/In sync since .+: 3 items\./u);
    expect(useSharedWorkStore().needsCare).toBe(false);
    backend.emit('shared-work/changed', makeSharedWork({ ...LINKED, state: 'gone' }));
    await flushPromises();
    expect(shown.get('[role="status"]').text()).toContain('Nothing is deleted');
    expect(useSharedWorkStore().needsCare).toBe(true);
  });

  it('shows both versions of a conflict side by side, with a mark for what turns the text, and takes the choice', async () => {
    const { backend, shown } = await show(SharedLinkRow, {
      'shared-work/read': () => makeSharedWork({ ...LINKED, state: 'waiting', conflicts: [CONFLICT] }),
      'shared-work/resolve': () => makeSharedWork(LINKED),
    });
    const cells = shown.findAll('td').map((cell: DOMWrapper<Element>) => cell.text());
    expect(cells).toEqual(['query', 'status >= 500', 'status >= 400']);
    expect(shown.text()).not.toContain('‮');
    expect(shown.get('[role="status"]').text()).toBe('Not in sync: waiting for your answer below.');
    await press('Keep both');
    expect(inputsOf(backend, 'shared-work/resolve')).toEqual([{ conflictId: 'c1', choice: 'both' }]);
    expect(shown.find('td').exists()).toBe(false);
  });

  it('offers nothing to keep of a version that was deleted', async () => {
    const conflict = { ...CONFLICT, isTheirs: false, canKeepBoth: false };
    const { shown } = await show(SharedLinkRow, {
      'shared-work/read': () => makeSharedWork({ ...LINKED, conflicts: [conflict] }),
    });
    const words = shown.findAll('section button').map((button) => button.text());
    expect(words).toEqual(['Keep mine', 'Delete here, too']);
  });

  it('asks before many items are deleted', async () => {
    const removals = { here: 0, folder: 12 };
    const { backend, shown } = await show(SharedLinkRow, {
      'shared-work/read': () => makeSharedWork({ ...LINKED, state: 'waiting', removals }),
      'shared-work/answer-removals': () => makeSharedWork(LINKED),
    });
    expect(shown.text()).toContain('12 items disappeared at once from the folder');
    await press('Restore them');
    expect(inputsOf(backend, 'shared-work/answer-removals')).toEqual([{ answer: 'restore' }]);
  });
});

describe('an import', () => {
  it('lists what comes in before it does, and replaces only what is ticked', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { backend } = await show(SharedOnceRow, {
        'shared-work/import': () => ({ done: 1, same: 1, left: 1, problems: [] }),
      });
      await press('Import…');
      await vi.dynamicImportSettled();
      await flushPromises();
      const field = document.body.querySelector<HTMLInputElement>('input');
      if (field === null) throw new Error('There is no field for the folder.');
      field.value = '/team';
      field.dispatchEvent(new Event('input'));
      for (let round = 0; round < 4; round += 1) {
        await vi.advanceTimersByTimeAsync(400);
        await flushPromises();
      }
      const words = document.body.textContent;
      expect(words).toContain('New: 1. Unchanged: 1. Different: 1.');
      expect(words).toContain('Fresh');
      expect(words).not.toContain('Alike');
      expect(words).toContain('views/cut.json');
      expect(inputsOf(backend, 'shared-work/import')).toEqual([]);
      await press('Import');
      expect(inputsOf(backend, 'shared-work/import')).toMatchObject([{ take: ['views/a'] }]);
      expect(document.body.textContent).toContain('Skipped: 1.');
    } finally {
      vi.useRealTimers();
    }
  });
});
