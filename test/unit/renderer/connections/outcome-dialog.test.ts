import { flushPromises, mount } from '@vue/test-utils';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Input } from '../../../../src-main/common/contract/index.ts';
import type { OutcomeSuggestion } from '../../../../src-main/common/model/analysis/outcome-suggestion.ts';
import { DEFAULT_RULES, type OutcomeRule } from '../../../../src-main/common/reporting/outcome.ts';
import OutcomeDialog from '../../../../src-renderer/screens/connections/outcome/OutcomeDialog.vue';
import {
  insertSuggestion,
  readRow,
  toRow,
} from '../../../../src-renderer/screens/connections/outcome/rule-rows.ts';
import { provideApplication } from '../support/provide-application.ts';
import { makeConnection } from '../support/samples.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';

const SUGGESTED: OutcomeSuggestion = {
  rule: { codes: [0], outcome: 'failed' },
  ...{ reason: 'error-text', count: 412, share: 0.97, othersShare: 0, ofAll: 0.12, examples: ['No answer'] },
};

describe('the fields of a rule', () => {
  it('say the same rule again, whatever it looks at', () => {
    const rules: OutcomeRule[] = [
      ...DEFAULT_RULES,
      { codes: [-1, null, [1000, 1001]], outcome: 'ok' },
      { error: { is: ['OK', 'a, b'] }, outcome: 'ok' },
      { error: { contains: 'timeout' }, channels: [3, null], services: [7], outcome: 'expected' },
      { error: { family: 'User <name> not found' }, outcome: 'expected' },
      { path: { in: 'response', at: 'error.code', is: ['7', 'failed'] }, outcome: 'failed' },
      { path: { in: 'payload', at: 'error' }, origins: ['web'], actions: ['-1'], outcome: 'failed' },
      { error: 'absent', outcome: 'unknown' },
    ];
    expect(rules.map((rule) => readRow(toRow(rule)))).toEqual(rules);
  });

  it('say what is wrong with what was typed', () => {
    const read = (change: object) => readRow({ ...toRow({ outcome: 'failed' }), ...change });
    expect(['x', '599-400', '4.5', '1,,2', 'none, -5--1'].map((codes) => read({ codes }))).toEqual([
      'invalidCodes',
      'invalidCodes',
      'invalidCodes',
      { codes: [1, 2], outcome: 'failed' },
      { codes: [null, [-5, -1]], outcome: 'failed' },
    ]);
    expect(read({ error: 'contains', errorText: ' ' })).toBe('invalidText');
    expect(read({ body: 'payload' })).toBe('invalidPath');
    expect(read({ channels: 'web' })).toBe('invalidNumbers');
  });

  it('take a suggestion before the rules, but what most records say before the first rule about texts', () => {
    const rows = DEFAULT_RULES.map(toRow);
    const toRules = (reason: OutcomeSuggestion['reason']) =>
      insertSuggestion(rows, { ...SUGGESTED, reason }).map(readRow);
    expect(toRules('error-text')[0]).toEqual(SUGGESTED.rule);
    expect(toRules('usual-text')[1]).toEqual(SUGGESTED.rule);
  });
});

describe('the dialog of what counts as failed', () => {
  afterEach(() => vi.useRealTimers());

  it('tries rules on what is cached, takes a suggestion, and saves both directions', async () => {
    const saved: Input<'outcome/save'>[] = [];
    const connection = makeConnection();
    const { global } = await provideApplication(
      new ScriptedBackend({
        'outcome/preview': ({ rules }) => ({
          recordCount: 1000,
          counts: rules.length > 3 ? [880, 120, 0, 0] : [880, 2, 0, 118],
          countsNow: [880, 2, 0, 118],
        }),
        'outcome/advise': () => ({
          recordCount: 1000,
          counts: [880, 2, 0, 118],
          suggestions: [SUGGESTED],
          unclear: [{ code: 7, count: 3 }],
          accepted: [SUGGESTED.rule, ...DEFAULT_RULES],
        }),
        'outcome/save': (input) => {
          saved.push(input);
          return { ...connection, outcomes: input.outcomes };
        },
      }),
    );
    const view = mount(OutcomeDialog, {
      props: { open: true, connection },
      global,
      attachTo: document.body,
    });
    await flushPromises();
    const dialog = (): HTMLElement => document.querySelector<HTMLElement>('[role=dialog]')!;
    const press = async (name: string): Promise<void> => {
      [...dialog().querySelectorAll('button')]
        .find(({ textContent }) => textContent.trim() === name)!
        .click();
      await flushPromises();
    };
    expect(dialog().textContent).toContain(
      'With these rules 0.20% of 1,000 cached records failed (now 0.20%).',
    );
    expect(dialog().textContent).toContain('11.80% of the records stay unknown.');
    expect(dialog().textContent).toMatch(/Code 0 has a text in Error in 97(\.0)?% of its records \(412\)\./u);
    expect(dialog().textContent).toContain("It isn't clear what Code 7 means (3)");
    await press('Use');
    await vi.waitFor(() => expect(dialog().textContent).toContain('With these rules 12.00% of 1,000'));
    expect(dialog().textContent).not.toContain('Code 0 comes with');
    await press('Save rules');
    expect(saved.map(({ outcomes }) => outcomes)).toEqual([{ inbound: [SUGGESTED.rule, ...DEFAULT_RULES] }]);
    view.unmount();
  });

  it('keeps rules that were typed and not saved, and puts back the saved ones', async () => {
    sessionStorage.clear();
    const { global } = await provideApplication(
      new ScriptedBackend({
        'outcome/preview': () => ({ recordCount: 0, counts: [], countsNow: [] }),
        'outcome/advise': () => ({ recordCount: 0, counts: [], suggestions: [], unclear: [], accepted: [] }),
      }),
    );
    const open = async () => {
      const props = { open: true, connection: makeConnection() };
      const view = mount(OutcomeDialog, { props, global, attachTo: document.body });
      await flushPromises();
      return view;
    };
    const field = () => document.querySelector<HTMLInputElement>('[role=dialog] li input')!;
    const first = await open();
    const saved = field().value;
    field().value = '700-799';
    field().dispatchEvent(new Event('input'));
    await flushPromises();
    first.unmount();
    const again = await open();
    expect(field().value).toBe('700-799');
    [...document.querySelectorAll('button')]
      .find(({ textContent }) => textContent.trim() === 'Discard')
      ?.click();
    await flushPromises();
    expect(field().value).toBe(saved);
    again.unmount();
  });
});
