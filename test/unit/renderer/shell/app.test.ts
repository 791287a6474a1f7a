import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, describe, expect, it, vi, type Mock } from 'vitest';
import type { Router } from 'vue-router';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import type { Output } from '../../../../src-main/common/contract/index.ts';
import type { Connection } from '../../../../src-main/common/model/connections/connection.ts';
import type { Settings } from '../../../../src-main/common/model/settings/settings.ts';
import App from '../../../../src-renderer/App.vue';
import { makeState } from '../local-service/local-service-samples.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeHistory, makeSample, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

interface Start {
  path?: string;
  connections?: Connection[];
  settings?: Partial<Settings>;
  info?: Partial<Output<'app/get-info'>>;
  failWith?: Error;
  /** What the connections wait for. */
  until?: Promise<void>;
  answerConnections?: () => Promise<Connection[]>;
  failing?: ('cache/read-state' | 'tasks/list')[];
  width?: number;
}

let backend: ScriptedBackend;
let router: Router;
let page: VueWrapper;

let showPicture: Mock<() => void>;

async function start(options: Start = {}): Promise<void> {
  const {
    path = '/overview',
    connections = [makeConnection()],
    settings = {},
    info = {},
    width = 1440,
  } = options;
  backend = new ScriptedBackend({
    'app/get-info': () => {
      if (options.failWith !== undefined) throw options.failWith;
      return { platform: 'linux', host: 'web', nowMs: 0, keychain: { kind: 'keychain' }, ...info } as never;
    },
    'settings/get': () => makeSettings(settings),
    'connections/list': async () => {
      if (options.answerConnections !== undefined) return options.answerConnections();
      await options.until;
      return connections;
    },
    'local-service/get-state': () => makeState(),
    'tasks/list': () => {
      if (options.failing?.includes('tasks/list') === true) throw new Error('away');
      return [];
    },
    'downloads/list': () => [],
    'cache/read-state': () => {
      if (options.failing?.includes('cache/read-state') === true) throw new Error('away');
      return { startedAtMs: 0 } as never;
    },
    'snapshots/list': () => [],
    'snapshots/read-storage': () => ({ totalBytes: 1_000_000 }) as never,
    'status/refresh': () => makeSample(),
    'status/read-history': () => makeHistory(makeSample()),
  });
  const application = await provideApplication(backend, path);
  router = application.router;
  router.addRoute({
    path: '/overview',
    name: 'overview',
    component: { template: '<h1>Overview of the day</h1>' },
  });
  router.addRoute({
    path: '/first-run',
    name: 'first-run',
    component: { template: '<h1>Welcome</h1>' },
    meta: { withoutShell: true },
  });
  await router.replace('/away');
  await router.replace(path);
  window.innerWidth = width;
  showPicture = vi.fn();
  page = mount(App, {
    props: { nonce: 'n0nce', fonts: Promise.resolve(), showPicture },
    global: application.global,
    attachTo: document.body,
  });
}

async function press(key: string, modifiers: Partial<KeyboardEventInit>): Promise<void> {
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, ...modifiers }));
  await flushPromises();
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  page.unmount();
  document.documentElement.className = '';
  document.body.innerHTML = '';
});

it('the window can be moved where there is no toolbar: on the first run and when loading failed', async () => {
  const strips = (): number => page.findAll('.strip.cs-drag').length;
  await start();
  await flushPromises();
  expect(strips()).toBe(0);
  page.unmount();
  await start({ connections: [] });
  await flushPromises();
  expect(strips()).toBe(1);
  page.unmount();
  await start({ failWith: new Error('away') });
  await flushPromises();
  expect(strips()).toBe(1);
});

