import { describe, expect, it } from 'vitest';
import { DEFAULT_RULES, createOutcomeDecider } from '../../../../../src-main/common/reporting/outcome.ts';
import {
  listUnclear,
  suggestRules,
  withSuggestions,
  type CodeFigures,
  type CodeSurvey,
  type SampledRecord,
} from '../../../../../src-main/core/analysis/outcomes/suggest-rules.ts';

const DAYS = 5;

interface Code extends Partial<CodeFigures> {
  readonly code: number | null;
  readonly count: number;
  readonly response?: string;
  readonly payload?: string;
}

/** A survey of records, each code's spread evenly over five days unless it says otherwise. */
function survey(codes: readonly Code[], families: CodeSurvey['families'] = []): CodeSurvey {
  const decide = createOutcomeDecider(DEFAULT_RULES);
  const figures = codes.map(({ response, ...own }): CodeFigures => {
    const withError = own.withError ?? 0;
    const outcome = decide({
      ...{ responseCode: own.code, error: '', channel: null, service: null, origin: null, actionId: null },
    });
    return {
      withError,
      topFamily: withError === 0 ? '' : `family of ${String(own.code)}`,
      topFamilyCount: withError,
      example: withError === 0 ? '' : 'It went wrong',
      withoutResponse: response === undefined ? null : response === '' ? own.count : 0,
      medianMs: 300,
      unknown: outcome === 'unknown' ? own.count - withError : 0,
      byDay: Array.from({ length: DAYS }, () => own.count / DAYS),
      ...own,
    };
  });
  const samples = codes.flatMap(({ code, count, response = '', payload = '' }) =>
    Array.from({ length: Math.min(count, 100) }, (): SampledRecord => ({
      code,
      hasError: false,
      payload,
      response,
    })),
  );
  return {
    recordCount: figures.reduce((sum, { count }) => sum + count, 0),
    codes: figures,
    byDay: Array.from({ length: DAYS }, (_, day) =>
      figures.reduce((sum, { byDay }) => sum + (byDay[day] ?? 0), 0),
    ),
    samples,
    families,
  };
}

const suggest = (own: CodeSurvey) =>
  suggestRules(own, DEFAULT_RULES).map(({ rule, reason }) => [
    rule.codes === undefined ? (rule.path ?? rule.error) : rule.codes[0],
    rule.outcome,
    reason,
  ]);

describe('rules that the records suggest', () => {
  it('suggests nothing for a service that answers with codes of HTTP', () => {
    const http = survey([
      { code: 200, count: 9000 },
      { code: 404, count: 100, withError: 100 },
      { code: 503, count: 200, withError: 200 },
    ]);
    expect(suggest(http)).toEqual([]);
    expect(listUnclear(http, [])).toEqual([]);
  });

  it('takes the usual code for success, and one that mostly comes with an error for failure', () => {
    const own = survey([
      { code: 0, count: 9700 },
      { code: 1, count: 300, withError: 220 },
    ]);
    expect(suggest(own)).toEqual([
      [0, 'ok', 'usual'],
      [1, 'failed', 'error-text'],
    ]);
    const rules = withSuggestions(DEFAULT_RULES, suggestRules(own, DEFAULT_RULES));
    const decide = createOutcomeDecider(rules);
    const toOutcome = (responseCode: number): unknown =>
      decide({ responseCode, error: '', channel: 1, service: 1, origin: '', actionId: '' });
    expect([0, 1, 200, 503, 7].map(toOutcome)).toEqual(['ok', 'failed', 'ok', 'failed', 'unknown']);
  });

  it('finds a code of success whose responses speak of failure', () => {
    expect(
      suggest(
        survey([
          { code: 200, count: 9700, response: '{"result":"accepted"}' },
          { code: 299, count: 300, response: '{"result":"refused"}' },
        ]),
      ),
    ).toEqual([[299, 'failed', 'body']]);
  });

  it('finds failures inside bodies where every code is the same', () => {
    const own = survey([{ code: 200, count: 10_000, response: '{"status":"delivered"}' }]);
    const failed = Array.from({ length: 3 }, (): SampledRecord[] => [
      { code: 200, hasError: false, payload: '', response: '{"status":"FAILED"}' },
      { code: 200, hasError: false, payload: '', response: '{"status":"failed","error":{"code":7}}' },
    ]).flat();
    expect(suggest({ ...own, samples: [...own.samples, ...failed] })).toEqual([
      [{ in: 'response', at: 'status', is: ['FAILED', 'failed'] }, 'failed', 'body'],
    ]);
  });

  it('takes a missing response, and an extreme time, for failure', () => {
    expect(
      suggest(
        survey([
          { code: 200, count: 9000, response: '{"id":1}' },
          { code: -1, count: 100, response: '' },
          { code: null, count: 100, response: '{"id":1}', medianMs: 60_000 },
        ]),
      ),
    ).toEqual([
      [-1, 'failed', 'no-response'],
      [null, 'failed', 'slow'],
    ]);
  });

  it('takes a refusal that is equally frequent on every day for an answer, an outage of it for none', () => {
    const steady = { code: 404, count: 1200, withError: 1200 };
    const usual = { code: 200, count: 8800 };
    expect(suggest(survey([usual, steady]))).toEqual([[404, 'expected', 'steady']]);
    const burst = { ...steady, byDay: [10, 10, 10, 10, 1160] };
    expect(suggest(survey([usual, burst]))).toEqual([]);
    expect(suggest(survey([usual, { ...steady, code: 503 }]))).toEqual([]);
    expect(suggest(survey([usual, { ...steady, code: 429 }]))).toEqual([]);
    expect(suggest(survey([usual, { ...steady, topFamilyCount: 500 }]))).toEqual([]);
  });

  it('takes a text that most records have in Error for none', () => {
    const texts = [{ family: 'OK', text: 'OK', count: 9800 }];
    const own = survey(
      [{ code: 200, count: 10_000, withError: 9900, topFamily: 'OK', topFamilyCount: 9800 }],
      texts,
    );
    const [found] = suggestRules(own, DEFAULT_RULES);
    expect(found).toMatchObject({ rule: { error: { is: ['OK'] }, outcome: 'ok' }, reason: 'usual-text' });
    const decide = createOutcomeDecider(withSuggestions(DEFAULT_RULES, [found!]));
    const toOutcome = (responseCode: number, error: string): unknown =>
      decide({ responseCode, error, channel: 1, service: 1, origin: '', actionId: '' });
    expect([toOutcome(200, 'ok'), toOutcome(503, 'OK'), toOutcome(200, 'Timeout')]).toEqual([
      'ok',
      'failed',
      'failed',
    ]);
  });

  it('says of which codes nothing is known, and guesses nothing', () => {
    const own = survey([
      { code: 200, count: 9000 },
      { code: 7, count: 600 },
      { code: 9, count: 3 },
    ]);
    expect(suggest(own)).toEqual([]);
    expect(listUnclear(own, [])).toEqual([
      { code: 7, count: 600 },
      { code: 9, count: 3 },
    ]);
  });

  it('reads hostile bodies without harm', () => {
    const bodies = [
      '{"a":'.repeat(10_000),
      '[[[[[[]]]]]]',
      '{"error":null}',
      '{"error.code":"failed"}',
      '\0',
      'null',
      '{"status":{}}',
    ];
    const own = survey([{ code: 200, count: 100 }]);
    const samples = bodies.map((response): SampledRecord => ({
      code: 200,
      hasError: false,
      payload: '',
      response,
    }));
    expect(suggest({ ...own, samples })).toEqual([]);
  });
});
