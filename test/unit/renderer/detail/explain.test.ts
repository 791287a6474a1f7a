import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { describe, expect, it } from 'vitest';
import type { ExplainedValue, Explanation } from '../../../../src-main/common/model/analysis/comparison.ts';
import type { RecordFilter } from '../../../../src-main/common/model/records/record-filter.ts';
import { setFormats } from '../../../../src-renderer/format/formats.ts';
import ExplainPanel from '../../../../src-renderer/screens/detail/explain/ExplainPanel.vue';
import { splitSelection } from '../../../../src-renderer/screens/detail/explain/explain-words.ts';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const TIME = { field: 'dateMs' as const, min: 1000, max: 2000 };
const CHANNEL = { field: 'channel' as const, values: [3] };
const code = { field: 'responseCode' as const, value: 504 };
const service = { field: 'service' as const, value: 7 };
const EXPLAINED: Explanation = {
  insideCount: 412,
  outsideCount: 8836,
  sessionCount: 38,
  clientCount: 1,
  values: [
    {
      terms: [code, service],
      inside: 253,
      outside: 133,
      sessionCount: 12,
      clientCount: 3,
      difference: { low: 0.55, high: 0.645 },
      certainty: 'certain',
    },
    {
      terms: [code],
      inside: 256,
      outside: 140,
      sessionCount: 12,
      clientCount: 3,
      difference: { low: 0.557, high: 0.65 },
      certainty: 'certain',
    },
    {
      terms: [{ field: 'client', value: '<b>Jonas</b>' }],
      inside: 19,
      outside: 0,
      sessionCount: 12,
      clientCount: 3,
      difference: { low: 0.02, high: 0.07 },
      certainty: 'probable',
    },
    {
      terms: [{ field: 'responseCode', value: 200 }],
      inside: 118,
      outside: 7962,
      sessionCount: 12,
      clientCount: 3,
      difference: { low: -0.66, high: -0.57 },
      certainty: 'certain',
    },
    {
      terms: [{ field: 'errorFamily', value: null }],
      inside: 118,
      outside: 2377,
      sessionCount: 12,
      clientCount: 3,
      difference: { low: -0.02, high: 0.06 },
      certainty: 'chance',
    },
  ],
  lookedAt: 131,
  bodiesRead: null,
  response: {
    inside: { count: 412, medianMs: 10_021, p95Ms: 10_047 },
    outside: { count: 8836, medianMs: 241, p95Ms: 1702 },
    certainty: 'certain',
  },
  botLatency: {
    inside: { count: 412, medianMs: 33, p95Ms: 40 },
    outside: { count: 8836, medianMs: 32, p95Ms: 40 },
    certainty: 'chance',
  },
};

async function show(
  filter: RecordFilter,
  explanation: Explanation = EXPLAINED,
): Promise<{ panel: VueWrapper; backend: ScriptedBackend }> {
  const backend = new ScriptedBackend({ 'analysis/explain': () => explanation });
  const { global } = await provideApplication(backend);
  const panel = mount(ExplainPanel, {
    props: { filter, scope: { snapshotId: 1 }, totalCount: 9248 },
    global,
  });
  await flushPromises();
  return { panel, backend };
}

describe('the selection', () => {
  it('is the time that the filter chooses, compared with the other times of the same records', () => {
    expect(splitSelection({ conditions: [CHANNEL, TIME] })).toEqual({
      kind: 'time',
      selection: { conditions: [TIME] },
      filter: { conditions: [CHANNEL] },
    });
  });

  it('is all of a filter without a time, and nothing without a filter', () => {
    const without = { ...TIME, exclude: true };
    expect(splitSelection({ conditions: [CHANNEL, without] })).toMatchObject({
      kind: 'filter',
      selection: { conditions: [CHANNEL, without] },
      filter: { conditions: [] },
    });
    expect(splitSelection({ conditions: [] })).toBeNull();
  });
});

