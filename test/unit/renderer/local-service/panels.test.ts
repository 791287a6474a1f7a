import { mount } from '@vue/test-utils';
import { describe, expect, it } from 'vitest';
import {
  NO_SIMULATION,
  type QuirkName,
} from '../../../../src-main/common/model/connections/local-service.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import ImportPanel from '../../../../src-renderer/screens/local-service/ImportPanel.vue';
import QuirksPanel from '../../../../src-renderer/screens/local-service/QuirksPanel.vue';
import RequestsPanel from '../../../../src-renderer/screens/local-service/RequestsPanel.vue';
import ServicePanel from '../../../../src-renderer/screens/local-service/ServicePanel.vue';
import SimulationPanel from '../../../../src-renderer/screens/local-service/SimulationPanel.vue';
import type { NumberedRequest } from '../../../../src-renderer/stores/connections/local-service.ts';
import { makeImport, makeState } from './local-service-samples.ts';

const global = { plugins: [createMessages()] };

describe('the service panel', () => {
  it('shows the address and never a credential', async () => {
    const panel = mount(ServicePanel, { props: { state: makeState(), copied: null }, global });
    expect(panel.text()).toContain('http://127.0.0.1:4711');
    expect(panel.text()).toContain('200,412 in, 260,113 out');
    expect(panel.text()).toContain('About 5.2 new records per second');
    expect(panel.text()).toMatch(/\d\d:\d\d local time/);
    await panel.get('[aria-label="Copy Token secret"]').trigger('click');
    expect(panel.emitted('copy')).toEqual([['accessTokenSecret']]);
  });

  it('offers nothing to copy while it is stopped', () => {
    const state = makeState({ state: 'stopped', url: null, startedAtMs: null, trafficPerSecond: null });
    const panel = mount(ServicePanel, { props: { state, copied: null }, global });
    expect(panel.findAll('[aria-label^="Copy"]')).toHaveLength(0);
    expect(panel.text()).toContain('/data/local-service');
  });
});

describe('the simulation panel', () => {
  it('starts an error burst with a share and ends it without one', async () => {
    const props = { simulation: NO_SIMULATION, canEnd: false, isLive: true };
    const panel = mount(SimulationPanel, { props, global });
    await panel.get('[role="switch"]').trigger('click');
    expect(panel.emitted('change')).toEqual([[{ platformDown: true }]]);
    expect(panel.text()).not.toContain('All channels');
    const errorBurst = { channel: 2, service: null, share: 0.5 };
    await panel.setProps({ simulation: { ...NO_SIMULATION, errorBurst } });
    expect(panel.text()).toContain('Channel 2');
    expect(panel.text()).toContain('All services');
  });
});

describe('the quirks panel', () => {
  const open = (isRunning: boolean) =>
    mount(QuirksPanel, { props: { quirks: ['slow'], isRunning, busy: false }, global });
  const toggle = (panel: ReturnType<typeof open>, name: string): Promise<void> =>
    panel
      .findAll('.quirk')
      .find((row) => row.get('label').text() === name)!
      .get('[role="checkbox"]')
      .trigger('click');

  it('is folded until one is on, or somebody asks', async () => {
    const props = { quirks: [] as QuirkName[], isRunning: true, busy: false };
    const panel = mount(QuirksPanel, { props, global, attachTo: document.body });
    const isSeen = () => (panel.get('#quirk-groups').element as HTMLElement).style.display !== 'none';
    const unfold = panel.get('[aria-controls=quirk-groups]');
    expect([isSeen(), unfold.attributes('aria-expanded')]).toEqual([false, 'false']);
    expect(unfold.text()).toMatch(/^Show \d\d quirks$/u);
    await unfold.trigger('click');
    expect([isSeen(), unfold.attributes('aria-expanded')]).toEqual([true, 'true']);
    await unfold.trigger('click');
    await panel.setProps({ quirks: ['slow'] });
    expect(isSeen()).toBe(true);
    panel.unmount();
  });

  it('applies several changes at once, and says that the service starts again', async () => {
    const panel = open(true);
    expect(panel.text()).not.toContain('Apply');
    await toggle(panel, 'slow');
    await toggle(panel, 'stalls');
    await toggle(panel, 'cut-body');
    expect(panel.text()).toContain('3 changes.');
    expect(panel.text()).toContain('same address and records');
    const apply = panel.findAll('button').find((button) => button.text() === 'Apply and restart')!;
    await apply.trigger('click');
    expect(panel.emitted('apply')).toEqual([[['cut-body', 'stalls']]]);
  });

  it('forgets changes that were made back or discarded', async () => {
    const panel = open(false);
    await toggle(panel, 'stalls');
    expect(panel.text()).toContain('1 change.');
    await toggle(panel, 'stalls');
    expect(panel.text()).not.toContain('Discard');
  });
});

