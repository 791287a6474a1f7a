import { computed, inject, onBeforeUnmount, onMounted, shallowRef, watch, type Ref } from 'vue';
import { useEventListener } from '@vueuse/core';
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
  type ChartConfiguration,
  type ChartType,
  type Plugin,
  BasicPlatform,
} from 'chart.js';
import type { PlotArea } from './chart-marks.ts';
import { chartFrameKey, createSvgCanvas, type Size, type ChartDrawing } from './picture/chart-picture.ts';
import { readFormats } from '../format/formats.ts';
import { readThemeColours, useChartColours, type ChartColours } from './chart-style.ts';

/** Returns how a chart of Chart.js is drawn once more, in the colours of a theme. */
function createChartJsDrawing<Type extends ChartType, Data, Label>(
  readSize: () => Size,
  toConfiguration: (colours: ChartColours) => ChartConfiguration<Type, Data, Label>,
): ChartDrawing {
  return {
    readSize,
    draw: async (size, ground) => {
      const { type, data, options, plugins = [] } = toConfiguration(readThemeColours(ground));
      const { context, finish } = await createSvgCanvas(size);
      // Chart.js takes the size of the canvas as that of the chart.
      Object.assign(context.canvas, size);
      const canvas = { getContext: () => context } as unknown as HTMLCanvasElement;
      // A line that is kept as one path leaves nothing in a picture of shapes: with segments it is drawn step by step.
      const datasets = data.datasets.map((own) => Object.assign({}, own, { segment: {} }));
      const still = { responsive: false, animation: false, devicePixelRatio: 1, events: [] };
      const chart = new Chart<Type, Data, Label>(canvas, {
        type,
        data: Object.assign({}, data, { datasets }),
        options: Object.assign({}, options, still),
        plugins,
        platform: BasicPlatform,
      });
      const { left, top, width, height } = chart.chartArea;
      const svg = finish();
      chart.destroy();
      return { svg, area: { left, top, width, height } };
    },
  };
}

Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
);

/**
 * Draws a chart on the canvas for as long as the component is mounted. When something that the configuration
 * reads changes, the same chart gets the new data, options and plugins. A frame around it learns how it is drawn. Returns
 * where its plot is on the canvas.
 */
export function useChart<Type extends ChartType, Data, Label>(
  canvas: Readonly<Ref<HTMLCanvasElement | null>>,
  toConfiguration: (colours: ChartColours) => ChartConfiguration<Type, Data, Label>,
): Readonly<Ref<PlotArea | null>> {
  const colours = useChartColours();
  const area = shallowRef<PlotArea | null>(null);
  const areaReader: Plugin<Type> = {
    id: 'area-reader',
    afterLayout: ({ chartArea: { left, top, width, height } }) => {
      const next = { left, top, width, height };
      if (JSON.stringify(area.value) !== JSON.stringify(next)) area.value = next;
    },
  };
  const configuration = computed(() => {
    // Axes write their numbers and dates while they are drawn.
    readFormats();
    const own = toConfiguration(colours.value);
    return { ...own, plugins: [...(own.plugins ?? []), areaReader] };
  });
  const door = inject(chartFrameKey, null);
  let size: Size = { width: 0, height: 0 };
  let chart: Chart<Type, Data, Label> | null = null;

  onMounted(() => {
    if (canvas.value !== null) chart = new Chart(canvas.value, configuration.value);
    door?.show(createChartJsDrawing(readSize, toConfiguration));
  });
  watch(
    configuration,
    ({ data, options, plugins }) => {
      if (chart === null) return;
      // A data set that stays the same object keeps its bars and lines, and what the pointer is over.
      const { datasets } = chart.data;
      chart.data.labels = data.labels ?? [];
      chart.data.datasets = data.datasets.map((next, index) => Object.assign(datasets[index] ?? {}, next));
      if (options !== undefined) chart.options = options;
      chart.config.plugins?.splice(0, Infinity, ...plugins);
      // Not in the mode `none`, in which bars keep their colours. Without animations both are as quick.
      chart.update();
    },
    { flush: 'post' },
  );
  // What is said of the bar under the pointer lies over others.
  useEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || chart === null || chart.getActiveElements().length === 0) return;
    chart.setActiveElements([]);
    chart.tooltip?.setActiveElements([], { x: 0, y: 0 });
    chart.update();
  });
  onBeforeUnmount(() => {
    door?.show(null);
    chart?.destroy();
  });
  return area;

  /** While the table is shown in its place, the chart keeps the size that it had. */
  function readSize(): Size {
    const { clientWidth: width, clientHeight: height } = canvas.value ?? { clientWidth: 0, clientHeight: 0 };
    if (width > 0 && height > 0) size = { width, height };
    return size;
  }
}
