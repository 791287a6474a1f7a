import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { createPinia } from 'pinia';
import { afterEach, expect, it } from 'vitest';
import { DEFAULT_EVIDENCE } from '../../../../src-main/common/model/exports/export-options.ts';
import { backendKey } from '../../../../src-renderer/backend/backend.ts';
import ExportDialog from '../../../../src-renderer/components/dialogs/export/ExportDialog.vue';
import {
  toExportSubject,
  createEvidenceSessions,
  readSessionIds,
} from '../../../../src-renderer/components/dialogs/export/export-choices.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import { useTasksStore } from '../../../../src-renderer/stores/window/app.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';

const snapshot = makeSnapshot(
  { fromMs: Date.UTC(2026, 10, 19), toMs: Date.UTC(2026, 10, 20) - 1000 },
  { id: 7, recordCount: 4000 },
);

let wrapper: VueWrapper | undefined;
afterEach(() => {
  wrapper?.unmount();
  document.body.innerHTML = '';
  localStorage.clear();
});

it('asks for a pack with what was chosen, shows what leaves, and begins masked the next time', async () => {
  const backend = new ScriptedBackend({
    'tasks/list': () => [],
    'exports/preview': () => ({
      columns: [],
      text: null,
      cells: [
        ['Id', 'Client'],
        ['one', 'client-3k9t2m7qx0ab'],
      ],
      rowCount: 4000,
      estimatedBytes: 90_000,
      files: [
        { path: 'report.html', holds: 'report', count: null },
        { path: 'records.csv', holds: 'records', count: 4000 },
        { path: 'sessions/', holds: 'sessions', count: 1 },
      ],
    }),
    'exports/start': () => ({ taskId: null }),
  });
  const open = async (): Promise<void> => {
    wrapper = mount(ExportDialog, {
      props: {
        open: true,
        subject: toExportSubject(snapshot),
        filter: { conditions: [{ field: 'client' as const, values: ['Ana Haddad'] }] },
      },
      global: { plugins: [createPinia(), createMessages()], provide: { [backendKey as symbol]: backend } },
      attachTo: document.body,
    });
    await useTasksStore().load();
    await flushPromises();
    document.querySelector<HTMLButtonElement>('button[role=radio][aria-label="Evidence pack"]')?.click();
    await flushPromises();
  };
  await open();
  await expect.poll(() => document.body.textContent).toContain('In the pack');
  const text = document.body.textContent.replace(/\s+/g, ' ');
  expect(text).toContain('4,000 records, masked as chosen');
  expect(text).toContain('client-3k9t2m7qx0ab');
  // The name says nothing of whom the records are filtered by.
  expect(text).toContain('evidence_inbound-detail_1001_2026-11-19.zip');
  expect(text).not.toContain('Ana');
  const sessions = document.querySelector<HTMLTextAreaElement>('textarea');
  if (sessions === null) throw new Error('There is no place for sessions.');
  sessions.value = 'one\n two,one';
  sessions.dispatchEvent(new Event('input'));
  await flushPromises();
  const start = [...document.querySelectorAll('button')].find((each) => each.textContent.trim() === 'Export');
  start?.click();
  await flushPromises();
  expect(backend.calls.find(({ name }) => name === 'exports/start')?.input).toMatchObject({
    format: 'evidence',
    evidence: { ...DEFAULT_EVIDENCE, sessionIds: ['one', 'two'] },
  });
  wrapper?.unmount();
  await open();
  expect(document.querySelector<HTMLTextAreaElement>('textarea')?.value).toBe('');
});

it('takes the sessions that the records are filtered by', () => {
  const filter = {
    conditions: [
      { field: 'sessionId' as const, values: ['one', 'two'] },
      { field: 'sessionId' as const, values: ['three'], exclude: true },
    ],
  };
  expect(createEvidenceSessions(filter).sessionIds).toEqual(['one', 'two']);
  expect(readSessionIds(' a ;b\n\nc,a')).toEqual(['a', 'b', 'c']);
});
