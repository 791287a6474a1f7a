import { flushPromises, mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import type { WindowFault } from '../../../../src-main/common/contract/operations/data-folder.ts';
import FaultDialog from '../../../../src-renderer/shell/faults/FaultDialog.vue';
import { faultsKey, watchFaults } from '../../../../src-renderer/shell/window.ts';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

function failAt(place: string, error: Error = new TypeError('Ana Haddad is not a function')): Error {
  error.stack = `${error.name}: ${error.message}\n    at draw (http://127.0.0.1:1/assets/${place})\n    at <anonymous>`;
  return error;
}

async function open() {
  const noted: WindowFault[] = [];
  const backend = new ScriptedBackend({
    'diagnostics/note-fault': (fault) => {
      noted.push(fault);
      return null;
    },
  });
  const page = new EventTarget() as Window;
  const faults = watchFaults(page, backend);
  const { global } = await provideApplication(backend);
  mount(FaultDialog, {
    global: { ...global, provide: { ...global.provide, [faultsKey as symbol]: faults } },
    attachTo: document.body,
  });
  return { faults, noted, page };
}

const readDialog = (): string => document.body.querySelector('[role=dialog]')?.textContent ?? '';

async function press(name: string): Promise<void> {
  const found = [...document.body.querySelectorAll('button')].find(
    (each) => each.textContent.trim() === name,
  );
  found?.click();
  await flushPromises();
}

it('what nobody caught in the window is logged without its message and said, once for each place', async () => {
  const { noted, page } = await open();
  expect(readDialog()).toBe('');
  page.dispatchEvent(new ErrorEvent('error', { error: failAt('index-a1.js:2:31') }));
  await flushPromises();
  expect(readDialog()).toContain('Something unexpected happened');
  await press('Continue');
  expect(readDialog()).toBe('');

  page.dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason: failAt('index-a1.js:2:31') }));
  await flushPromises();
  expect(readDialog()).toBe('');
  page.dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason: failAt('detail-b2.js:9:4') }));
  await flushPromises();
  expect(readDialog()).toContain('Something unexpected happened');
  await press('Continue');
  expect(noted).toEqual([
    { name: 'TypeError', places: ['index-a1.js:2:31'] },
    { name: 'TypeError', places: ['detail-b2.js:9:4'] },
  ]);
});

it('what was said where it happened, was cancelled, or is no error of the code, is no fault', async () => {
  const { faults, noted, page } = await open();
  faults.note(new AppError('client.timeout', 'no'));
  faults.note(new DOMException('cancelled', 'AbortError'));
  page.dispatchEvent(new ErrorEvent('error', { message: 'ResizeObserver loop completed', error: null }));
  await flushPromises();
  expect(readDialog()).toBe('');
  expect(noted).toEqual([]);
});
