import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createMemoryHistory, createRouter } from 'vue-router';
import type { Input } from '../../../../src-main/common/contract/index.ts';
import type { Connection } from '../../../../src-main/common/model/connections/connection.ts';
import type { Task } from '../../../../src-main/common/model/cache/task.ts';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import { backendKey } from '../../../../src-renderer/backend/backend.ts';
import { createMessages, loadMessages } from '../../../../src-renderer/messages/index.ts';
import ConnectionEditor from '../../../../src-renderer/screens/connections/ConnectionEditor.vue';
import { makeConnection, makeSettings, makeTask } from '../support/samples.ts';
import { installStores, ScriptedBackend } from '../support/scripted-backend.ts';

// A list of every zone takes seconds to mount without a browser.
beforeEach(() => {
  vi.spyOn(Intl, 'supportedValuesOf').mockReturnValue(['America/Bogota', 'Europe/Madrid']);
});

type Script = ConstructorParameters<typeof ScriptedBackend>[0];

const Blank = { template: '<i />' };

function open(connection: Connection | null, script: Script = {}, messages = createMessages()) {
  const backend = new ScriptedBackend({
    'connections/save': ({ draft, connectionId }) =>
      makeConnection({ ...draft, id: connectionId ?? 'new-id', secrets: 'keychain' }),
    'settings/update': () => makeSettings(),
    ...script,
  });
  const pinia = installStores(backend);
  const router = createRouter({
    history: createMemoryHistory(),
    routes: [{ path: '/:rest(.*)*', component: Blank }],
  });
  const editor = mount(ConnectionEditor, {
    props: { connection, isTesting: false },
    global: { plugins: [pinia, messages, router], provide: { [backendKey as symbol]: backend } },
    attachTo: document.body,
  });
  return { backend, editor, router };
}

/** The input that a label names. */
function field(editor: VueWrapper, label: string) {
  const found = editor.findAll('label').find((each) => each.text() === label);
  return editor.get<HTMLInputElement>(`[id="${found?.attributes('for') ?? ''}"]`);
}

function button(name: string, among: string): HTMLButtonElement {
  const found = [...document.body.querySelectorAll<HTMLButtonElement>(among)].find(
    (each) => each.textContent.trim() === name,
  );
  if (found === undefined) throw new Error(`There is no button ${name}.`);
  return found;
}

async function press(name: string, among = 'button'): Promise<void> {
  button(name, among).click();
  await flushPromises();
}

async function submit(editor: VueWrapper): Promise<void> {
  await editor.get('form').trigger('submit');
  await flushPromises();
}

// What is typed is kept for the window.
beforeEach(() => sessionStorage.clear());

