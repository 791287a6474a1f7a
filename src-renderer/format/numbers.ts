/** Numbers read the same in the window and in the files that the core writes. */
export {
  formatAge,
  formatBytes,
  formatCount,
  formatDuration,
  formatMeasure,
  formatPercent,
  formatRate,
  formatSpan,
} from '../../src-main/common/words/numbers.ts';
