import { mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import type { PackSignature as Signature } from '../../../../src-main/common/model/exports/export-options.ts';
import PackSignature from '../../../../src-renderer/components/dialogs/export/evidence/PackSignature.vue';
import { createMessages } from '../../../../src-renderer/messages/index.ts';

const show = (signature: Signature) =>
  mount(PackSignature, { props: { signature }, global: { plugins: [createMessages()] } });

it('shows the fingerprint of the key in groups, with a way to copy it', () => {
  const wrapper = show({ fingerprint: 'ab12'.repeat(16), unsigned: null });
  expect(wrapper.text()).toContain(Array.from({ length: 16 }, () => 'ab12').join(' '));
  expect(wrapper.text()).toContain('separately from the pack');
  expect(wrapper.find('button').text()).toBe('Copy fingerprint');
});

it.each([
  [{ fingerprint: null, unsigned: null }, 'created with your first pack'],
  [{ fingerprint: null, unsigned: 'no-secret-store' }, 'Not signed: the system has no keychain'],
  [{ fingerprint: null, unsigned: 'key-unreadable' }, 'Not signed: the keychain doesn’t return'],
] as const)('says what is known before: %j', (signature, words) => {
  const wrapper = show(signature);
  expect(wrapper.text().replace("'", '’')).toContain(words);
  expect(wrapper.find('button').exists()).toBe(false);
});
