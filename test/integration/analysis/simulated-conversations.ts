import {
  CONVERSATION_OUTCOMES,
  type ConversationOutcome,
} from '../../../src-main/common/model/records/conversation.ts';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import { createRandom, pickWeighted, type Random } from '../../../src-main/service/sample/random.ts';

const MINUTE_MS = 60_000;
/** The same numbers as in the application, written once more. */
const PAUSE_MS = 30 * MINUTE_MS;
const MARGIN_MS = 24 * 60 * MINUTE_MS;

/** A record as the service sends it, of either direction. */
export interface SentRecord {
  Id: string;
  Date: string;
  Channel: number;
  Service: number;
  Client: string;
  ReponseTime: number;
  ReponseCode: number;
  Error: string;
  BotLatency?: number;
  ActionId?: string;
  Payload: string;
  Reponse?: string;
  Origin: string;
}

export interface Simulated {
  readonly inbound: SentRecord[];
  readonly outbound: SentRecord[];
  /** What became of each conversation, by its Id in small letters: known from how it was made. */
  readonly truth: ReadonlyMap<string, ConversationOutcome>;
}

const STORIES = ['fine', 'recovered', 'lost', 'lost-aside', 'undecided', 'undecided-then-fine'] as const;
const WEIGHTS = [60, 12, 12, 6, 5, 5];

/** Makes conversations that begin in a span; all of it, and nothing else, will be known of both directions. */
export function simulateConversations(count: number, seed: number, span: TimeSpan): Simulated {
  const random = createRandom(seed);
  const inbound: SentRecord[] = [];
  const outbound: SentRecord[] = [];
  const truth = new Map<string, ConversationOutcome>();
  for (let number = 0; number < count; number += 1) {
    const isGuid = random() < 0.9;
    const id = isGuid
      ? `${number.toString(16).padStart(8, '0')}-0000-4000-8000-${Math.floor(random() * 2 ** 40)
          .toString(16)
          .padStart(12, '0')}`
      : `Chat ${number}`;
    const story = STORIES[pickWeighted(random, WEIGHTS)] ?? 'fine';
    const startMs = Math.floor(span.fromMs + random() * (span.toMs - span.fromMs - 1));
    const made = tell(random, { id, isGuid, story, startMs, number });
    const kept = [...made.inbound, ...made.outbound].filter(({ Date: date }) => Date.parse(date) < span.toMs);
    inbound.push(...made.inbound.filter((one) => kept.includes(one)));
    outbound.push(...made.outbound.filter((one) => kept.includes(one)));
    const dates = kept.map(({ Date: date }) => Date.parse(date));
    const endMs = Math.max(...kept.map(({ Date: date, ReponseTime }) => Date.parse(date) + ReponseTime));
    // One that the end of the span cuts goes on there.
    const outcome =
      Math.min(...dates) < span.fromMs + PAUSE_MS
        ? 'unknown'
        : endMs > span.toMs - PAUSE_MS
          ? 'waiting'
          : made.outcome;
    truth.set(isGuid ? id.toLowerCase() : id, outcome);
  }
  // All are written alike: their texts have the order of their moments.
  const byDate = (a: SentRecord, b: SentRecord): number => (a.Date < b.Date ? -1 : a.Date > b.Date ? 1 : 0);
  return { inbound: inbound.sort(byDate), outbound: outbound.sort(byDate), truth };
}

