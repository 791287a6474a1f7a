import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { TooltipProvider } from 'reka-ui';
import { h } from 'vue';
import { beforeEach, expect, it, vi } from 'vitest';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import type { DestinationState } from '../../../../src-main/common/model/alerts/destination.ts';
import DestinationsView from '../../../../src-renderer/screens/alerts/destinations/DestinationsView.vue';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

function toState(id: string, name: string): DestinationState {
  const draft = {
    name,
    isActive: true,
    kind: 'webhook',
    connectionId: null,
    text: '',
    remindMinutes: null,
  } as const;
  return {
    destination: { ...draft, id, host: `${id}.example` },
    hasKey: false,
    isForeign: false,
    deliveries: [],
  };
}

beforeEach(() => sessionStorage.clear());

async function show(path: string, answers: ConstructorParameters<typeof ScriptedBackend>[0] = {}) {
  const backend = new ScriptedBackend({
    'app/get-info': () => ({ platform: 'macos', host: 'web', nowMs: 0, keychain: {} }) as never,
    'settings/get': () => makeSettings({ clock: 'utc', lastConnectionId: 'one' }),
    'connections/list': () => [makeConnection({ id: 'one' })],
    'destinations/list': () => [toState('a', 'On call'), toState('b', 'Team')],
    'destinations/preview': () => ({ text: 'Firing', body: '{}' }),
    ...answers,
  });
  const { global, router } = await provideApplication(backend, path);
  await useAppStore().load();
  await useConnectionsStore().load();
  const page = mount({ render: () => h(TooltipProvider, () => h(DestinationsView)) }, { global });
  await flushPromises();
  return { page, router };
}

const readStorage = (): string =>
  Object.keys(sessionStorage)
    .map((key) => sessionStorage.getItem(key))
    .join();
const readCurrent = (page: VueWrapper): string => page.get('[aria-current]').text();

it('the destination that is edited is in the address, and a link to it opens it', async () => {
  const { page, router } = await show('/alerts?part=destinations');
  expect(readCurrent(page)).toContain('On call');
  const team = page.findAll('a').find((link) => link.text().includes('Team'));
  await team?.trigger('click');
  await flushPromises();
  expect(router.currentRoute.value.query).toMatchObject({ part: 'destinations', destination: 'b' });
  expect(readCurrent(page)).toContain('Team');
  page.unmount();

  const { page: again } = await show('/alerts?part=destinations&destination=b');
  expect(readCurrent(again)).toContain('Team');
});

it('what was typed of a destination outlives leaving it; its address and key are kept nowhere', async () => {
  const { page } = await show('/alerts?part=destinations&destination=b');
  await page.find('textarea').setValue('{name} again');
  const secret = page.findAll('input').find(({ element }) => element.type === 'password');
  await secret?.setValue('canary-key');
  await page.find('textarea').trigger('change');
  await flushPromises();
  page.unmount();
  expect(readStorage()).toContain('{name} again');
  expect(readStorage()).not.toContain('canary-key');

  const { page: again } = await show('/alerts?part=destinations&destination=b');
  expect(again.find('textarea').element.value).toBe('{name} again');
});

it('asks before an address that was typed is lost, and stays where the answer is no', async () => {
  const { page, router } = await show('/alerts?part=destinations&destination=b');
  const secret = page.findAll('input').find(({ element }) => element.type === 'password');
  await secret?.setValue('https://hooks.example/canary');
  void router.push('/library');
  await vi.waitFor(() =>
    expect(document.body.textContent).toContain('Discard the address, key or login you typed?'),
  );
  const press = (name: string) =>
    [...document.body.querySelectorAll('button')].find(({ textContent }) => textContent === name)?.click();
  press('Keep editing');
  await flushPromises();
  expect(router.currentRoute.value.path).toBe('/alerts');
  void router.push('/alerts?part=destinations&destination=a');
  await vi.waitFor(() =>
    expect(document.body.textContent).toContain('Discard the address, key or login you typed?'),
  );
  press('Discard');
  await vi.waitFor(() => expect(router.currentRoute.value.query['destination']).toBe('a'));
  page.unmount();
});

it('a list that fails says why, and can be read again', async () => {
  let fails = true;
  const { page } = await show('/alerts?part=destinations', {
    'destinations/list': () => {
      if (fails) throw new AppError('app.bug', 'Broken.');
      return [toState('a', 'On call')];
    },
  });
  expect(page.text()).toContain('Unexpected error');
  fails = false;
  await page
    .findAll('button')
    .find((button) => button.text() === 'Try again')
    ?.trigger('click');
  await flushPromises();
  expect(page.text()).toContain('On call');
});

