import type { AlertRule } from '../../common/model/alerts/alert-rule.ts';
import type { AlertBoard, AlertRest } from '../../common/model/alerts/alert-state.ts';
import type { Settings } from '../../common/model/settings/settings.ts';
import type { Events } from '../events.ts';
import type { Host } from '../host.ts';
import type { AlertBook } from './alert-book.ts';

/** What is shown of the rules: the board in the window, and the number of firing ones on the application's badge. */
export interface ShownBoard {
  read(): AlertBoard;
  /** Minutes of a rule's last check that lacked records. */
  noteLacking(ruleId: string, minutes: number): void;
  /** When all that was due had been judged. */
  noteChecked(atMs: number): void;
  /** The system shows no notifications: from now on the badge has the number, whatever is set. */
  noteRefused(): void;
  /** Shows what has changed. */
  announce(): void;
  stop(): void;
}

/** Also follows the setting of the badge. */
export function showBoard(options: {
  readonly book: Pick<AlertBook, 'toBoard'>;
  readonly host: Pick<Host, 'showBadge'>;
  readonly events: Pick<Events, 'emit' | 'on'>;
  readonly settings: { get(): Pick<Settings, 'alertBadge'> };
  findRest(rule: AlertRule): AlertRest | null;
  now(): number;
}): ShownBoard {
  const { book, host, events, settings, findRest, now } = options;
  const lackingOf = new Map<string, number>();
  let checkedAtMs: number | null = null;
  let isRefused = false;

  const read = (): AlertBoard => book.toBoard({ nowMs: now(), checkedAtMs, lackingOf, findRest });
  const showBadge = (): void => {
    const firing = read().rules.filter(({ state }) => state.firingSinceMs !== null);
    host.showBadge(settings.get().alertBadge || isRefused ? firing.length : 0);
  };
  const stopBadge = events.on('settings/changed', showBadge);
  const listRests = (): string => JSON.stringify(read().rules.map(({ state }) => state.rests));
  let shownRests = '';
  // Each turn of following says how it went; few of them change what is shown.
  const stopRests = events.on('following/changed', () => {
    if (listRests() !== shownRests) announce();
  });
  const announce = (): void => {
    shownRests = listRests();
    showBadge();
    events.emit('alerts/changed', read());
  };

  return {
    read,
    noteLacking: (ruleId, minutes) => void lackingOf.set(ruleId, minutes),
    noteChecked: (atMs) => {
      checkedAtMs = atMs;
    },
    noteRefused: () => {
      isRefused = true;
    },
    announce,
    stop: () => {
      stopBadge();
      stopRests();
    },
  };
}