function tell(
  random: Random,
  {
    id,
    isGuid,
    story,
    startMs,
    number,
  }: {
    readonly id: string;
    readonly isGuid: boolean;
    readonly story: (typeof STORIES)[number];
    readonly startMs: number;
    readonly number: number;
  },
): { inbound: SentRecord[]; outbound: SentRecord[]; outcome: ConversationOutcome } {
  const inbound: SentRecord[] = [];
  const outbound: SentRecord[] = [];
  const channel = 1 + Math.floor(random() * 4);
  const service = 1 + Math.floor(random() * 3);
  let atMs = startMs;
  const base = { Channel: channel, Client: `Client ${number % 97}`, Payload: '{"text":"hi"}', Origin: 'web' };
  const toTime = (): number => Math.round(random() * 4_000_000) / 1000;
  const isFailed = (code: number): Pick<SentRecord, 'ReponseCode' | 'Error'> => ({
    ReponseCode: code,
    Error: code === 504 && random() < 0.8 ? `Timed out after ${number % 900} ms` : '',
  });
  const say = (code: number, own = service): void => {
    const Date = new globalThis.Date(atMs).toISOString();
    inbound.push({
      ...base,
      Id: isGuid && random() < 0.2 ? id.toUpperCase() : id,
      Service: own,
      Date,
      ReponseTime: toTime(),
      BotLatency: Math.floor(random() * 3000),
      ...isFailed(code),
    });
  };
  const request = (code: number, action: string, own = service): void => {
    atMs += 1 + Math.floor(random() * 500);
    outbound.push({
      ...base,
      Id: id,
      Service: own,
      Date: new Date(atMs).toISOString(),
      ReponseTime: toTime(),
      ActionId: action,
      Reponse: '{}',
      ...isFailed(code),
    });
  };
  const pause = (): void => {
    // Once in a while a long silence, always shorter than what ends a conversation.
    atMs += Math.floor(random() * (random() < 0.1 ? PAUSE_MS - 5000 : 2 * MINUTE_MS)) + 1000;
  };
  const turn = (): void => {
    say(200);
    request(200, String(service * 100 + Math.floor(random() * 3)));
    request(200, '-1');
    pause();
  };
  const turns = 1 + Math.floor(random() * random() * 5);
  for (let place = 0; place < turns; place += 1) turn();
  switch (story) {
    case 'fine':
      break;
    case 'recovered':
      say(504);
      request(504, String(service * 100));
      pause();
      say(200);
      request(200, String(service * 100 + 1));
      request(200, '-1');
      break;
    case 'lost':
      say(504);
      request(504, String(service * 100));
      // The apology arrives.
      request(200, '-1');
      break;
    case 'lost-aside':
      say(200);
      request(503, '900', 9);
      pause();
      turn();
      break;
    case 'undecided':
      say(200);
      request(0, String(service * 100));
      break;
    case 'undecided-then-fine':
      say(200);
      request(0, String(service * 100));
      pause();
      turn();
      break;
  }
  const outcomes = {
    fine: 'fine',
    recovered: 'recovered',
    lost: 'lost',
    'lost-aside': 'lost',
    undecided: 'unknown',
    'undecided-then-fine': 'fine',
  } as const;
  return { inbound, outbound, outcome: outcomes[story] };
}

/** What a walk over records makes of a conversation. */
export interface WalkedConversation {
  outcome: ConversationOutcome;
  inbound: number;
  outbound: number;
  failures: number;
  firstMs: number;
  lastMs: number;
  channels: number[];
  services: number[];
}

/**
 * Walks over records one by one, and says what became of each conversation of a period as the application defines it; `read`
 * is what is known of each direction, inbound first.
 */
