import type { NumberFormats } from '../../src-main/common/words/numbers.ts';
import { readFormats } from './formats.ts';

export const formatAge: NumberFormats['formatAge'] = (...given) => readFormats().formatAge(...given);
export const formatBytes: NumberFormats['formatBytes'] = (...given) => readFormats().formatBytes(...given);
export const formatCount: NumberFormats['formatCount'] = (...given) => readFormats().formatCount(...given);
export const formatDigits: NumberFormats['formatDigits'] = (...given) => readFormats().formatDigits(...given);
export const formatDuration: NumberFormats['formatDuration'] = (...given) =>
  readFormats().formatDuration(...given);
export const formatExactPercent: NumberFormats['formatExactPercent'] = (...given) =>
  readFormats().formatExactPercent(...given);
export const formatMeasure: NumberFormats['formatMeasure'] = (...given) =>
  readFormats().formatMeasure(...given);
export const formatPercent: NumberFormats['formatPercent'] = (...given) =>
  readFormats().formatPercent(...given);
export const formatRate: NumberFormats['formatRate'] = (...given) => readFormats().formatRate(...given);
export const formatRoundPercent: NumberFormats['formatRoundPercent'] = (...given) =>
  readFormats().formatRoundPercent(...given);
export const formatSpan: NumberFormats['formatSpan'] = (...given) => readFormats().formatSpan(...given);
