import type { QuirkName } from '../../../src-main/common/model/connections/simulation.ts';

/** The quirks, grouped by what they change in the service. */
export const QUIRK_GROUPS: readonly {
  readonly name: 'pages' | 'shape' | 'responses' | 'failures';
  readonly quirks: readonly QuirkName[];
}[] = [
  {
    name: 'pages',
    quirks: [
      'cursor-cycles',
      'cursor-expires',
      'cursor-never-empty',
      'cursor-repeats',
      'duplicate-records',
      'late-records',
      'small-pages',
      'total-capped',
    ],
  },
  {
    name: 'shape',
    quirks: [
      'corrected-spelling',
      'dates-dotnet',
      'dates-without-zone',
      'numbers-as-strings',
      'records-as-string',
      'records-key-data',
      'separate-outbound-summary',
      'status-nested',
      'status-text',
    ],
  },
  {
    name: 'responses',
    quirks: [
      'cut-body',
      'html-page',
      'invalid-with-400',
      'rate-limited',
      'require-token',
      'slow',
      'stalls',
      'token-30s',
      'unauthorised-mid-page',
    ],
  },
  {
    name: 'failures',
    quirks: [
      'always-200-error-text',
      'errors-as-json',
      'errors-with-names',
      'minus-one-no-answer',
      'normal-404',
      'two-99-failed',
      'vendor-4-digits',
      'zero-ok-one-failed',
    ],
  },
];