export function walkConversations(
  { inbound, outbound }: Pick<Simulated, 'inbound' | 'outbound'>,
  period: TimeSpan,
  read: readonly [readonly TimeSpan[], readonly TimeSpan[]],
): Map<string, WalkedConversation> {
  const sessions = new Map<string, { record: SentRecord; isInbound: boolean; atMs: number }[]>();
  for (const [isInbound, records] of [
    [true, inbound],
    [false, outbound],
  ] as const) {
    for (const record of records) {
      const atMs = Date.parse(record.Date);
      if (atMs < period.fromMs - MARGIN_MS || atMs >= period.toMs + MARGIN_MS) continue;
      const id = record.Id.length === 36 ? record.Id.toLowerCase() : record.Id;
      sessions.set(id, [...(sessions.get(id) ?? []), { record, isInbound, atMs }]);
    }
  }
  const isKnown = (spans: readonly TimeSpan[], atMs: number): boolean =>
    spans.some(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs);
  const ends = read.map((spans) => Math.max(-Infinity, ...spans.map(({ toMs }) => toMs)));
  const [early = 0, late = 0] = ends.sort((a, b) => a - b);
  const untilMs = late - early <= PAUSE_MS ? early : late;
  const edges = [...read.flat().flatMap(({ fromMs, toMs }) => [fromMs, toMs])];
  const walked = new Map<string, WalkedConversation>();
  for (const [id, members] of sessions) {
    const dates = members.map(({ atMs }) => atMs);
    const [firstMs, lastMs] = [Math.min(...dates), Math.max(...dates)];
    if (firstMs >= period.toMs || lastMs < period.fromMs) continue;
    const endMs = Math.max(...members.map(({ record, atMs }) => atMs + record.ReponseTime));
    // Coverage changes at its edges only: the moments around them, and the ends of the reach, tell about all of it.
    const reachMs = [firstMs - PAUSE_MS + 0.001, Math.min(endMs + PAUSE_MS - 0.001, untilMs - 0.001)];
    const moments = [...reachMs, ...edges.flatMap((edge) => [edge - 0.001, edge])].filter(
      (atMs) => atMs >= (reachMs[0] ?? 0) && atMs <= (reachMs[1] ?? 0),
    );
    const isLacking = moments.some((atMs) => read.some((spans) => !isKnown(spans, atMs)));
    const failed = ({ record }: (typeof members)[number]): boolean =>
      record.Error !== '' || (record.ReponseCode >= 400 && record.ReponseCode < 600);
    const isOpen = ({ record }: (typeof members)[number]): boolean =>
      record.Error === '' && (record.ReponseCode < 100 || record.ReponseCode > 599);
    const kinds = new Map<string, typeof members>();
    for (const member of members) {
      const { record, isInbound } = member;
      const kind = `${isInbound} ${record.Service} ${record.ActionId === '-1'}`;
      kinds.set(kind, [...(kinds.get(kind) ?? []), member]);
    }
    const states = [...kinds.values()].map((own) => {
      const newest = (is: (member: (typeof own)[number]) => boolean): number =>
        Math.max(-Infinity, ...own.filter(is).map(({ atMs }) => atMs));
      const bad = newest(failed);
      const open = newest(isOpen);
      const good = newest((one) => !failed(one) && !isOpen(one));
      if (bad > good && bad > open) return 'lost';
      return open > good && open >= bad ? 'unknown' : 'fine';
    });
    const failures = members.filter(failed).length;
    const outcome = ((): ConversationOutcome => {
      if (isLacking || lastMs >= untilMs + PAUSE_MS || endMs + PAUSE_MS <= (reachMs[0] ?? 0))
        return 'unknown';
      if (endMs + PAUSE_MS > untilMs) return 'waiting';
      if (states.includes('lost')) return 'lost';
      if (states.includes('unknown')) return 'unknown';
      return failures > 0 ? 'recovered' : 'fine';
    })();
    walked.set(id, {
      outcome,
      inbound: members.filter(({ isInbound }) => isInbound).length,
      outbound: members.filter(({ isInbound }) => !isInbound).length,
      failures,
      firstMs,
      lastMs,
      channels: [...new Set(members.map(({ record }) => record.Channel))].sort((a, b) => a - b),
      services: [...new Set(members.map(({ record }) => record.Service))].sort((a, b) => a - b),
    });
  }
  return walked;
}

/** How many conversations have each outcome, in the order of CONVERSATION_OUTCOMES. */
export function countOutcomes(
  outcomes: Iterable<ConversationOutcome>,
): { outcome: ConversationOutcome; count: number }[] {
  const all = [...outcomes];
  return CONVERSATION_OUTCOMES.map((outcome) => ({
    outcome,
    count: all.filter((one) => one === outcome).length,
  }));
}
