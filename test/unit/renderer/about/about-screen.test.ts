import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
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
    expect(second!.get('pre').text()).toContain('without a text');
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
