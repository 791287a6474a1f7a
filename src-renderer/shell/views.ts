import type { Component } from 'vue';
import {
  Activity,
  Bell,
  CalendarClock,
  CalendarRange,
  CalendarSync,
  ChartBarStacked,
  CircleQuestionMark,
  Database,
  FolderOpen,
  GitCompareArrows,
  HardDrive,
  Info,
  List,
  MessagesSquare,
  Settings,
  Siren,
  SquareTerminal,
  Target,
} from '@lucide/vue';

type ViewGroup = 'none' | 'inbound' | 'outbound' | 'data';

export interface View {
  readonly name:
    | 'overview'
    | 'incidents'
    | 'conversations'
    | 'compare'
    | 'alerts'
    | 'cases'
    | 'inbound-summary'
    | 'inbound-detail'
    | 'outbound-summary'
    | 'outbound-detail'
    | 'library'
    | 'deprecations'
    | 'local-service'
    | 'schedules'
    | 'planned'
    | 'service-levels'
    | 'sql';
  /** The word in the sidebar, below the name of the group. */
  readonly short:
    | 'overview'
    | 'incidents'
    | 'conversations'
    | 'compare'
    | 'alerts'
    | 'cases'
    | 'summary'
    | 'detail'
    | 'library'
    | 'deprecations'
    | 'local-service'
    | 'schedules'
    | 'planned'
    | 'service-levels'
    | 'sql';
  readonly path: string;
  readonly icon: Component;
  readonly group: ViewGroup;
}

/** In the order of the sidebar, which is also that of Ctrl/Cmd+1 to 9; those after the ninth have no key. */
export const VIEWS: readonly View[] = [
  { name: 'overview', short: 'overview', path: '/overview', icon: Activity, group: 'none' },
  { name: 'incidents', short: 'incidents', path: '/incidents', icon: Siren, group: 'none' },
  {
    name: 'conversations',
    short: 'conversations',
    path: '/conversations',
    icon: MessagesSquare,
    group: 'none',
  },
  { name: 'compare', short: 'compare', path: '/compare', icon: GitCompareArrows, group: 'none' },
  { name: 'alerts', short: 'alerts', path: '/alerts', icon: Bell, group: 'none' },
  { name: 'cases', short: 'cases', path: '/cases', icon: FolderOpen, group: 'none' },
  {
    name: 'inbound-summary',
    short: 'summary',
    path: '/inbound/summary',
    icon: ChartBarStacked,
    group: 'inbound',
  },
  { name: 'inbound-detail', short: 'detail', path: '/inbound/detail', icon: List, group: 'inbound' },
  {
    name: 'outbound-summary',
    short: 'summary',
    path: '/outbound/summary',
    icon: ChartBarStacked,
    group: 'outbound',
  },
  { name: 'outbound-detail', short: 'detail', path: '/outbound/detail', icon: List, group: 'outbound' },
  { name: 'library', short: 'library', path: '/library', icon: Database, group: 'data' },
  { name: 'sql', short: 'sql', path: '/sql', icon: SquareTerminal, group: 'data' },
  { name: 'schedules', short: 'schedules', path: '/schedules', icon: CalendarSync, group: 'data' },
  { name: 'planned', short: 'planned', path: '/planned', icon: CalendarRange, group: 'data' },
  {
    name: 'service-levels',
    short: 'service-levels',
    path: '/service-levels',
    icon: Target,
    group: 'data',
  },
  { name: 'deprecations', short: 'deprecations', path: '/deprecations', icon: CalendarClock, group: 'data' },
  { name: 'local-service', short: 'local-service', path: '/local-service', icon: HardDrive, group: 'data' },
];

/** Views with a key of their own. */
export const MAX_VIEW_KEYS = 9;

export const SETTINGS_VIEW = { path: '/settings', icon: Settings } as const;
export const HELP_VIEW = { path: '/help', icon: CircleQuestionMark } as const;
export const ABOUT_VIEW = { path: '/about', icon: Info } as const;
export const VIEW_GROUPS: readonly ViewGroup[] = ['none', 'inbound', 'outbound', 'data'];
