import { flushPromises, mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import type { ProxyChallenge, ProxySignIn } from '../../../../src-main/common/contract/operations/app.ts';
import ProxyNotice from '../../../../src-renderer/shell/proxy/ProxyNotice.vue';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const ASKED: ProxyChallenge = { proxy: 'proxy.example:8080', realm: 'office', wasRefused: false };

function find(selector: string): HTMLElement {
  const found = document.body.querySelector<HTMLElement>(selector);
  if (found === null) throw new Error(`There is no ${selector}.`);
  return found;
}

async function fill(texts: readonly string[]): Promise<void> {
  const fields = [...document.body.querySelectorAll<HTMLInputElement>('[role=dialog] input')];
  for (const [place, text] of texts.entries()) {
    fields[place]!.value = text;
    fields[place]!.dispatchEvent(new Event('input'));
  }
  await flushPromises();
  find('form').dispatchEvent(new Event('submit', { cancelable: true }));
  await flushPromises();
}

it('B7: a proxy that asks for a login is answered in a dialog, refused ones are said, and it goes once let through', async () => {
  const entered: ProxySignIn[] = [];
  let answer: ProxyChallenge | null = { ...ASKED, wasRefused: true };
  const backend: ScriptedBackend = new ScriptedBackend({
    'app/read-proxy-challenge': () => null,
    'app/sign-in-to-proxy': (login) => {
      entered.push(login);
      backend.emit('app/proxy-challenge-changed', answer);
      return null;
    },
  });
  const { global } = await provideApplication(backend);
  const page = mount(ProxyNotice, { global, attachTo: document.body });
  await flushPromises();
  expect(page.text()).toBe('');
  backend.emit('app/proxy-challenge-changed', ASKED);
  await flushPromises();
  expect(page.text()).toContain('The proxy asks for a login');
  expect(find('[role=dialog]').textContent).toContain('proxy.example:8080 (“office”) asks');

  await fill(['anna', 'wrong']);
  expect(find('[role=dialog]').textContent).toContain('refused this user name or password');
  expect(find('[role=dialog] input[type=password]')).toHaveProperty('value', '');

  answer = null;
  await fill(['anna', 'right']);
  expect(entered.map(({ password }) => password)).toEqual(['wrong', 'right']);
  expect(document.body.querySelector('[role=dialog]')).toBeNull();
  expect(page.text()).toBe('');
  page.unmount();
});
