import {
  BellOff,
  ChartNoAxesColumn,
  CircleAlert,
  Gauge,
  History,
  Plug,
  Sparkles,
  TrendingDown,
  Unplug,
} from '@lucide/vue';
import type { Component } from 'vue';
import type { FindingIcon } from '../../src-main/common/model/analysis/finding-kinds.ts';

/** The pictures that kinds of findings are drawn with. */
export const FINDING_ICONS: Readonly<Record<FindingIcon, Component>> = {
  unplug: Unplug,
  'no-bell': BellOff,
  late: History,
  failure: CircleAlert,
  new: Sparkles,
  fewer: TrendingDown,
  slow: Gauge,
  connector: Plug,
  more: ChartNoAxesColumn,
};
