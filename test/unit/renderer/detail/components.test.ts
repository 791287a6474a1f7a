import { mount } from '@vue/test-utils';
import { describe, expect, it } from 'vitest';
import { backendKey } from '../../../../src-renderer/backend/backend.ts';
import { createMessages } from '../../../../src-renderer/messages/index.ts';
import JsonView from '../../../../src-renderer/inspector/JsonView.vue';
import RecordInspector from '../../../../src-renderer/inspector/RecordInspector.vue';
import { installStores, ScriptedBackend } from '../support/scripted-backend.ts';
import { makeRecord } from '../../../support/samples/make-record.ts';

const backend = new ScriptedBackend({});
const global = {
  plugins: [createMessages(), installStores(backend)],
  provide: { [backendKey]: backend },
};

const RECORD = makeRecord({
  client: '<img src=x onerror=alert(1)>',
  responseTimeMs: 10_012.4,
  responseCode: 504,
  error: '<b>did not answer</b>',
  botLatencyMs: 143,
  payload: '{"a":"<script>alert(1)</script>"}',
  extra: { Region: '"south"' },
});

describe('JSON view', () => {
  it('renders what looks like markup as text', () => {
    const view = mount(JsonView, { props: { text: RECORD.payload }, global });
    expect(view.find('script').exists()).toBe(false);
    expect(view.text()).toContain('<script>alert(1)</script>');
    expect(view.findAll('li')).toHaveLength(3);
  });

  it('shows what is no JSON plainly', () => {
    const view = mount(JsonView, { props: { text: 'plain <i>words</i>' }, global });
    expect(view.find('i').exists()).toBe(false);
    expect(view.find('ol').exists()).toBe(false);
    expect(view.text()).toBe('plain <i>words</i>');
  });

  it('cuts a very large payload and says so', () => {
    const view = mount(JsonView, { props: { text: 'x'.repeat(300_000), fullLength: 2_000_000 }, global });
    expect(view.text()).toContain('Showing the first 50,000 of 2,000,000 characters.');
    expect(view.text().length).toBeLessThan(51_000);
  });

  it('cuts a document of very many lines and says so', () => {
    const text = JSON.stringify(Array.from({ length: 3_000 }, (_, index) => index));
    const view = mount(JsonView, { props: { text }, global });
    expect(view.findAll('li')).toHaveLength(1_500);
    expect(view.text()).toContain('Showing the first 1,500 of 3,002 lines.');
  });
});

describe('inspector', () => {
  it('names the fields as the service does and shows values as text', () => {
    const view = mount(RecordInspector, {
      props: {
        record: RECORD,
        target: { snapshotId: 1, seq: 4 },
        direction: 'inbound',
        session: null,
        loading: false,
        error: null,
      },
      global,
    });
    const names = view.findAll('dt').map((name) => name.text());
    expect(names).toEqual([
      'Id',
      'Date',
      'Channel',
      'Service',
      'Client',
      'Origin',
      'ReponseTime',
      'BotLatency',
      'Region',
    ]);
    expect(view.find('img').exists()).toBe(false);
    expect(view.findAll('dd')[1]?.text()).toMatch(
      /^1970-01-01 00:00:00\.001 UTC\s*As received: 2026-11-20T15:51:36\.402Z$/,
    );
    expect(view.text()).toContain('10,012.4 ms');
    expect(view.text()).toContain('<b>did not answer</b>');
  });
});