it('an e-mail is saved with its server, several recipients and a login that is kept nowhere', async () => {
  const saved: unknown[] = [];
  const { page } = await show('/alerts?part=destinations&destination=new', {
    'destinations/list': () => [],
    'destinations/save': (input) => {
      saved.push(input);
      return { ...input.draft, id: 'mail', host: 'smtp.example.org:587' };
    },
  });
  const fill = async (label: string, text: string): Promise<void> => {
    const own = page.findAll('label').find((one) => one.text() === label);
    await page.get(`[id="${own?.attributes('for') ?? ''}"]`).setValue(text);
  };
  const choose = async (label: string, value: string): Promise<void> => {
    const own: VueWrapper | undefined = page
      .findAllComponents({ name: 'SelectField' })
      .find((one) => one.props()['label'] === label);
    own?.vm.$emit('update:modelValue', value);
    await flushPromises();
  };
  const press = (name: string) =>
    page
      .findAll('button')
      .find((button) => button.text() === name)
      ?.trigger('click');
  await press('New destination');
  await flushPromises();
  await choose('Kind', 'email');
  expect(page.findAll('label').map((label) => label.text())).not.toContain('Address');
  await fill('Server', 'smtp.example.org');
  await choose('Encryption', 'starttls');
  await fill('User', 'canary-user');
  await fill('Password', 'canary-password');
  await fill('From', 'alerts@example.org');
  // A second recipient can be typed after a comma.
  await fill('To', 'one@example.org,');
  await fill('To', 'one@example.org, two@example.org');
  expect(readStorage()).not.toContain('canary');
  await press('Save');
  await flushPromises();
  expect(saved).toMatchObject([
    {
      draft: {
        kind: 'email',
        mail: {
          host: 'smtp.example.org',
          port: 587,
          security: 'starttls',
          from: 'alerts@example.org',
          to: ['one@example.org', 'two@example.org'],
        },
      },
      user: 'canary-user',
      key: 'canary-password',
    },
  ]);
});

it('a command is saved with its arguments, one a line, and says where it was not saved here', async () => {
  const saved: unknown[] = [];
  const own = toState('a', 'Ticket');
  const command = { program: '/usr/bin/ticket', args: ['--new'] };
  const { page } = await show('/alerts?part=destinations&destination=a', {
    'destinations/list': () => [
      { ...own, isForeign: true, destination: { ...own.destination, kind: 'command', command } },
    ],
    'destinations/save': (input) => {
      saved.push(input);
      return { ...input.draft, id: 'a', host: 'ticket' };
    },
  });
  const find = (label: string) => {
    const field = page.findAll('label').find((one) => one.text() === label);
    return page.get<HTMLInputElement>(`[id="${field?.attributes('for') ?? ''}"]`);
  };
  expect(page.text()).toContain('wasn’t saved on this computer');
  expect(find('Arguments, one per line').element.value).toBe('--new');
  const save = page.findAll('button').find((button) => button.text() === 'Save');
  // As it is, or changed: saving it lets it be run.
  expect(save?.attributes('disabled')).toBeUndefined();
  await find('Program').setValue('/usr/bin/other ');
  await find('Arguments, one per line').setValue('--new\n\na b\n');
  expect(find('Arguments, one per line').element.value).toBe('--new\n\na b\n');
  await save?.trigger('click');
  await flushPromises();
  expect(saved).toMatchObject([
    {
      destinationId: 'a',
      draft: { kind: 'command', command: { program: '/usr/bin/other', args: ['--new', 'a b'] } },
    },
  ]);
  expect(saved).not.toMatchObject([{ address: expect.anything() as unknown }]);
});

it('contents of records are sent only where that is chosen, clients as pseudonyms at first', async () => {
  const saved: unknown[] = [];
  const previewed: unknown[] = [];
  const { page } = await show('/alerts?part=destinations&destination=a', {
    'destinations/preview': ({ draft }) => {
      previewed.push(draft.contents);
      return { text: 'Firing', body: '{}' };
    },
    'destinations/save': (input) => {
      saved.push(input.draft.contents);
      return { ...input.draft, id: 'a', host: 'a.example' };
    },
  });
  const press = async (name: string): Promise<void> => {
    await page
      .findAll('button')
      .find((button) => button.text() === name)
      ?.trigger('click');
    await flushPromises();
  };
  const label = page.findAll('label').find((one) => one.text() === 'With contents of records');
  const choice = page.get(`[id="${label?.attributes('for') ?? ''}"]`);
  expect(page.findAll('label').map((one) => one.text())).not.toContain('Clients');
  await choice.trigger('click');
  await press('Save');
  const clients: VueWrapper | undefined = page
    .findAllComponents({ name: 'SelectField' })
    .find((one) => one.props()['label'] === 'Clients');
  clients?.vm.$emit('update:modelValue', 'received');
  await press('Save');
  await choice.trigger('click');
  expect(saved).toEqual([{ clients: 'pseudonym' }, { clients: 'received' }]);
  await vi.waitFor(() =>
    expect(previewed).toEqual([undefined, { clients: 'pseudonym' }, { clients: 'received' }, undefined]),
  );
});
