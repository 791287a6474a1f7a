import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { TooltipProvider } from 'reka-ui';
import { h, type Component } from 'vue';
import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import type { Keychain } from '../../../../src-main/common/contract/operations/app.ts';
import SecretsBanner from '../../../../src-renderer/shell/SecretsBanner.vue';
import SecretsRow from '../../../../src-renderer/screens/settings/rows/SecretsRow.vue';
import KeychainNotice from '../../../../src-renderer/shell/KeychainNotice.vue';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const PASSPHRASE = 'correct horse battery staple';
const KEYCHAIN: Keychain = { kind: 'keychain', failure: null, isWaiting: false, file: 'none' };
const OFFERED: Keychain = { ...KEYCHAIN, kind: 'session', failure: 'secrets.no-keychain', file: 'offered' };
const LOCKED: Keychain = { ...OFFERED, failure: 'secrets.file-locked', file: 'locked' };
const OPEN: Keychain = { ...KEYCHAIN, kind: 'file', file: 'open' };

let page: VueWrapper | null = null;
afterEach(() => {
  page?.unmount();
  page = null;
  document.body.innerHTML = '';
});

async function show(component: Component, keychain: Keychain, isSafe = false): Promise<ScriptedBackend> {
  const backend = new ScriptedBackend({
    'app/get-info': () => ({ platform: 'linux', host: 'web', nowMs: 0, keychain, isSafe }) as never,
    'settings/get': () => makeSettings(),
    'app/retry-keychain': () => OFFERED,
    'secrets/create-file': () => OPEN,
    'secrets/unlock-file': ({ passphrase }) => {
      if (passphrase === PASSPHRASE) return OPEN;
      throw new AppError('secrets.wrong-passphrase', 'Wrong.');
    },
    'secrets/change-passphrase': () => OPEN,
    'secrets/delete-file': () => OFFERED,
  });
  const { global } = await provideApplication(backend);
  await useAppStore().load();
  page = mount({ render: () => h(TooltipProvider, () => h(component)) }, { global, attachTo: document.body });
  return backend;
}
async function press(name: string): Promise<void> {
  const button = [...document.querySelectorAll('button')].findLast(
    (each) => each.textContent.trim() === name,
  );
  if (button === undefined) throw new Error(`There is no button "${name}".`);
  button.click();
  await flushPromises();
}
const fields = (): HTMLInputElement[] => [
  ...document.querySelectorAll<HTMLInputElement>('#passphrase input'),
];
async function type(...values: string[]): Promise<void> {
  for (const [place, value] of values.entries()) {
    const field = fields()[place]!;
    field.value = value;
    field.dispatchEvent(new Event('input'));
  }
  await flushPromises();
}
const submit = (): HTMLButtonElement => document.querySelector<HTMLButtonElement>('button[type="submit"]')!;

describe('the settings of a computer without a keychain', () => {
  it('offer the file, and begin it once a passphrase was entered twice', async () => {
    const backend = await show(SecretsRow, OFFERED);
    await press('Use an encrypted file…');
    expect(fields().map(({ type: kind }) => kind)).toEqual(['password', 'password']);
    expect(submit().disabled).toBe(true);
    await type('short', 'short');
    expect(document.body.textContent).toContain('Too short');
    expect(submit().disabled).toBe(true);
    await type('password1', 'password2');
    expect(document.body.textContent).toContain('Weak');
    expect(document.body.textContent).toContain("The passphrases don't match.");
    expect(submit().disabled).toBe(true);
    await type(PASSPHRASE, PASSPHRASE);
    expect(document.body.textContent).toContain('Fair');
    await press('Encrypt');
    expect(backend.calls.at(-1)).toEqual({ name: 'secrets/create-file', input: { passphrase: PASSPHRASE } });
    expect(fields()).toEqual([]);
    expect(page!.text()).toContain('Kept in an encrypted file');
  });

  it('delete the file only after a question', async () => {
    const backend = await show(SecretsRow, OPEN);
    await press('Delete the file…');
    await press('Cancel');
    expect(backend.calls.map(({ name }) => name)).not.toContain('secrets/delete-file');
    await press('Delete the file…');
    await press('Delete the file');
    expect(backend.calls.map(({ name }) => name)).toContain('secrets/delete-file');
    expect(page!.text()).toContain('An encrypted file can keep them longer.');
  });

  it('change the passphrase with the one before and the new one, twice', async () => {
    const backend = await show(SecretsRow, OPEN);
    await press('Change the passphrase…');
    await type('before', PASSPHRASE, PASSPHRASE);
    await press('Change');
    expect(backend.calls.at(-1)).toEqual({
      name: 'secrets/change-passphrase',
      input: { passphrase: 'before', next: PASSPHRASE },
    });
  });
});

it('a keychain is the only way where there is one', async () => {
  await show(SecretsRow, KEYCHAIN);
  expect(document.querySelectorAll('button')).toHaveLength(0);
  page!.unmount();
  await show(SecretsBanner, KEYCHAIN);
  expect(page!.text()).toBe('');
});

describe('a locked file', () => {
  it('is asked for above the screen, and unlocked; a wrong passphrase is said, and leaves the form', async () => {
    await show(SecretsBanner, LOCKED);
    expect(page!.text()).toContain('Secrets are locked');
    await press('Enter the passphrase…');
    await type('guess');
    await press('Unlock');
    expect(document.body.textContent).toContain('Wrong passphrase');
    expect(fields()[0]!.value).toBe('');
    await type(PASSPHRASE);
    await press('Unlock');
    expect(fields()).toEqual([]);
    expect(page!.text()).toBe('');
  });

  it('can be put off; the status bar has the question then', async () => {
    await show(SecretsBanner, LOCKED);
    await press('Later');
    expect(page!.text()).toBe('');
    page!.unmount();
    await show(KeychainNotice, LOCKED);
    await press('Secrets are locked');
    expect(fields()).toHaveLength(1);
  });

  it('is not asked for by a safe start', async () => {
    await show(SecretsBanner, LOCKED, true);
    expect(page!.text()).toBe('');
  });
});
