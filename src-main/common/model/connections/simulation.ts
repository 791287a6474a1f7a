import { Type, type Static } from 'typebox';
import { Nullable } from '../nullable.ts';

/** Ways in which the bundled service can be made to deviate from the specification, as other services do. */
export const QUIRK_NAMES = [
  'always-200-error-text',
  'corrected-spelling',
  'cursor-cycles',
  'cursor-expires',
  'cursor-never-empty',
  'cursor-repeats',
  'cut-body',
  'dates-dotnet',
  'dates-without-zone',
  'duplicate-records',
  'errors-as-json',
  'errors-with-names',
  'html-page',
  'invalid-with-400',
  'late-records',
  'minus-one-no-answer',
  'normal-404',
  'numbers-as-strings',
  'rate-limited',
  'records-as-string',
  'records-key-data',
  'require-token',
  'separate-outbound-summary',
  'slow',
  'small-pages',
  'stalls',
  'status-nested',
  'status-text',
  'token-30s',
  'total-capped',
  'two-99-failed',
  'unauthorised-mid-page',
  'vendor-4-digits',
  'zero-ok-one-failed',
] as const;
/** Those that say in another way which requests failed. */
export const CONVENTION_NAMES = [
  'always-200-error-text',
  'minus-one-no-answer',
  'normal-404',
  'two-99-failed',
  'vendor-4-digits',
  'zero-ok-one-failed',
] as const satisfies readonly (typeof QUIRK_NAMES)[number][];
export const QuirkName = Type.Enum([...QUIRK_NAMES]);
export type QuirkName = (typeof QUIRK_NAMES)[number];

/** What the bundled service's new traffic and status pretend; set from the application only, never over HTTP. */
export const Simulation = Type.Object({
  platformDown: Type.Boolean(),
  connectorDown: Type.Boolean(),
  /** Response times of new traffic are this many times the usual; 1 is none. */
  latencyFactor: Type.Number({ minimum: 1, maximum: 100 }),
  /** New traffic of a channel, a service, or (both null) of everything fails with this share, 0 to 1. */
  errorBurst: Nullable(
    Type.Object({
      channel: Nullable(Type.Integer()),
      service: Nullable(Type.Integer()),
      share: Type.Number({ minimum: 0, maximum: 1 }),
    }),
  ),
  /** New traffic is this many times the usual; 0 is none. */
  trafficFactor: Type.Number({ minimum: 0, maximum: 100 }),
});
export type Simulation = Static<typeof Simulation>;

export const NO_SIMULATION: Simulation = {
  platformDown: false,
  connectorDown: false,
  latencyFactor: 1,
  errorBurst: null,
  trafficFactor: 1,
};