describe('a new connection', () => {
  test('names what is missing only after saving was tried, and sends nothing', async () => {
    const { backend, editor } = open(null);
    expect(editor.find('.cs-error').exists()).toBe(false);
    await submit(editor);
    const errors = editor.findAll('.cs-error').map((each) => each.text());
    expect(errors).toEqual([
      'Enter a name.',
      'Enter a number.',
      'Enter the address of the service.',
      'This field is required.',
      'This field is required.',
    ]);
    expect(backend.calls).toEqual([]);
  });

  test('is saved with what was typed, becomes the active one, and its secrets leave the form', async () => {
    const { backend, editor } = open(null);
    await field(editor, 'Name').setValue(' Production ');
    await field(editor, 'Tenant').setValue('4120');
    await field(editor, 'Base address').setValue('https://reports.example.com');
    await field(editor, 'Access token').setValue('token');
    await field(editor, 'Access token secret').setValue('secret');
    await submit(editor);
    expect(backend.calls.map(({ name }) => name)).toEqual(['connections/save', 'settings/update']);
    expect(backend.calls[0]?.input).toMatchObject({
      connectionId: null,
      draft: { name: 'Production', tenant: 4120, baseAddress: 'https://reports.example.com' },
      secrets: { accessToken: 'token', accessTokenSecret: 'secret' },
    });
    expect(backend.calls[1]?.input).toEqual({ lastConnectionId: 'new-id' });
    expect(editor.emitted('saved')).toEqual([['new-id']]);
    expect(field(editor, 'Access token').element.value).toBe('');
    expect(field(editor, 'Access token secret').element.value).toBe('');
  });

  test('warns where the address would send the credentials unencrypted, and asks for a tick', async () => {
    const { backend, editor } = open(null);
    await field(editor, 'Name').setValue('Old platform');
    await field(editor, 'Tenant').setValue('1');
    await field(editor, 'Access token').setValue('token');
    await field(editor, 'Access token secret').setValue('secret');
    await field(editor, 'Base address').setValue('http://127.0.0.1:8080');
    expect(editor.text()).not.toContain("isn't encrypted");
    await field(editor, 'Base address').setValue('http://reports.example.com');
    expect(editor.text()).toContain("This address isn't encrypted.");
    await submit(editor);
    expect(editor.text()).toContain('Tick this box to continue');
    expect(backend.calls).toEqual([]);
    await editor.get('input[type=checkbox]').setValue(true);
    await field(editor, 'Base address').setValue('http://elsewhere.example.com');
    await submit(editor);
    expect(backend.calls).toEqual([]);
    await editor.get('input[type=checkbox]').setValue(true);
    await submit(editor);
    expect(backend.calls[0]?.input).toMatchObject({
      draft: { baseAddress: 'http://elsewhere.example.com', allowsPlainHttp: true },
    });
  });
});

