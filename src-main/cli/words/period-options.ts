import { isTimeZone } from '../../common/time/time-zones.ts';
import { toUsageError } from './arguments.ts';
import type { CommandContext } from './command.ts';
import type { OptionSpec } from './option.ts';
import { readMoment } from './read-moment.ts';

const ZONE_OPTION: OptionSpec = {
  name: 'zone',
  value: 'ZONE',
  summary: "zone of times that name none, and of those shown; left out, the connection's",
};

export const PERIOD_OPTIONS: readonly OptionSpec[] = [
  { name: 'from', value: 'TIME', summary: 'beginning: 2026-11-20, 2026-11-20T10:15Z, yesterday, now-24h' },
  { name: 'to', value: 'TIME', summary: 'end, itself not included: today, now, 2026-11-21T00:00:00+01:00' },
  ZONE_OPTION,
];

/** A span at whole seconds, with the zone that it was written in. */
export interface GivenPeriod {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  readonly zone: string;
}

/** Reads `--zone`; the zone of the connection's service where it is left out. */
export function readZone({ args }: Pick<CommandContext, 'args'>, serviceZone: string): string {
  const zone = args.find('zone') ?? serviceZone;
  if (!isTimeZone(zone)) throw toUsageError(`--zone: "${zone}" is no time zone.`, '');
  return zone;
}

/** Reads `--from` and `--to`. */
export function readPeriod(context: Pick<CommandContext, 'args' | 'now'>, serviceZone: string): GivenPeriod {
  const zone = readZone(context, serviceZone);
  const nowMs = context.now();
  const read = (name: string): number => {
    const text = context.args.require(name);
    const atMs = readMoment(text, zone, nowMs);
    if (atMs !== null) return atMs;
    throw toUsageError(`--${name}: "${text}" is no time.`, 'Write 2026-11-20, 2026-11-20T10:15Z or now-24h.');
  };
  const [fromMs, toMs] = [read('from'), read('to')];
  if (toMs <= fromMs) throw toUsageError('--to must be later than --from.', '');
  return { fromMs, toMs, zone };
}
