import { flushPromises, mount } from '@vue/test-utils';
import { beforeEach, expect, it } from 'vitest';
import { defineComponent, h } from 'vue';
import type { RecordRow } from '../../../../src-main/common/model/records/record.ts';
import { useFindingOffer, useRowsOffer } from '../../../../src-renderer/cases/case-offers.ts';
import { caseDoorKey, type CaseOffer } from '../../../../src-renderer/composables/surroundings.ts';
import SnapshotFacts from '../../../../src-renderer/screens/library/details/SnapshotFacts.vue';
import { useConnectionsStore } from '../../../../src-renderer/stores/connections/connections.ts';
import { makeFinding } from '../../../support/findings/make-finding.ts';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const AT_MS = Date.UTC(2026, 10, 22, 14);
const PERIOD = { fromMs: AT_MS - 3_600_000, toMs: AT_MS + 3_600_000 };

let offers: CaseOffer[];
beforeEach(() => {
  offers = [];
});

const makeRow = (change: Partial<RecordRow> = {}): RecordRow =>
  ({
    snapshotId: 4,
    seq: 1,
    dateMs: AT_MS,
    dateText: '',
    responseCode: 502,
    channel: 3,
    service: 7,
    client: '+57300',
    responseTimeMs: 1234,
    error: 'Timed out',
    payloadPreview: 'hello',
    sessionId: 'one',
    ...change,
  }) as RecordRow;

async function provideDoor() {
  const backend = new ScriptedBackend({
    'connections/list': () => [makeConnection({ id: 'one', serviceZone: 'UTC' })],
    'records/open-view': () => ({ viewId: 'view' }) as never,
    'records/count-view': () => ({ rowCount: 900 }),
    'records/read-rows': () => [makeRow()],
    'records/close-view': () => null,
  });
  const { global } = await provideApplication(backend, '/inbound/detail');
  await useConnectionsStore().load();
  const provided = { ...global.provide, [caseDoorKey as symbol]: (offer: CaseOffer) => offers.push(offer) };
  return { global: { ...global, provide: provided }, backend };
}

it('selected records go into a case as they are shown, and are found again by their sessions and their time', async () => {
  const { global } = await provideDoor();
  const scope = { connectionId: 'one', report: 'inbound-detail' as const, ...PERIOD };
  let add: (rows: readonly RecordRow[]) => void = () => undefined;
  const table = defineComponent(() => {
    const filter = { conditions: [{ field: 'service' as const, values: [7] }] };
    ({ add } = useRowsOffer(() => ({ scope, filter, period: PERIOD })));
    return () => h('div');
  });
  const mounted = mount(table, { global });
  add([makeRow(), makeRow({ seq: 2, dateMs: AT_MS + 5000, sessionId: 'two' })]);
  const [offer] = offers;
  expect(offer).toMatchObject({ kind: 'records', title: '2 selected records' });
  const span = { fromMs: AT_MS, toMs: AT_MS + 5001 };
  // Coverage is that of their own time, not of all that the table shows.
  expect(offer?.question).toMatchObject({ scopes: [{ ...scope, ...span }], ...span });
  expect(offer?.question.filter.conditions).toEqual([
    { field: 'service', values: [7] },
    { field: 'dateMs', min: AT_MS, max: AT_MS + 5001 },
    // What else their sessions have between them isn't selected.
    {
      any: [
        { sessionId: 'one', atMs: AT_MS },
        { sessionId: 'two', atMs: AT_MS + 5000 },
      ].map(({ sessionId, atMs }) => ({
        conditions: [
          { field: 'sessionId', values: [sessionId] },
          { field: 'dateMs', min: atMs, max: atMs + 1 },
        ],
      })),
    },
  ]);
  const content = await offer?.readContent();
  expect(content?.table).toMatchObject({ rowCount: 2 });
  expect(content?.table?.rows[0]).toContain('Timed out');
  // Masking knows whom a column names.
  expect(content?.table?.columns.map(({ role }) => role)).toEqual(expect.arrayContaining(['client', 'body']));
  add([makeRow()]);
  expect(offers[1]?.title).toMatch(/^Record of 20/);
  // One without a readable date is found among all of them.
  add([makeRow(), makeRow({ dateMs: null, dateText: 'soon', sessionId: 'three' })]);
  expect(offers[2]?.question).toMatchObject({ fromMs: PERIOD.fromMs });
  expect(offers[2]?.question.filter.conditions.map((own) => 'field' in own && own.field)).toEqual([
    'service',
    'sessionId',
  ]);
  mounted.unmount();
});

it('a snapshot of the Library goes into a case with all that is known of it, and its first records', async () => {
  const { global } = await provideDoor();
  const snapshot = makeSnapshot(PERIOD, { id: 4, connectionId: 'one', name: 'Bad release' });
  const facts = mount(SnapshotFacts, { props: { snapshot, isBrief: true }, global });
  await flushPromises();
  await facts.get('button.add').trigger('click');
  const [offer] = offers;
  expect(offer?.title).toContain('Bad release');
  expect(offer?.question).toMatchObject({ connectionId: 'one', scopes: [{ snapshotId: 4 }] });
  expect(offer?.question.place).toContain('/inbound/detail/4');
  const content = await offer?.readContent();
  expect(content?.table?.rowCount).toBe(900);
  // What the certificate beside it says is in the part, too.
  expect(content?.facts.map(({ name }) => name)).toEqual(expect.arrayContaining(['Records', 'Period']));
  facts.unmount();
});

it('each time of an incident that came back is a fact of its own', async () => {
  const { global } = await provideDoor();
  let add: ReturnType<typeof useFindingOffer> = () => undefined;
  mount(
    defineComponent(() => {
      add = useFindingOffer();
      return () => h('div');
    }),
    { global },
  );
  const item = makeFinding();
  const again = makeFinding({ sinceMs: item.sinceMs + 86_400_000 });
  const listTimes = async (offer?: CaseOffer): Promise<string[]> =>
    ((await offer?.readContent())?.facts ?? [])
      .map(({ name }) => name)
      .filter((name) => name.startsWith('When'));
  add(item, again.untilMs, {});
  expect(await listTimes(offers[0])).toEqual(['When']);
  add(item, again.untilMs, { times: [item, again] });
  expect(await listTimes(offers[1])).toEqual(['When (1 of 2)', 'When (2 of 2)']);
});