describe('a saved connection', () => {
  test('never shows its secrets, and keeps those that are not typed again', async () => {
    const { backend, editor } = open(makeConnection());
    const secret = field(editor, 'Access token secret').element;
    expect([secret.value, secret.placeholder, secret.type]).toEqual([
      '',
      'Stored. Type to replace.',
      'password',
    ]);
    await field(editor, 'Name').setValue('Renamed');
    await submit(editor);
    expect(backend.calls[0]?.input).toMatchObject({
      connectionId: 'a',
      draft: { name: 'Renamed' },
      secrets: {},
    });
    expect(editor.get('[role=status]').text()).toBe('Saved');
    expect(editor.emitted('saved')).toBeUndefined();
  });

  test('asks for its secrets again where the address becomes another service, and not for another path', async () => {
    const { backend, editor } = open(makeConnection(), {
      'connections/start-test': () => ({ taskId: 'test-1' }),
    });
    await field(editor, 'Base address').setValue('https://reports.example.org');
    expect(editor.text()).toContain('Stored for https://reports.example.com.');
    await field(editor, 'Base address').setValue('https://reports.example.com/prefix');
    expect(editor.text()).not.toContain('Stored for');
    await press('Test connection');
    expect(backend.calls.map(({ name }) => name)).toEqual(['connections/start-test']);
    await field(editor, 'Base address').setValue('https://reports.example.org');
    expect(field(editor, 'Access token').element.placeholder).toBe('');
    await press('Test connection');
    await submit(editor);
    const words = 'Enter it again. The stored one was saved for another address.';
    expect(editor.findAll('.cs-error').map((each) => each.text())).toEqual([words, words]);
    expect(backend.calls).toHaveLength(1);
  });

  test('that could not be saved says why and keeps what was typed', async () => {
    const { editor } = open(makeConnection(), {
      'connections/save': () => {
        throw new AppError('secrets.denied', 'The keychain refused.');
      },
    });
    await field(editor, 'Name').setValue('Renamed');
    await submit(editor);
    expect(editor.get('.banner').text()).toContain('Keychain access denied');
    expect(field(editor, 'Name').element.value).toBe('Renamed');
    expect(editor.text()).not.toContain('Saved');
  });

  test('is tested as it stands in the form, without saving it', async () => {
    const { backend, editor } = open(makeConnection(), {
      'connections/start-test': () => ({ taskId: 'test-1' }),
    });
    await field(editor, 'Tenant').setValue('7');
    await press('Test connection');
    expect(backend.calls.map(({ name }) => name)).toEqual(['connections/start-test']);
    expect(backend.calls[0]?.input).toMatchObject({ connectionId: 'a', draft: { tenant: 7 } });
    expect(editor.emitted('tested')).toEqual([['test-1']]);
  });

  test('says when a test is no longer of what is typed; a name is nothing that a service sees', async () => {
    const { editor } = open(makeConnection());
    await field(editor, 'Name').setValue('Renamed');
    expect(editor.emitted('changed')).toBeUndefined();
    await field(editor, 'Base address').setValue('https://other.example.com');
    expect(editor.emitted('changed')).toHaveLength(1);
  });

  test('is deleted only once that is confirmed', async () => {
    const { backend, editor } = open(makeConnection(), { 'connections/remove': () => null });
    await press('Delete…');
    expect(backend.calls).toEqual([]);
    await press('Delete connection');
    expect(backend.calls).toEqual([{ name: 'connections/remove', input: { connectionId: 'a' } }]);
    expect(editor.emitted('removed')).toHaveLength(1);
  });

  test('unfolds the report identifiers where one of them is wrong', async () => {
    const connection = makeConnection();
    const reportIdentifiers = { ...connection.reportIdentifiers, 'inbound-detail': 'x' };
    const { backend, editor } = open({ ...connection, reportIdentifiers });
    expect(editor.text()).not.toContain('Enter a GUID');
    await submit(editor);
    expect(editor.text()).toContain('Enter a GUID: 8-4-4-4-12 hexadecimal digits.');
    expect(field(editor, 'Inbound detail').attributes('aria-invalid')).toBe('true');
    expect(backend.calls).toEqual([]);
  });

  test('takes over the zone that the check proposes, and forgets the finding then', async () => {
    const { backend, editor } = open(makeConnection(), {
      'connections/start-zone-check': () => ({ taskId: 't1' }),
      'tasks/wait': () =>
        makeTask({
          kind: 'zone-check',
          state: 'done',
          zoneFinding: {
            verdict: 'wrong',
            zone: 'America/Bogota',
            proposedZone: '+02:00',
            evidence: [{ code: 'in-future', values: { minutes: 420 } }],
          },
        }),
    });
    await press('Check the time zone');
    expect(editor.text()).toContain('420 minutes in the future');
    await press('Use +02:00');
    expect(editor.text()).not.toContain('420 minutes in the future');
    expect(field(editor, 'Service time zone').element.value).toContain('+02:00');
    await submit(editor);
    expect(backend.calls.at(-1)?.input).toMatchObject({ draft: { serviceZone: '+02:00' } });
  });

  test('cancels a zone check, and says nothing of it', async () => {
    const { promise, resolve } = Promise.withResolvers<Task>();
    const { backend, editor } = open(makeConnection(), {
      'connections/start-zone-check': () => ({ taskId: 't1' }),
      'tasks/wait': () => promise,
      'tasks/cancel': () => {
        resolve(makeTask({ kind: 'zone-check', state: 'cancelled' }));
        return null;
      },
    });
    await press('Check the time zone');
    await press('Cancel');
    expect(backend.calls.at(-1)).toEqual({ name: 'tasks/cancel', input: { taskId: 't1' } });
    expect(editor.find('[role=alert]').exists()).toBe(false);
    expect(editor.text()).not.toContain('Cancel');
  });
});