describe('the explanation of a selection', () => {
  it('is asked for with the rest of the filter, and again when the filter changes', async () => {
    const { panel, backend } = await show({ conditions: [CHANNEL, TIME] });
    const asked = {
      scope: { snapshotId: 1 },
      filter: { conditions: [CHANNEL] },
      selection: { conditions: [TIME] },
    };
    expect(backend.calls.map(({ input }) => input)).toEqual([
      { ...asked, bodies: false },
      { ...asked, bodies: true },
    ]);
    await panel.setProps({ filter: { conditions: [TIME] } });
    await flushPromises();
    expect(backend.calls.at(-1)?.input).toEqual({ ...asked, filter: { conditions: [] }, bodies: true });
  });

  it('begins with a sentence, then shows each value with shares, counts, ratio and how sure it is', async () => {
    const { panel } = await show({ conditions: [TIME] });
    expect(panel.get('[role=status]').text()).toBe(
      'Code 504 with Service 7 is 41 times as frequent here as in the rest.',
    );
    const rows = panel.findAll('ol > li').map((row) => row.text().replaceAll(/\s+/g, ' '));
    expect(rows).toHaveLength(5);
    expect(rows[0]).toMatch(
      /Code = 504 and Service = 7 ?41×.*Here 61\.4%.*253.*Rest 1\.5%.*133.*Certainly more frequent/,
    );
    expect(rows[0]).toContain('+55.0 to +64.5 points');
    // Where all have been listed by how sure they are, what could be chance is the last.
    expect(rows.find((row) => row.includes('Jonas'))).toMatch(
      /<b>Jonas<\/b> ?only here.*Likely more frequent/,
    );
    expect(rows.find((row) => row.includes('= 200'))).toContain('Certainly rarer');
    expect(rows.at(-1)).toMatch(/Error family = none.*Could be chance/);
    expect(panel.find('b').exists()).toBe(false);
    expect(panel.text()).toContain('10,021, 10,047 ms');
    expect(panel.text()).toContain('The median is certainly longer here.');
    expect(panel.text()).toContain('131 values and pairs tested');
  });

  it('says of what is in bodies where it is, of how many records, and filters by it where a filter can', async () => {
    const [first] = EXPLAINED.values;
    const among = { inside: 412, outside: 2000 };
    const of = (term: ExplainedValue['terms'][number]): ExplainedValue => ({
      ...first!,
      terms: [term],
      inside: 400,
      outside: 20,
      among,
    });
    const { panel } = await show(
      { conditions: [TIME] },
      {
        ...EXPLAINED,
        bodiesRead: among,
        values: [
          of({ field: 'payload.error.code', value: 'rate_limited' }),
          of({ field: 'payload.customer', value: null }),
          of({ field: 'payload.amount', value: 'array', measure: 'type' }),
          of({ field: 'payload', value: '1024', measure: 'length' }),
        ],
      },
    );
    expect(panel.get('[role=status]').text()).toBe(
      'payload.error.code rate_limited is 97 times as frequent here as in the rest.',
    );
    const rows = panel.findAll('ol > li');
    const texts = rows.map((row) => row.text().replaceAll(/\s+/g, ' '));
    expect(texts[0]).toMatch(/payload\.error\.code = rate_limited ?97×.*97\.1%.*1\.0%/);
    expect(texts[0]).toContain('Of the bodies read: 412 here, 2,000 in the rest');
    expect(texts[1]).toContain('payload.customer = none');
    expect(texts[2]).toContain('type of payload.amount = list');
    expect(texts[3]).toContain('characters in Payload = 1,024 to 2,047');
    expect(panel.text()).toContain('Bodies read: 412 here, 2,000 in the rest.');
    expect(rows.map((row) => row.findAll('button').length)).toEqual([2, 2, 0, 0]);
    await rows[1]!.get('button').trigger('click');
    expect(panel.emitted('change')).toEqual([
      [{ conditions: [TIME, { field: 'payload.customer', values: [null] }] }],
    ]);
  });

  it('calls a field without a value by what is not there', async () => {
    const [first] = EXPLAINED.values;
    const pair = { ...first!, terms: [service, { field: 'errorFamily' as const, value: null }] };
    const { panel } = await show({ conditions: [TIME] }, { ...EXPLAINED, values: [pair] });
    expect(panel.get('[role=status]').text()).toBe(
      'Service 7 with no error family is 41 times as frequent here as in the rest.',
    );
  });

  it('counts no times of what reads as one, in whichever language', async () => {
    setFormats('de-DE');
    const [first] = EXPLAINED.values;
    const value = { ...first!, inside: 42, outside: 880 };
    const { panel } = await show({ conditions: [TIME] }, { ...EXPLAINED, values: [value] });
    setFormats('en-GB');
    expect(panel.get('[role=status]').text()).toBe(
      'Code 504 with Service 7 is more frequent here than in the rest.',
    );
  });

  it('leads to the records with a value, with both of a pair, and to those without it', async () => {
    const { panel } = await show({ conditions: [TIME] });
    const [pair, single] = panel.findAll('ol > li');
    await pair!.get('button').trigger('click');
    expect(pair!.findAll('button')).toHaveLength(1);
    const [only, not] = single!.findAll('button');
    await only!.trigger('click');
    await not!.trigger('click');
    const codes = { field: 'responseCode', values: [504] };
    expect(panel.emitted('change')).toEqual([
      [{ conditions: [TIME, codes, { field: 'service', values: [7] }] }],
      [{ conditions: [TIME, codes] }],
      [{ conditions: [TIME, { ...codes, exclude: true }] }],
    ]);
  });

  it('says what to do where nothing is chosen, and that some records are too few', async () => {
    const { panel, backend } = await show({ conditions: [] });
    expect(panel.text()).toContain('Nothing is chosen');
    expect(backend.calls).toEqual([]);
    const few = await show({ conditions: [TIME] }, { ...EXPLAINED, insideCount: 12, values: [] });
    expect(few.panel.get('[role=status]').text()).toBe('12 records are too few to tell.');
    const rest = await show({ conditions: [TIME] }, { ...EXPLAINED, outsideCount: 1, values: [] });
    expect(rest.panel.get('[role=status]').text()).toContain('Only 1 record is left to compare with');
  });

  it('says that nothing is certain where all could be chance', async () => {
    const values = EXPLAINED.values.map((value) => ({ ...value, certainty: 'chance' as const }));
    const { panel } = await show({ conditions: [TIME] }, { ...EXPLAINED, values: [...values, ...values] });
    expect(panel.get('[role=status]').text()).toBe('No significant differences.');
    expect(panel.findAll('ol > li')).toHaveLength(5);
  });

  it('closes with Escape', async () => {
    const { panel } = await show({ conditions: [TIME] });
    await panel.get('aside').trigger('keydown', { key: 'Escape' });
    expect(panel.emitted('close')).toHaveLength(1);
  });
});