describe('the application', () => {
  it('goes on when a store fails that its screens can do without', async () => {
    await start({ failing: ['cache/read-state', 'tasks/list'] });
    await flushPromises();
    expect(page.get('main').text()).toBe('Overview of the day');
    expect(page.find('[role=alert]').exists()).toBe(false);
  });

  it('is drawn from what it began with last time, and asks once more whether that holds', async () => {
    let asked = 0;
    const again = Promise.withResolvers<undefined>();
    await start({
      answerConnections: async () => {
        asked += 1;
        if (asked === 1) return [makeConnection({ name: 'As it was' })];
        await again.promise;
        return [makeConnection({ name: 'As it is' })];
      },
    });
    await flushPromises();
    expect(page.get('main').text()).toBe('Overview of the day');
    expect(page.text()).toContain('As it was');
    again.resolve(undefined);
    await flushPromises();
    expect(page.text()).toContain('As it is');
  });

  it('says what keeps the application from starting, though it was drawn from last time', async () => {
    let asked = 0;
    await start({
      answerConnections: () => {
        asked += 1;
        if (asked === 1) return Promise.resolve([makeConnection()]);
        return Promise.reject(new AppError('cache.newer', 'A later version wrote the cache.'));
      },
    });
    await flushPromises();
    expect(page.find('main h1').exists()).toBe(false);
    expect(page.get('[role=alert]').text()).toContain('newer version');
  });

  it('says that its host is gone, and reads everything again when it is back', async () => {
    await start();
    await flushPromises();
    backend.tellHost(false);
    await flushPromises();
    expect(page.get('[role=alert]').text()).toContain("Channelscope isn't responding.");
    const before = ['tasks/list', 'downloads/list', 'snapshots/list', 'status/refresh'] as const;
    const counts = before.map((name) => backend.countCalls(name));
    const main = page.get('main h1').element;
    backend.tellHost(true);
    await flushPromises();
    expect(page.find('[role=alert]').exists()).toBe(false);
    expect(before.map((name) => backend.countCalls(name))).toEqual(counts.map((count) => count + 1));
    expect(page.get('main h1').element).not.toBe(main);
  });

  it('leaves what is shown as it is after a silence in which nothing was missed', async () => {
    await start();
    await flushPromises();
    const main = page.get('main h1').element;
    backend.tellHost(false);
    await flushPromises();
    const lists = backend.countCalls('connections/list');
    backend.tellHost(true, false);
    await flushPromises();
    expect(page.find('[role=alert]').exists()).toBe(false);
    expect(backend.countCalls('connections/list')).toBe(lists);
    expect(page.get('main h1').element).toBe(main);
  });

  it('draws nothing before it knows its connections, then the view of the address inside the shell', async () => {
    await start();
    expect(page.text()).toBe('');
    expect(showPicture).not.toHaveBeenCalled();
    await flushPromises();
    expect(page.get('main').text()).toBe('Overview of the day');
    await vi.waitFor(() => expect(showPicture).toHaveBeenCalled());
    expect(page.get('aside').text()).toContain('Production');
    expect(page.get('footer').text()).toContain('reports.example.com');
    expect(page.get('aside').text()).toContain('Service reachable');
  });

  it('says in the language of the system what a start waits for that takes long', async () => {
    vi.useFakeTimers();
    vi.spyOn(navigator, 'languages', 'get').mockReturnValue(['de-AT', 'en']);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    await start({ until: promise, settings: { language: 'en' } });
    await vi.advanceTimersByTimeAsync(900);
    expect(page.text()).toBe('');
    await vi.advanceTimersByTimeAsync(200);
    await vi.waitFor(() => expect(page.get('[role=status]').text()).toContain('Der Cache wird geöffnet'), {
      // The language is a file of its own, which a busy machine compiles for some seconds.
      timeout: 20_000,
    });
    resolve(undefined);
    await vi.waitFor(() => expect(page.get('main').text()).toBe('Overview of the day'));
    expect(page.text()).not.toContain('Der Cache');
    expect(document.documentElement.lang).toMatch(/^en/u);
  });

  it('shows icons alone beside the view where the window is narrow', async () => {
    await start({ width: 1024 });
    await flushPromises();
    expect(page.get('aside').text()).not.toContain('Service reachable');
    expect(page.get('main').text()).toBe('Overview of the day');
  });

  it('reads what runs and what is cached once, for every screen', async () => {
    await start();
    await flushPromises();
    for (const name of ['tasks/list', 'downloads/list', 'cache/read-state', 'snapshots/list'] as const) {
      expect([name, backend.countCalls(name)]).toEqual([name, 1]);
    }
    expect(page.get('footer').text()).toContain('Cache 1.0 MB');
  });

  it('shows the error instead of the shell when it cannot start', async () => {
    await start({ failWith: Object.assign(new Error('no core'), { code: 'app.unexpected', details: {} }) });
    await flushPromises();
    expect(page.get('[role=alert]').text()).toContain('app.unexpected');
    expect(showPicture).toHaveBeenCalled();
    expect(page.find('main').exists()).toBe(false);
    expect(router.currentRoute.value.path).toBe('/overview');
  });

  it('sends a person without a connection to the first run, which has no shell', async () => {
    await start({ connections: [] });
    await flushPromises();
    expect(router.currentRoute.value.path).toBe('/first-run');
    expect(page.text()).toBe('Welcome');
    expect(page.find('aside').exists()).toBe(false);
  });

  it('leaves a person without a connection on the screens that need none', async () => {
    await start({ connections: [], path: '/settings/connections' });
    await flushPromises();
    expect(router.currentRoute.value.path).toBe('/settings/connections');
    expect(page.find('main').exists()).toBe(true);
  });

  it('goes to the first run once the last connection is removed', async () => {
    await start();
    await flushPromises();
    backend.emit('connections/changed', []);
    await flushPromises();
    expect(page.text()).toBe('Welcome');
  });

  it('follows the theme of the settings', async () => {
    await start({ settings: { theme: 'dark' } });
    await flushPromises();
    expect(document.documentElement.classList.contains('dark')).toBe(true);
    backend.emit('settings/changed', makeSettings({ theme: 'light' }));
    await flushPromises();
    expect(document.documentElement.classList.contains('dark')).toBe(false);
    expect(document.documentElement.classList.contains('light')).toBe(true);
  });

  it('marks the page with its host, for the styles of the desktop window', async () => {
    await start({ info: { host: 'desktop', platform: 'macos' } });
    await flushPromises();
    expect(document.documentElement.dataset['host']).toBe('desktop');
    expect(document.documentElement.dataset['platform']).toBe('macos');
  });

  it('opens the palette with its key, runs what is chosen, and closes', async () => {
    await start();
    await flushPromises();
    expect(document.querySelector('[role=dialog]')).toBeNull();
    await press('k', { ctrlKey: true });
    const options = [...document.querySelectorAll<HTMLElement>('[role=dialog] [role=option]')];
    options.find((option) => option.textContent.includes('Inbound detail'))?.click();
    await flushPromises();
    expect(router.currentRoute.value.path).toBe('/inbound/detail');
    expect(document.querySelector('[role=dialog]')).toBeNull();
  });

  it('refreshes the status of the built-in service once it ends, and once it is back', async () => {
    await start({ connections: [makeConnection({ kind: 'local' })] });
    await flushPromises();
    const before = backend.countCalls('status/refresh');
    backend.emit('local-service/changed', makeState({ state: 'stopped' }));
    await flushPromises();
    // After its own stop nothing says that it can be reached.
    expect(backend.countCalls('status/refresh')).toBe(before + 1);
    backend.emit('local-service/changed', makeState());
    await flushPromises();
    expect(backend.countCalls('status/refresh')).toBe(before + 2);
  });

  it('says how far indexing is while questions about records have to wait for it', async () => {
    await start();
    backend.emit('records/feed-changed', { fed: 2_100_000, total: 10_000_000 });
    await flushPromises();
    expect(page.get('footer').text()).toContain('Indexing records: 2,100,000 of 10,000,000');
    backend.emit('records/feed-changed', null);
    await flushPromises();
    expect(page.get('footer').text()).not.toContain('Indexing');
  });
});