test("the built-in connection has the name of the window's language until a person gives it another one", async () => {
  const messages = createMessages();
  await Promise.all((['de', 'es'] as const).map((language) => loadMessages(messages, language)));
  messages.global.locale.value = 'de';
  const builtIn = makeConnection({ kind: 'local', name: 'Local service', secrets: 'keychain' });
  const { backend, editor } = open(builtIn, {}, messages);
  const name = () => editor.get<HTMLInputElement>('input');
  const savedNames = () =>
    backend.calls.flatMap(({ name: operation, input }) =>
      operation === 'connections/save' ? [(input as Input<'connections/save'>).draft.name] : [],
    );
  expect(name().element.value).toBe('Lokaler Dienst');
  messages.global.locale.value = 'es';
  await flushPromises();
  expect(name().element.value).toBe('Servicio local');
  await submit(editor);
  await name().setValue('Kasse');
  await submit(editor);
  expect(savedNames()).toEqual(['Local service', 'Kasse']);
});

test('typed credentials are asked about before the form is left, and never kept', async () => {
  const { editor, router } = open(makeConnection());
  await router.push('/settings/connections/one');
  await field(editor, 'Tenant').setValue('77');
  await router.push('/settings/connections/two');
  expect(router.currentRoute.value.path).toBe('/settings/connections/two');
  await field(editor, 'Access token secret').setValue('typed-secret');
  const leaving = router.push('/overview');
  await flushPromises();
  expect(document.body.textContent).toContain('Discard the credentials you typed?');
  await press('Keep editing');
  await leaving;
  expect(router.currentRoute.value.path).toBe('/settings/connections/two');
  expect(field(editor, 'Access token secret').element.value).toBe('typed-secret');
  const left = router.push('/overview');
  await flushPromises();
  await press('Discard', '[role=dialog] button');
  await left;
  expect(router.currentRoute.value.path).toBe('/overview');
  expect(JSON.stringify(sessionStorage)).not.toContain('typed-secret');
  editor.unmount();
  await router.push('/connections');
  expect(router.currentRoute.value.path).toBe('/connections');
});

test('a form that is left for an address that leads on is asked about once', async () => {
  const { editor, router } = open(makeConnection());
  await router.push('/settings/connections/one');
  await field(editor, 'Access token secret').setValue('typed-secret');
  router.beforeEach(({ path, query }) =>
    path === '/overview' && query['connection'] === undefined
      ? { path, query: { connection: 'one' }, replace: true }
      : true,
  );
  const left = router.push('/overview');
  await flushPromises();
  await press('Discard', '[role=dialog] button');
  await left;
  expect(router.currentRoute.value.fullPath).toBe('/overview?connection=one');
  const again = router.push('/settings/connections/one');
  await flushPromises();
  await press('Keep editing');
  await again;
  expect(router.currentRoute.value.path).toBe('/overview');
  editor.unmount();
});

test('a pasted operation path leaves the address as soon as the field is left', async () => {
  const { editor } = open(null);
  const address = field(editor, 'Base address');
  await address.setValue('https://reports.example.com/prefix/api/ServiceReporting/CreateToken');
  await address.trigger('focusout');
  expect(address.element.value).toBe('https://reports.example.com/prefix');
  await address.setValue('reports.example.com/api');
  await address.trigger('focusout');
  expect(address.element.value).toBe('reports.example.com/api');
});

test('a time zone is found by its city', async () => {
  const { editor } = open(null);
  const zone = field(editor, 'Service time zone');
  expect(zone.element.value).toBe('UTC');
  await zone.trigger('click');
  await zone.setValue('bogot');
  await flushPromises();
  const options = [...document.querySelectorAll('[role=option]')].map((each) => each.textContent.trim());
  expect(options).toEqual(['America/Bogota (UTC−05:00)']);
  await zone.trigger('keydown', { key: 'Enter' });
  await flushPromises();
  expect(zone.element.value).toBe('America/Bogota (UTC−05:00)');
});

test('a saved connection that is not the one shown can be used at once', async () => {
  const { editor, backend } = open(makeConnection({ id: 'other' }));
  button('Use this connection', 'button').click();
  await flushPromises();
  expect(backend.calls.at(-1)?.input).toEqual({ lastConnectionId: 'other' });
  await field(editor, 'Tenant').setValue('9');
  expect(editor.text()).not.toContain('Use this connection');
});
