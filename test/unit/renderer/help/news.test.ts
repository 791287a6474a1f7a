import { flushPromises, mount } from '@vue/test-utils';
import { defineComponent, h } from 'vue';
import { describe, expect, it } from 'vitest';
import NewsDialog from '../../../../src-renderer/help/NewsDialog.vue';
import { listNews } from '../../../../src-renderer/help/guide.ts';
import { useNews } from '../../../../src-renderer/shell/window.ts';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const listIds = (seen: string, current: string): string[] => listNews(seen, current).map(({ id }) => id);

async function start(seenVersion: string) {
  let settings = makeSettings({ seenVersion });
  const backend = new ScriptedBackend({
    'app/get-info': () => ({ version: '0.1.0', host: 'web', platform: 'linux' }) as never,
    'settings/get': () => settings,
    'settings/update': (change) => (settings = { ...settings, ...change }),
  });
  const { global } = await provideApplication(backend, '/settings');
  let news!: ReturnType<typeof useNews>;
  mount(
    defineComponent(() => {
      news = useNews();
      return () => h('i');
    }),
    { global },
  );
  await useAppStore().load();
  await flushPromises();
  return { news, global, readSeen: () => settings.seenVersion };
}

describe("what's new", () => {
  it('are the versions after the one that was used, up to this one', () => {
    expect(listIds('0.0.9', '0.1.0')).toEqual(['010']);
    expect(listIds('0.1.0', '0.1.0')).toEqual([]);
    expect(listIds('0.0.9', '0.0.10')).toEqual([]);
  });

  it('is not told in a new data folder', async () => {
    const { news, readSeen } = await start('');
    expect(news.unseen.value).toBeNull();
    expect(readSeen()).toBe('0.1.0');
  });

  it('is told once after another version', async () => {
    const { news, global, readSeen } = await start('0.0.9');
    expect(news.unseen.value).toEqual({ seen: '0.0.9', current: '0.1.0' });
    const dialog = mount(NewsDialog, { global, props: { ...news.unseen.value! }, attachTo: document.body });
    await flushPromises();
    expect(document.body.textContent).toContain('Channelscope was updated to 0.1.0.');
    expect(document.body.textContent).toContain('The first version.');
    expect(readSeen()).toBe('0.0.9');
    news.markSeen();
    await flushPromises();
    expect(news.unseen.value).toBeNull();
    dialog.unmount();
  });

  it('that says nothing of a version opens nothing', async () => {
    const { global } = await start('0.0.9');
    const dialog = mount(NewsDialog, { global, props: { seen: '0.1.0', current: '0.1.1' } });
    await flushPromises();
    expect(dialog.emitted('close')).toHaveLength(1);
  });
});
