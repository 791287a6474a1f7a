/** A step of the tour: where it is, and what it points at. */
export interface TourStep {
  /** Message key below `tour.steps`. */
  readonly name: string;
  readonly path: string;
  /** The control, as a selector; the first that is visible counts. */
  readonly target: string;
}

const OVERVIEW = '/overview';
const DETAIL = '/inbound/detail';

export const TOUR_STEPS: readonly TourStep[] = [
  { name: 'period', path: OVERVIEW, target: '[data-shortcut="period"]' },
  { name: 'findings', path: OVERVIEW, target: '[data-tour="findings"]' },
  { name: 'volume', path: OVERVIEW, target: '[data-tour="volume"]' },
  { name: 'coverage', path: DETAIL, target: '[data-tour="coverage"]' },
  { name: 'spike', path: DETAIL, target: '[data-tour="spike"]' },
  { name: 'record', path: DETAIL, target: '[data-tour="record"]' },
  { name: 'export', path: DETAIL, target: '[data-shortcut="export"]' },
  { name: 'help', path: DETAIL, target: 'a[href*="#/help"]' },
];
