import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { TooltipProvider } from 'reka-ui';
import { h } from 'vue';
import { expect, it } from 'vitest';
import type {
  ConnectionSigns,
  DeprecationMatches,
} from '../../../../src-main/common/model/analysis/deprecation-match.ts';
import DeprecationsScreen from '../../../../src-renderer/screens/deprecations/DeprecationsScreen.vue';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const FROM = Date.UTC(2026, 10, 2);
const TO = Date.UTC(2026, 10, 26, 14, 2);
const SEARCHED = [
  { direction: 'inbound', count: 1_204_331, firstMs: FROM, lastMs: TO, missingMs: 3_600_000 },
] as const;

async function show(
  matched: DeprecationMatches,
  signs?: ConnectionSigns,
): Promise<{ page: VueWrapper; backend: ScriptedBackend }> {
  const connection = makeConnection({ id: 'one', ...(signs === undefined ? {} : { signs }) });
  const backend = new ScriptedBackend({
    'app/get-info': () => ({ platform: 'macos', host: 'web', nowMs: 0, keychain: {} }) as never,
    'settings/get': () => makeSettings({ clock: 'utc', lastConnectionId: 'one' }),
    'connections/list': () => [connection],
    'deprecations/match': () => matched,
    'deprecations/save-signs': () => connection,
  });
  const { global } = await provideApplication(backend, '/deprecations');
  await useAppStore().load();
  await useConnectionsStore().load();
  const page = mount({ render: () => h(TooltipProvider, () => h(DeprecationsScreen)) }, { global });
  await flushPromises();
  return { page, backend };
}
const textsOf = (page: VueWrapper): string[] =>
  page.findAll('.traffic').map((one) =>
    one
      .text()
      .replaceAll(/[\u2066-\u2069]/gu, '')
      .replaceAll(/\s+/gu, ' '),
  );

it('of what the cached records show nothing, it says in how many and of which days, and what of them is missing', async () => {
  const { page, backend } = await show({ matches: [], searched: [...SEARCHED] });
  const { input } = backend.calls.find(({ name }) => name === 'deprecations/match')!;
  const { watched } = input as { watched: { id: string; signs: { texts: string[] } }[] };
  expect(watched.find(({ id }) => id === 'open-messaging-endpoint')?.signs.texts).toEqual([
    '/api/v2/conversations/messages/inbound/open',
  ]);
  page.unmount();
  const matches = watched.map(({ id }) => ({ id, count: 0, firstMs: null, lastMs: null, signs: [] }));
  const again = await show({ matches, searched: [...SEARCHED] });
  const texts = textsOf(again.page);
  expect(texts[1]).toContain('Nothing found in 1,204,331 records from 2 Nov 2026 to 26 Nov 2026');
  expect(texts[1]).toContain('1 h of that time not cached (inbound).Only inbound traffic is cached.');
  // A chart of another program: nothing is claimed.
  expect(texts[2]).toContain('Nothing to look for');
  const empty = await show({ matches, searched: [] });
  expect(textsOf(empty.page)[1]).toContain('No records are cached.');
});

it('what was found leads to its records, sign by sign', async () => {
  const found = { count: 214, firstMs: FROM, lastMs: TO };
  const match = {
    id: 'business-messaging-channel',
    ...found,
    signs: [
      { direction: 'inbound' as const, sign: { kind: 'channel' as const, value: 7 }, ...found },
      {
        direction: 'inbound' as const,
        sign: { kind: 'text' as const, value: 'business messaging' },
        ...found,
        count: 3,
      },
    ],
  };
  const signs = { 'business-messaging-channel': { texts: ['business messaging'], channels: [7], codes: [] } };
  const { page } = await show({ matches: [match], searched: [...SEARCHED] }, signs);
  const text = textsOf(page)[4];
  expect(text).toContain('Found in 214 records, last on 26 Nov 14:02');
  expect(text).toContain('channel 7, inbound: 214');
  const links = page.findAll('.traffic a').map((link) => decodeURIComponent(link.attributes('href') ?? ''));
  expect(links).toEqual([
    expect.stringMatching(/^\/inbound\/detail\?q=channel:7&period=2026-11-02T/u),
    expect.stringContaining('q="business+messaging"'),
  ]);
});
