import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import AboutScreen from '../../../../src-renderer/screens/about/AboutScreen.vue';
import NoticesPanel from '../../../../src-renderer/screens/about/NoticesPanel.vue';
import { HeldBackend } from '../support/held-backend.ts';
import { provideApplication } from '../support/provide-application.ts';

vi.mock('../../../../src-renderer/screens/about/notices.ts', () => ({
  notices: [
    { name: 'fast-lists', version: '2.0.0', licence: 'MIT', text: 'Permission is hereby granted <b>.' },
    { name: 'old-fonts', version: '1.2.3', licence: 'OFL-1.1', text: '' },
  ],
}));

let view: VueWrapper;
beforeEach(async () => {
  const { global } = await provideApplication(new HeldBackend());
  view = mount(NoticesPanel, { global, attachTo: document.body });
  await vi.waitFor(() => expect(view.findAll('details')).toHaveLength(2));
});
afterEach(() => view.unmount());

describe('software by others', () => {
  it('is listed with version, licence and its text, as text', () => {
    expect(view.text()).toContain('2 packages');
    const [first, second] = view.findAll('details');
    expect(first!.text()).toContain('fast-lists2.0.0MIT');
    expect(first!.get('pre').text()).toBe('Permission is hereby granted <b>.');
    expect(second!.get('pre').text()).toContain("doesn't include the text of its licence");
  });

  it('is found by name and by licence', async () => {
    await view.get('input').setValue('ofl');
    await flushPromises();
    expect(view.findAll('details').map((one) => one.get('.medium').text())).toEqual(['old-fonts']);
    await view.get('input').setValue('nothing like it');
    expect(view.findAll('details')).toEqual([]);
    expect(view.text()).toContain('No package or licence');
  });
});

describe('the health of the application', () => {
  const health = {
    startedAtMs: Date.UTC(2026, 10, 20, 12),
    isSafe: true,
    versions: [{ name: 'node', version: '24.21.0' }],
    memoryBytes: 200_000_000,
    cacheMode: 'ready',
    engineThreads: 1,
    engineMemoryBytes: 256 * 1024 * 1024,
    files: [{ name: 'cache.sqlite', bytes: 5_000_000 }],
    freeBytes: null,
    troubles: [
      {
        time: '2026-11-20T12:00:01.000Z',
        level: 'error',
        part: 'cache',
        event: 'stop failed',
        code: 'cache.damaged',
      },
    ],
  };
  let backend: HeldBackend;
  let screen: VueWrapper;
  beforeEach(async () => {
    backend = new HeldBackend();
    const { global } = await provideApplication(backend);
    screen = mount(AboutScreen, { global, attachTo: document.body });
    await backend.of('diagnostics/read-health')[0]!.answer(health);
    await flushPromises();
  });
  afterEach(() => screen.unmount());
  const press = (name: string) =>
    screen
      .findAll('button')
      .find((one) => one.text() === name)!
      .trigger('click');

  it('is shown with what is known of it, the last troubles, and that nothing goes on by itself', () => {
    for (const words of [
      'node 24.21.0',
      'cache.sqlite',
      'not known',
      'stop failed',
      'cache.damaged',
      'Safe mode',
    ]) {
      expect(screen.text().replaceAll(/[\u2066-\u2069]/gu, '')).toContain(words);
    }
  });

  it('is tested part by part, and a failure says what to do', async () => {
    await press('Run the self-test');
    await backend.of('diagnostics/test-self')[0]!.answer([
      { part: 'disk', outcome: 'passed', code: null, tookMs: 3 },
      { part: 'keychain', outcome: 'failed', code: 'secrets.no-keychain', tookMs: 1 },
    ]);
    await flushPromises();
    const tests = screen.findAll('.test').map((one) => one.text());
    expect(tests[0]).toMatch(/^Data folder\s*Passed/u);
    expect(tests[1]).toMatch(/^Keychain\s*Failed.*keychain/iu);
    expect(backend.of('diagnostics/read-health')).toHaveLength(2);
  });

  it('leads to the bundle where the address names it', async () => {
    expect(document.activeElement).toBe(document.body);
    const { global } = await provideApplication(backend, '/about/bundle');
    const other = mount(AboutScreen, { global, attachTo: document.body });
    await backend.of('diagnostics/read-health').at(-1)!.answer(health);
    await flushPromises();
    expect(document.activeElement?.textContent).toContain('Show the bundle');
    other.unmount();
  });

  it('is put into a bundle that can be saved only once it is seen', async () => {
    expect(screen.text()).not.toContain('Save as a file');
    await press('Show the bundle');
    await backend
      .of('diagnostics/write-bundle')[0]!
      .answer({ fileName: 'a.txt', text: 'versions and sizes' });
    await flushPromises();
    expect(screen.get('pre[role=region]').text()).toBe('versions and sizes');
    expect(screen.text()).toContain('Save as a file');
  });
});