describe('the list of requests', () => {
  const make = (id: number): NumberedRequest => ({
    id,
    atMs: id * 1000,
    method: 'POST',
    route: '/api/ServiceReporting/ExecuteReport/:tenant/:report',
    report: { identifier: '29CDB989-6221-4742-96CA-1A878545B5A3', kinds: ['inbound-detail'] },
    status: 200,
    durationMs: id,
  });

  it('names what was asked for, and has the address beside it', () => {
    const shared = { identifier: '7B9D4B85', kinds: ['inbound-summary', 'outbound-summary'] as const };
    const requests: NumberedRequest[] = [
      make(1),
      { ...make(2), report: { ...shared, kinds: [...shared.kinds] } },
      { ...make(3), route: '/api/ServiceReporting/Status/:tenant', report: null },
      { ...make(4), method: 'GET', route: '/openapi.json', report: null },
    ];
    const panel = mount(RequestsPanel, { props: { requests, isRunning: true }, global });
    const cells = panel.findAll('tbody td:nth-child(2)');
    expect(cells.map((cell) => cell.text())).toEqual([
      'Inbound detail',
      'Both summaries',
      'Tenant status',
      'GET /openapi.json',
    ]);
    expect(cells[0]!.attributes('title')).toBe(
      'Address: POST /api/ServiceReporting/ExecuteReport/:tenant/29CDB989-6221-4742-96CA-1A878545B5A3',
    );
  });

  it('stands still under the pointer and while it is paused, and goes on with the newest', async () => {
    const panel = mount(RequestsPanel, { props: { requests: [make(1)], isRunning: true }, global });
    expect(panel.get('thead').text()).toContain('Local time');
    const rows = () => panel.findAll('tbody tr').length;
    expect(rows()).toBe(1);
    await panel.get('[role=region]').trigger('pointerenter');
    await panel.setProps({ requests: [make(2), make(1)] });
    expect(rows()).toBe(1);
    expect(panel.text()).toContain('Paused');
    await panel.get('[role=region]').trigger('pointerleave');
    expect(rows()).toBe(2);
    await panel.get('[aria-label="Pause the list"]').trigger('click');
    await panel.setProps({ requests: [make(3), make(2), make(1)] });
    expect(rows()).toBe(2);
    await panel.get('[aria-label="Resume the list"]').trigger('click');
    expect(rows()).toBe(3);
  });
});

describe('the import panel', () => {
  const open = (change: Parameters<typeof makeImport>[0], sending: string | null = null) =>
    mount(ImportPanel, { props: { recordImport: makeImport(change), sending, copied: false }, global });

  it('shows progress and can be cancelled while it runs', async () => {
    const panel = open({ state: 'running', bytesRead: 25, totalBytes: 100 });
    expect(panel.get('[role="progressbar"]').attributes('aria-valuenow')).toBe('25');
    await panel.get('button').trigger('click');
    expect(panel.emitted('cancel')).toHaveLength(1);
  });

  it('lists rejected lines with their reasons, and how many are not listed', () => {
    const values = { field: 'ReponseCode', min: -10, max: 2_000, value: '"x"' };
    const problems = [{ line: 1_204, faults: [{ code: 'integer' as const, values }] }];
    const panel = open({ report: { lines: 5_000, added: 4_000, known: 0, rejected: 1_000, problems } });
    expect(panel.text()).toContain('1,204');
    expect(panel.text().replaceAll(/[\u2066-\u2069]/gu, '')).toContain(
      'ReponseCode isn\'t a whole number from -10 to 2,000: "x".',
    );
    expect(panel.text()).toContain("999 more aren't listed.");
  });

  it('says why the rest of a file was not read', () => {
    const error = {
      code: 'local-service.import-failed' as const,
      message: '',
      details: { reason: 'the disk is full' },
    };
    expect(open({ state: 'failed', error }).text()).toContain('the disk is full');
  });

  it('distinguishes sending from importing', () => {
    const panel = open({}, 'large.csv');
    expect(panel.text()).toContain('Sending the file');
    expect(panel.text()).toContain('large.csv');
    expect(panel.text()).not.toContain('Added');
  });
});
