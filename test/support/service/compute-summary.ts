import type {
  InboundDetailDocument,
  InboundSummaryDocument,
  OutboundDetailDocument,
  OutboundSummaryDocument,
} from '../../../src-main/common/reporting/wire-documents.ts';

export type Detail = InboundDetailDocument | OutboundDetailDocument;
export type Summary = InboundSummaryDocument | OutboundSummaryDocument;

/** The summary records of detail records of one direction, given oldest first. */
export function computeSummary(details: readonly Detail[]): Summary[] {
  const groups = Map.groupBy(details, (each) =>
    [each.Channel, each.Service, each.ReponseCode, 'BotLatency' in each ? each.Origin : ''].join('|'),
  );
  return [...groups.values()].map((group) => {
    const newest = group.at(-1)!;
    const average = (read: (each: Detail) => number): number =>
      group.reduce((sum, each) => sum + read(each), 0) / group.length;
    const { Id, ReponseCode, Channel, Service, Origin } = newest;
    const common = { Id, ReponseCode, Channel, Service, Count: String(group.length) };
    // Whole microseconds add up exactly, so the comparison can be exact too.
    const AvegareReponseTime = average((each) => Math.round(each.ReponseTime * 1000)) / 1000;
    if (!('BotLatency' in newest)) return { ...common, AvegareReponseTime };
    const latency = average((each) => ('BotLatency' in each ? each.BotLatency : 0));
    return { ...common, Origin, AvegareReponseTime, AvegareBotLatency: Math.round(latency) };
  });
}

/** Summary records as sorted texts, whatever the order of records and fields. */
export function toComparable(summaries: readonly Summary[]): string[] {
  return summaries
    .map((each) => JSON.stringify(Object.entries(each).sort(([a], [b]) => byText(a, b))))
    .sort(byText);
}

function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
