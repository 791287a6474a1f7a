import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, describe, expect, it } from 'vitest';
import { defineComponent, h } from 'vue';
import type { Input } from '../../../../src-main/common/contract/index.ts';
import type { RecordDetail } from '../../../../src-main/common/model/records/record.ts';
import type { Session } from '../../../../src-main/common/model/records/conversation.ts';
import ScreenFrame from '../../../../src-renderer/components/ScreenFrame.vue';
import AxisTicks from '../../../../src-renderer/screens/session/AxisTicks.vue';
import SessionScreen from '../../../../src-renderer/screens/session/SessionScreen.vue';
import { useAppStore } from '../../../../src-renderer/stores/window/app.ts';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { useSnapshotsStore } from '../../../../src-renderer/stores/cache/downloads.ts';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection, makeSettings } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { makeRequest } from './make-request.ts';

const ID = '1af46aa4-d82e-4a41-9942-c9b00e52cdcf';
const FROM_MS = Date.UTC(2026, 10, 20, 16, 42, 9);
const HOUR_MS = 3_600_000;
const PERIOD = { fromMs: FROM_MS - HOUR_MS, toMs: FROM_MS + HOUR_MS };
const SESSION: Session = {
  requests: [
    makeRequest({ dateMs: FROM_MS, responseTimeMs: 1000, botLatencyMs: 200 }),
    makeRequest({
      direction: 'outbound',
      snapshotId: 2,
      dateMs: FROM_MS + 100,
      responseTimeMs: null,
      actionId: '-1',
      responseCode: 504,
      error: '<b>timed out</b>',
    }),
  ],
  inbound: { requests: 2, failures: 0 },
  outbound: { requests: 1, failures: 1 },
  undatedCount: 1,
  firstMs: FROM_MS,
  lastMs: FROM_MS + 100,
  endMs: FROM_MS + 1000,
  untimedCount: 1,
};
const NOTHING: Session = {
  requests: [],
  inbound: { requests: 0, failures: 0 },
  outbound: { requests: 0, failures: 0 },
  undatedCount: 0,
  firstMs: null,
  lastMs: null,
  endMs: null,
  untimedCount: 0,
};

/** What the session adds to a record, without the record. */
const INSPECTOR = defineComponent({
  name: 'RecordInspector',
  props: ['listPlace'],
  setup:
    (_props, { slots }) =>
    () =>
      h('div', slots['times']?.()),
});

let backend: ScriptedBackend;
let screen: VueWrapper;
let session: Session;
let missingOf: 'inbound-detail' | 'outbound-detail' | 'newest' | null;
const listCalls = <Name extends 'records/read-session' | 'downloads/fetch-gaps' | 'records/read-record'>(
  name: Name,
) => backend.calls.flatMap((call) => (call.name === name ? [call.input as Input<Name>] : []));

async function show(found: Session, missing: typeof missingOf = null, path = '/'): Promise<void> {
  session = found;
  missingOf = missing;
  backend = new ScriptedBackend({
    'app/get-info': () => ({ platform: 'linux', keychain: { kind: 'system' } }) as never,
    'settings/get': () => makeSettings(),
    'settings/update': () => makeSettings(),
    'connections/list': () => [makeConnection({ id: 'one', serviceZone: 'UTC' })],
    'snapshots/list': () => [makeSnapshot(PERIOD)],
    'snapshots/read-storage': () => ({}) as never,
    'coverage/read': ({ report, toMs }) => {
      const gaps = {
        [report]: [],
        [missingOf ?? '']: [{ fromMs: FROM_MS, toMs: FROM_MS + 60_000, state: 'missing' as const }],
        ...(missingOf === 'newest' && { [report]: [{ fromMs: toMs - 20_000, toMs, state: 'missing' }] }),
      };
      return { gaps: gaps[report] } as never;
    },
    'downloads/fetch-gaps': () => [],
    'records/read-session': () => session,
    'records/read-record': ({ snapshotId, seq }) =>
      ({ snapshotId, seq, sessionId: ID, error: '', payload: '', extra: {} }) as unknown as RecordDetail,
  });
  const { global } = await provideApplication(backend, path);
  await Promise.all([useAppStore().load(), useConnectionsStore().load(), useSnapshotsStore().load()]);
  screen = mount(SessionScreen, {
    props: { id: ID },
    global: { ...global, stubs: { RecordInspector: INSPECTOR } },
    attachTo: document.body,
  });
  await flushPromises();
}
afterEach(() => screen.unmount());

