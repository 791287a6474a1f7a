import {
  addUpSpans,
  intersectSpans,
  subtractSpans,
} from '../../../src-main/common/model/connections/level-times.ts';
import { joinSpans } from '../../../src-main/common/model/connections/planned-spans.ts';
import type { LevelReport } from '../../../src-main/common/model/connections/service-level.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { toMidnight } from '../../period/period-selection.ts';

/** Parts of a day that its bar is drawn of. */
const SLOTS = 96;

type DayState = 'up' | 'down' | 'unwatched' | 'planned' | 'off' | 'future';

/** A day of a month: what its bar shows from left to right, and how long each state was. */
interface LevelDay {
  readonly fromMs: number;
  readonly segments: readonly { readonly state: DayState; readonly from: number; readonly to: number }[];
  readonly lengthsMs: Readonly<Record<'up' | 'down' | 'unwatched' | 'planned', number>>;
  readonly isFuture: boolean;
}

/** Divides a month into its days by the clock of the agreement, oldest first. */
export function toLevelDays(report: LevelReport): LevelDay[] {
  const { fromMs, toMs, untilMs, level } = report;
  const planned = joinSpans(report.planned);
  const agreed = subtractSpans(report.service, planned);
  const days: LevelDay[] = [];
  for (let place = 0; place < 32; place += 1) {
    const dayMs = toMidnight(fromMs, level.zone, place);
    if (dayMs >= toMs) break;
    const day = { fromMs: dayMs, toMs: Math.min(toMs, toMidnight(fromMs, level.zone, place + 1)) };
    const of = (spans: readonly TimeSpan[]): TimeSpan[] => intersectSpans([day], spans);
    const due = intersectSpans(of(agreed), [{ fromMs, toMs: untilMs }]);
    const [gaps, outages, off] = [of(report.gaps), of(report.outages), subtractSpans([day], report.service)];
    // An outage may hold time that wasn't watched: it counts by the share of it that was.
    const downMs = report.outages.reduce(
      (sum, outage) =>
        sum + (addUpSpans(intersectSpans([outage], [day])) / (outage.toMs - outage.fromMs)) * outage.downMs,
      0,
    );
    const unwatchedMs = addUpSpans(gaps);
    const ofState = { down: outages, unwatched: gaps, planned: of(planned), off, due };
    days.push({
      fromMs: dayMs,
      segments: listSegments(day, ofState, untilMs),
      lengthsMs: {
        up: Math.max(0, addUpSpans(due) - unwatchedMs - downMs),
        down: downMs,
        unwatched: unwatchedMs,
        planned: addUpSpans(ofState.planned),
      },
      isFuture: dayMs >= untilMs,
    });
  }
  return days;
}

/** What fills most of each part of a day; an outage shows however short it was. */
function listSegments(
  day: TimeSpan,
  spans: Readonly<Record<'down' | 'unwatched' | 'planned' | 'off' | 'due', readonly TimeSpan[]>>,
  untilMs: number,
): LevelDay['segments'] {
  const segments: { state: DayState; from: number; to: number }[] = [];
  for (let slot = 0; slot < SLOTS; slot += 1) {
    const edge = (place: number): number => day.fromMs + ((day.toMs - day.fromMs) * place) / SLOTS;
    const part = { fromMs: edge(slot), toMs: edge(slot + 1) };
    const lengthOf = (list: readonly TimeSpan[]): number => addUpSpans(intersectSpans([part], list));
    const unwatchedMs = lengthOf(spans.unwatched);
    const lengths = {
      up: lengthOf(spans.due) - unwatchedMs,
      unwatched: unwatchedMs,
      planned: lengthOf(spans.planned),
      off: lengthOf(spans.off),
      future: Math.max(0, part.toMs - Math.max(part.fromMs, untilMs)),
    };
    const states = ['up', 'unwatched', 'planned', 'off', 'future'] as const;
    const state: DayState =
      lengthOf(spans.down) > 0 ? 'down' : states.reduce((a, b) => (lengths[b] > lengths[a] ? b : a));
    const last = segments.at(-1);
    if (last?.state === state) last.to = (slot + 1) / SLOTS;
    else segments.push({ state, from: slot / SLOTS, to: (slot + 1) / SLOTS });
  }
  return segments;
}
