import { useMutationObserver } from '@vueuse/core';
import { shallowRef, type Ref } from 'vue';

const VARIABLES = {
  '2xx': '--cs-2xx',
  '3xx': '--cs-3xx',
  '4xx': '--cs-4xx',
  '5xx': '--cs-5xx',
  none: '--cs-xxx',
  inbound: '--cs-series-in',
  outbound: '--cs-series-out',
  text: '--cs-text-1',
  quiet: '--cs-text-2',
  faint: '--cs-text-3',
  alert: '--cs-5xx-ink',
  grid: '--cs-border-subtle',
  surface: '--cs-surface',
  band: '--cs-sunken',
  tooltip: '--cs-tooltip',
  tooltipText: '--cs-tooltip-text',
} as const;
export type ChartColours = Readonly<Record<keyof typeof VARIABLES, string>>;

function readColours(): ChartColours {
  const style = getComputedStyle(document.documentElement);
  const entries = Object.entries(VARIABLES).map(([name, variable]) => [
    name,
    style.getPropertyValue(variable).trim(),
  ]);
  return Object.fromEntries(entries) as ChartColours;
}

/** The theme's colours for canvas charts, which can't read CSS variables. They follow changes of the theme. */
export function useChartColours(): Readonly<Ref<ChartColours>> {
  const colours = shallowRef(readColours());
  useMutationObserver(
    document.documentElement,
    () => {
      colours.value = readColours();
    },
    { attributeFilter: ['class'] },
  );
  return colours;
}
