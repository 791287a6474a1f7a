import type { Input } from '../../../common/contract/index.ts';

/** Names the kind of an export: those of one kind take the same time for as many rows, about. */
export function toPaceKind(input: Input<'exports/start'> | Input<'exports/start-result'>): string {
  if ('resultId' in input) return `${input.format} of a result`;
  const { format, isSummary = false, includePayload } = input;
  if (isSummary) return `${format} of a summary`;
  return includePayload ? `${format} with payloads` : format;
}
