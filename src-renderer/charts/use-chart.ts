import { computed, onBeforeUnmount, onMounted, watch, type Ref } from 'vue';
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
  type ChartConfiguration,
  type ChartType,
} from 'chart.js';

Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
);

/**
 * Draws a chart on the canvas for as long as the component is mounted. When something that the configuration
 * reads changes, the same chart gets the new data, options and plugins.
 */
export function useChart<Type extends ChartType, Data, Label>(
  canvas: Readonly<Ref<HTMLCanvasElement | null>>,
  toConfiguration: () => ChartConfiguration<Type, Data, Label>,
): void {
  const configuration = computed(toConfiguration);
  let chart: Chart<Type, Data, Label> | null = null;

  onMounted(() => {
    if (canvas.value !== null) chart = new Chart(canvas.value, configuration.value);
  });
  watch(
    configuration,
    ({ data, options, plugins = [] }) => {
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
  onBeforeUnmount(() => chart?.destroy());
}
