import { flushPromises, mount } from '@vue/test-utils';
import { createPinia } from 'pinia';
import { expect, test } from 'vitest';
import type { JournalPage } from '../../../../src-main/common/model/cache/snapshot.ts';
import { backendKey } from '../../../../src-renderer/backend/backend.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import PageJournal from '../../../../src-renderer/screens/library/details/PageJournal.vue';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const PAGE: JournalPage = {
  pageNumber: 0,
  cursorSent: '',
  cursorReceived: 'cursor-of-the-next-page',
  entryCount: 5000,
  firstSeq: 0,
  recordCount: 5000,
  setAsideCount: 2,
  sizeBytes: 1000,
  sha256: 'ab'.repeat(32),
  recordsSha256: null,
  requestedAtMs: 0,
  receivedAtMs: 45,
  totalDocument: 6000,
  status: 200,
  executionTimeMs: null,
  damaged: false,
};

test('seen: the table was wider than its panel; a page shows what is asked for most, and the rest of it when pressed', async () => {
  const pages = [PAGE, { ...PAGE, pageNumber: 1, cursorSent: 'cursor-of-the-next-page', damaged: true }];
  const backend = new ScriptedBackend({ 'snapshots/read-journal': () => ({ total: 2, pages }) });
  const view = mount(PageJournal, {
    props: { snapshot: makeSnapshot({ fromMs: 0, toMs: 1000 }, { pageCount: 2 }) },
    global: { plugins: [createPinia(), createMessages()], provide: { [backendKey as symbol]: backend } },
  });
  await flushPromises();
  const readRow = (row: number) =>
    view
      .findAll('tbody tr')
      [row]!.findAll('td')
      .map((cell) => cell.text());
  expect(readRow(0)).toEqual(['1', '45 ms', '5,000', '1.0 kB', 'abababab']);
  expect(readRow(1).at(-1)).toContain('Damaged');
  const [first, second] = view.findAll('tbody button');
  await first!.trigger('click');
  expect(first!.attributes('aria-expanded')).toBe('true');
  expect(view.get('dl').text()).toContain('cursor-of-the-next-page');
  expect(view.get('dl').text()).toContain(PAGE.sha256);
  await second!.trigger('click');
  expect(view.findAll('dl')).toHaveLength(1);
  await second!.trigger('click');
  expect(view.find('dl').exists()).toBe(false);
});
