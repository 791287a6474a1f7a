import type { Plugin } from 'chart.js';
import { CHART_FONT } from './chart-style.ts';

export interface EndLabel {
  readonly text: string;
  readonly colour: string;
}

/** Writes a text after the end of each horizontal bar, because the slivers of a stack can't be read. */
export function createEndLabels(labels: readonly EndLabel[]): Plugin<'bar'> {
  return {
    id: 'end-labels',
    afterDatasetsDraw(chart) {
      const { ctx } = chart;
      ctx.save();
      ctx.font = `500 ${CHART_FONT.size}px ${CHART_FONT.family}`;
      ctx.textBaseline = 'middle';
      labels.forEach((label, index) => {
        let right = chart.chartArea.left;
        let middle: number | null = null;
        for (const meta of chart.getSortedVisibleDatasetMetas()) {
          const bar = meta.data[index];
          if (bar === undefined || Number.isNaN(bar.x)) continue;
          right = Math.max(right, bar.x);
          middle = bar.y;
        }
        if (middle === null) return;
        ctx.fillStyle = label.colour;
        ctx.fillText(label.text, right + 6, middle);
      });
      ctx.restore();
    },
  };
}
