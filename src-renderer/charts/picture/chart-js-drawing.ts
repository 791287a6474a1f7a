import { BasicPlatform, Chart, type ChartConfiguration, type ChartType } from 'chart.js';
import type { ChartColours } from '../use-chart-colours.ts';
import type { ChartDrawing, Size } from './chart-drawing.ts';

/** Returns how a chart of Chart.js is drawn once more, with the colours of another theme where they are asked for. */
export function createChartJsDrawing<Type extends ChartType, Data, Label>(
  readSize: () => Size,
  toConfiguration: (colours: ChartColours) => ChartConfiguration<Type, Data, Label>,
): ChartDrawing {
  return {
    readSize,
    draw: (context, size, colours, scale) => {
      const { type, data, options, plugins = [] } = toConfiguration(colours);
      // Chart.js takes the size of the canvas as that of the chart, and makes the canvas larger by the scale.
      Object.assign(context.canvas, size);
      const canvas = { getContext: () => context } as unknown as HTMLCanvasElement;
      const still = { responsive: false, animation: false, devicePixelRatio: scale, events: [] };
      const chart = new Chart<Type, Data, Label>(canvas, {
        type,
        data,
        options: Object.assign({}, options, still),
        plugins,
        platform: BasicPlatform,
      });
      return () => chart.destroy();
    },
  };
}
