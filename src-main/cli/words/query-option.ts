import type { ValueName } from '../../common/model/records/value-name.ts';
import { findNamed } from '../../common/model/records/value-name.ts';
import type { RecordFilter } from '../../common/model/records/record-filter.ts';
import { parseQuery } from '../../common/query/parse-query.ts';
import { createQueryClock } from '../../common/query/query-clock.ts';
import { toUsageError, type CommandContext, type OptionSpec } from './command.ts';

export const QUERY_OPTION: OptionSpec = {
  name: 'query',
  value: 'QUERY',
  summary: 'only matching records, as in the window: "code:>=500"',
};

/** Reads `--query`; without it, a filter that every record meets. */
export function readQuery(
  { args }: Pick<CommandContext, 'args'>,
  zone: string,
  names: readonly ValueName[],
): RecordFilter {
  const query = args.find('query');
  if (query === null) return { conditions: [] };
  const { filter, error, hint } = parseQuery(query, createQueryClock(zone), (field, text) =>
    findNamed(names, field, text),
  );
  const [offer] = (error ?? hint)?.offers ?? [];
  const meant =
    offer === undefined ? '' : ` Write ${query.slice(0, offer.from)}${offer.text}${query.slice(offer.to)}?`;
  if (error !== null) {
    const words = error.fault.replaceAll('-', ' ');
    throw toUsageError(`--query: ${words} at character ${error.from + 1}: "${error.text}".${meant}`, '');
  }
  // Nobody sees here that what was meant to join conditions is searched for.
  if (hint?.kind === 'operator' || hint?.kind === 'comparison')
    throw toUsageError(`--query: "${hint.text}" would be searched as text.${meant}`, '');
  return filter;
}