describe('the session screen', () => {
  it('shows both directions in order, what they are, and where the time went', async () => {
    await show(SESSION);
    expect(listCalls('records/read-session')).toEqual([
      { connectionId: 'one', sessionId: ID, limit: 10_000 },
    ]);
    expect(screen.getComponent(ScreenFrame).props('hasTimes')).toBe(true);
    const text = screen.text();
    expect(text).toContain(ID);
    expect(text).toContain('2 messages, 1 request in at least 1.0 s');
    expect(text).toContain('1 failed');
    expect(text).toContain('2026-11-20 16:42:09 – 16:42:09 UTC');
    expect(text).toContain('1 record has no readable date');
    expect(text).toContain('1 record has no time, so no bar');
    expect(text).toMatch(/In the bot\s*1,000 ms/);
    const rows = screen.findAll('[role=option]');
    expect(rows.map((row) => row.get('.sr-only').text())).toEqual([
      '16:42:09, inbound, Message, code 200, channel 3, service 7, 1,000 ms, after 200 ms before the connector',
      '16:42:09, outbound, Channel, code 504, channel 3, service 7, No time, <b>timed out</b>',
    ]);
    expect(screen.find('b').exists()).toBe(false);
    // What the service said is data wherever it stands: a browser that translates the window leaves it.
    const saying = screen
      .findAll('[role=listbox] *')
      .filter(
        ({ element }) =>
          element.getAttribute('title')?.includes('timed out') === true ||
          [...element.childNodes].some(
            (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.includes('timed out') === true,
          ),
      );
    expect(saying.map(({ element }) => element.getAttribute('translate'))).toEqual(['no', 'no']);
    // Nothing is drawn of a time that is not known.
    expect(rows.map((row) => [row.findAll('.work').length, row.findAll('.mark').length])).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  it('names the longest part of a message beside its bar, not over it', async () => {
    await show({ ...SESSION, requests: SESSION.requests.slice(0, 1) });
    const note = screen.get<HTMLElement>('[role=option] [data-side]');
    expect(note.text()).toContain('in the bot');
    // The bar takes all of the time, so there is as much room before it as after it.
    expect(note.attributes('data-side')).toBe('after');
    expect(note.element.style.left).toContain('100%');
  });

  it('shows its times in the clock that is chosen', async () => {
    await show(SESSION);
    backend.emit('connections/changed', [makeConnection({ id: 'one', serviceZone: 'America/Bogota' })]);
    await flushPromises();
    expect(screen.get('[role=option] .sr-only').text()).toMatch(/^11:42:09/);
    backend.emit('settings/changed', makeSettings({ clock: 'utc' }));
    await flushPromises();
    expect(screen.get('[role=option] .sr-only').text()).toMatch(/^16:42:09/);
    expect(screen.text()).toContain('2026-11-20 16:42:09 – 16:42:09 UTC');
  });

  it('opens a record by click, and the one after by key', async () => {
    await show(SESSION);
    await screen.findAll('[role=option]')[0]!.trigger('click');
    await screen.get('[role=listbox]').trigger('keydown', { key: 'ArrowDown' });
    await screen.get('[role=listbox]').trigger('keydown', { key: 'ArrowDown' });
    await flushPromises();
    expect(listCalls('records/read-record')).toEqual([
      { snapshotId: 1, seq: 0 },
      { snapshotId: 2, seq: 0 },
    ]);
    expect(screen.get('[aria-selected=true]').attributes('aria-posinset')).toBe('2');
    expect(screen.get('[role=listbox]').attributes('aria-activedescendant')).toBe('request-1');
  });

  it('begins with the record that it was opened from', async () => {
    await show(SESSION, null, `/session/${ID}?record=2:0`);
    expect(screen.get('[aria-selected=true]').attributes('aria-posinset')).toBe('2');
    expect(listCalls('records/read-record')).toEqual([{ snapshotId: 2, seq: 0 }]);
    expect(backend.calls.map(({ name }) => name)).not.toContain('settings/update');
  });

  it('says that everything around it is cached', async () => {
    await show(SESSION);
    expect(screen.text()).toContain('Cached around this session: everything');
    expect(screen.find('.words .cs-link').exists()).toBe(false);
    expect(screen.text()).not.toContain('Not known');
  });

  it('says which part is not cached, and fetches just that', async () => {
    await show(SESSION, 'outbound-detail');
    expect(screen.text()).toContain('Outbound: 1 min incomplete (20 Nov 16:42:09 – 16:43:09)');
    expect(screen.text()).not.toContain('Inbound:');
    // Whether a service was queried in that time is not known, and so isn't said.
    expect(screen.text()).toMatch(/Not known\s*1,000 ms/);
    expect(screen.text()).not.toContain('In the bot');
    expect(screen.text()).toContain('Outbound not cached');
    await screen.get('.words .cs-link').trigger('click');
    await flushPromises();
    const [fetched, ...more] = listCalls('downloads/fetch-gaps');
    expect(fetched).toMatchObject({
      connectionId: 'one',
      report: 'outbound-detail',
      fromMs: FROM_MS - HOUR_MS,
    });
    expect(more).toEqual([]);
  });

  it('takes what has come since the last turn of following for no gap', async () => {
    const nowMs = Math.floor(Date.now() / 1000) * 1000;
    const dates = { firstMs: nowMs - 60_000, lastMs: nowMs - 50_000, endMs: nowMs - 50_000 };
    await show({ ...SESSION, ...dates }, 'newest');
    expect(screen.text()).toMatch(/Cached around this session: everything up to \d\d:\d\d:\d\d/);
    expect(screen.find('.words .cs-link').exists()).toBe(false);
    expect(screen.text()).not.toContain('Not known');
  });

  it('shows what messages said, and the selected one in the whole session and in its parts', async () => {
    const said = { payloadPreview: '<i>Where is my parcel?</i>' };
    const requests = SESSION.requests.map((request) => ({ ...request, ...said }));
    await show({ ...SESSION, requests });
    const [message, outbound] = screen.findAll('[role=option]');
    expect(message!.get('.said').text()).toBe('<i>Where is my parcel?</i>');
    expect(message!.get('.said').attributes('translate')).toBe('no');
    expect(message!.get('.sr-only').text()).toContain('inbound, <i>Where is my parcel?</i>, code 200');
    expect(outbound!.find('.said').exists()).toBe(false);
    expect(screen.find('.frame').exists()).toBe(false);
    await message!.trigger('click');
    expect(screen.find('.frame').exists()).toBe(true);
    const inspector = screen.getComponent(INSPECTOR);
    expect(inspector.props('listPlace')).toEqual({ number: 1, total: 2 });
    expect(inspector.get('.times').text()).toMatch(
      /Before the connector\s*200 ms.*In the bot\s*1,000 ms.*From sending to response\s*1,200 ms/s,
    );
    await outbound!.trigger('click');
    expect(inspector.find('.times').exists()).toBe(false);
  });

  it('reads it again when more is cached, and keeps what is selected', async () => {
    await show(SESSION);
    await screen.findAll('[role=option]')[0]!.trigger('click');
    const earlier = makeRequest({ snapshotId: 9, dateMs: FROM_MS - 5000 });
    // What was downloaded again is shown from the newer snapshot.
    const again = SESSION.requests.map((request) => ({ ...request, snapshotId: request.snapshotId + 4 }));
    session = { ...SESSION, requests: [earlier, ...again] };
    backend.emit('snapshots/changed', makeSnapshot(PERIOD, { recordCount: 77 }));
    await flushPromises();
    await expect.poll(() => screen.findAll('[role=option]').length).toBe(3);
    expect(screen.get('[aria-selected=true]').attributes('aria-posinset')).toBe('2');
  });

  it('gives the same figures for a session and for its only message, and says what is left out', async () => {
    const [message, outbound] = SESSION.requests;
    const ran = { ...outbound!, responseTimeMs: 1352 };
    await show({ ...SESSION, requests: [message!, ran], inbound: { requests: 1, failures: 0 } });
    await screen.findAll('[role=option]')[0]!.trigger('click');
    const service = /In the queried service\s*(\S+ ms)/;
    const said = service.exec(screen.get('.legend').text())?.[1];
    expect(said).toBe('900 ms');
    expect(service.exec(screen.get('.times').text())?.[1]).toBe(said);
    expect(screen.text()).toContain('Not counted: 452 ms in which outbound requests ran');
  });

  it('says so when it is not in the cache', async () => {
    await show(NOTHING);
    expect(screen.text()).toContain("This session isn't in the cache");
    expect(screen.find('[role=listbox]').exists()).toBe(false);
  });

  it('draws few of very many rows, and says where it was cut', async () => {
    const requests = Array.from({ length: 10_000 }, (_, seq) =>
      makeRequest({ seq, dateMs: FROM_MS + seq * 10 }),
    );
    await show({ ...SESSION, requests, inbound: { requests: 12_346, failures: 0 } });
    expect(screen.text()).toContain('Showing the first 10,000 of 12,346 records.');
    expect(screen.findAll('[role=option]').length).toBeLessThan(100);
  });
});

describe('the times below the strip', () => {
  it('keep within the axis, whatever the place and the length of a label', async () => {
    await show(SESSION);
    screen.unmount();
    const { global } = await provideApplication(backend);
    const ticks = [
      { place: 0, sinceBeginMs: 0 },
      { place: 0.95, sinceBeginMs: 27 * HOUR_MS + 17 * 60_000 },
    ];
    const axis = mount(AxisTicks, { props: { ticks }, global });
    const labels = axis.findAll('.tick').map(({ element }) => (element as HTMLElement).style);
    // A label that begins its own width times its place before that place ends there at the latest.
    for (const [index, { left, translate }] of labels.entries()) {
      expect(parseFloat(left)).toBeCloseTo((ticks[index]?.place ?? NaN) * 100);
      expect(parseFloat(translate)).toBeCloseTo(-parseFloat(left));
    }
    expect(labels).toHaveLength(2);
  });
});
