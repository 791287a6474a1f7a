import { toErrorInterval, toErrorShare, type Figures } from './group-figures.ts';

/** Columns of figures that are always there, in their order. */
export type FixedColumn = 'count' | 'errors' | 'response' | 'latency';
/** Columns of failures that the person chooses; only computed summaries have them. */
export const FAILURE_COLUMNS = ['interval', 'sessions', 'clients'] as const;
/** All of those. */
export const CHOSEN_COLUMNS = [
  ...FAILURE_COLUMNS,
  'median',
  'p90',
  'p95',
  'p99',
  'max',
  'latencyMedian',
  'latencyP95',
] as const;
export type ChosenColumn = (typeof CHOSEN_COLUMNS)[number];
export type FigureColumn = FixedColumn | ChosenColumn;

const READ: Readonly<Record<FigureColumn, (figures: Figures) => number | null>> = {
  count: ({ count }) => count,
  errors: toErrorShare,
  interval: (figures) => toErrorInterval(figures)?.high ?? null,
  sessions: ({ hit }) => hit?.failedSessions ?? null,
  clients: ({ hit }) => hit?.failedClients ?? null,
  response: ({ response }) => response.averageMs,
  median: ({ response }) => response.medianMs,
  p90: ({ response }) => response.p90Ms,
  p95: ({ response }) => response.p95Ms,
  p99: ({ response }) => response.p99Ms,
  max: ({ response }) => response.maxMs,
  latency: ({ botLatency }) => botLatency.averageMs,
  latencyMedian: ({ botLatency }) => botLatency.medianMs,
  latencyP95: ({ botLatency }) => botLatency.p95Ms,
};

/** Returns the figure of a column; null where it is not known. */
export function readFigure(column: FigureColumn, figures: Figures): number | null {
  return READ[column](figures);
}

/** Returns the columns of times, in their order. */
export function listTimeColumns(
  hasLatency: boolean,
  chosen: readonly ChosenColumn[],
): readonly FigureColumn[] {
  const isLatency = (column: FigureColumn): boolean => column.startsWith('latency');
  const isTime = (column: ChosenColumn): boolean => !FAILURE_COLUMNS.some((one) => one === column);
  return [
    'response',
    ...CHOSEN_COLUMNS.filter((column) => isTime(column) && !isLatency(column) && chosen.includes(column)),
    ...(hasLatency
      ? ([
          'latency',
          ...CHOSEN_COLUMNS.filter((column) => isLatency(column) && chosen.includes(column)),
        ] as const)
      : []),
  ];
}
