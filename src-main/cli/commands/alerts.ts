import type { AlertRule } from '../../common/model/alerts/alert-rule.ts';
import type { AlertBoard, AlertLogEntry, AlertTest } from '../../common/model/alerts/alert-state.ts';
import { isMutedAt } from '../../common/model/alerts/alert-rule.ts';
import { formatMoment } from '../../common/time/format-moment.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { countWords } from '../output/count-words.ts';
import {
  CONNECTION_OPTION,
  findConnection,
  prepareConnection,
  SECRET_OPTIONS,
} from '../session/find-connection.ts';
import type { Session } from '../session/session.ts';
import type { Command, CommandContext } from '../words/command.ts';

type Standing = AlertBoard['rules'][number];

const toIso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** Whose records a rule looks at, and a moment as the clock of that service shows it. */
interface Place {
  readonly name: string;
  write(ms: number | null): string;
}

async function readPlaces(session: Session): Promise<(connectionId: string) => Place> {
  const connections = await session.call('connections/list', null);
  return (connectionId) => {
    const { name, serviceZone } = connections.find(({ id }) => id === connectionId) ?? {
      name: connectionId,
      serviceZone: 'UTC',
    };
    return { name, write: (ms) => (ms === null ? '' : formatMoment(ms, serviceZone)) };
  };
}

/** The rules of the connection that was named, or of all. */
async function listRules({ args }: CommandContext, session: Session): Promise<readonly Standing[]> {
  const { rules } = await session.call('alerts/list', null);
  const wanted = args.find('connection');
  if (wanted === null) return rules;
  const { id } = await findConnection(session, wanted);
  return rules.filter(({ rule }) => rule.connectionId === id);
}

const list: Command = {
  name: 'alerts list',
  summary: 'lists the rules of alerts, and where each stood when it was last looked at',
  operands: '',
  maxOperands: 0,
  options: [CONNECTION_OPTION],
  async run(context) {
    const { out, now, open } = context;
    const session = await open();
    const [rules, toPlace] = [await listRules(context, session), await readPlaces(session)];
    for (const { rule, state } of rules) {
      const { name, id, isActive, condition, mute } = rule;
      await out.json({
        name,
        id,
        connection: toPlace(rule.connectionId).name,
        isActive,
        condition,
        isMuted: isMutedAt(mute, now()),
        firingSince: toIso(state.firingSinceMs),
        lastFired: toIso(state.lastFiredMs),
        judgedTo: toIso(state.judgedToMs),
      });
    }
    if (rules.length > 0)
      await out.table(
        ['rule', 'connection', 'on', 'fires since', 'last fired', 'looked at to'],
        rules.map(({ rule, state }) => {
          const { name, write } = toPlace(rule.connectionId);
          const moments = [state.firingSinceMs, state.lastFiredMs, state.judgedToMs].map(write);
          return [rule.name, name, rule.isActive ? 'yes' : 'no', ...moments];
        }),
      );
    await out.text(`${countWords(rules.length, 'rule')}.`);
    return EXIT.done;
  },
};

/** What the last minutes of a rule say: it fires, it doesn't, or too little is cached of them. */
function judge({ firings, unknown, toMs }: AlertTest): 'firing' | 'quiet' | 'unknown' {
  if (firings.at(-1)?.untilMs === null) return 'firing';
  return unknown.at(-1)?.toMs === toMs ? 'unknown' : 'quiet';
}

const check: Command = {
  name: 'alerts check',
  summary: 'looks at the rules of alerts once, over what is cached up to now',
  operands: '',
  maxOperands: 0,
  options: [CONNECTION_OPTION],
  about: `Tells nobody and changes nothing: a script decides by the exit code, 9 where a rule fires, 5 where none does and the
last minutes of one are not cached ("fetch" or "follow" them first). Rules that are off or muted are left out.`,
  async run(context) {
    const { out, now, open } = context;
    const session = await open();
    const [rules, toPlace] = [await listRules(context, session), await readPlaces(session)];
    const due = rules.filter(({ rule }) => rule.isActive && !isMutedAt(rule.mute, now()));
    const judged: { state: ReturnType<typeof judge>; cells: string[] }[] = [];
    for (const { rule } of due) {
      const { connectionId, condition, name, id } = rule;
      const test = await session.call('alerts/test-rule', { connectionId, condition });
      const state = judge(test);
      const firing = state === 'firing' ? test.firings.at(-1) : undefined;
      const body = firing === undefined ? '' : (test.notes.find(({ kind }) => kind === 'fired')?.body ?? '');
      const place = toPlace(connectionId);
      judged.push({ state, cells: [name, place.name, state, place.write(firing?.sinceMs ?? null), body] });
      await out.json({
        name,
        id,
        connection: place.name,
        state,
        since: toIso(firing?.sinceMs ?? null),
        ...(firing === undefined
          ? {}
          : { hits: firing.hits, total: firing.total, peak: firing.peak, text: body }),
      });
    }
    const count = (state: ReturnType<typeof judge>): number =>
      judged.filter((one) => one.state === state).length;
    if (judged.length > 0)
      await out.table(
        ['rule', 'connection', 'state', 'since', 'what'],
        judged.map(({ cells }) => cells),
      );
    const missing = count('unknown');
    const words = missing === 0 ? '' : ` Of ${missing}, too little is cached up to now.`;
    await out.text(`${countWords(judged.length, 'rule')}, ${count('firing')} firing.${words}`);
    if (count('firing') > 0) return EXIT.firing;
    return missing > 0 ? EXIT.incomplete : EXIT.done;
  },
};

/** Writes what rules turned to since the last time, from their logs. */
function createTeller(
  { out }: CommandContext,
  { session, toPlace }: { session: Session; toPlace: (connectionId: string) => Place },
) {
  const told = new Set<string>();
  /** A rule that was made a minute ago may have fired before: what was told is known by itself, not by its time. */
  const readFresh = async (ruleId: string): Promise<AlertLogEntry[]> => {
    const entries = await session.call('alerts/read-log', { ruleId });
    const fresh = entries.filter(({ kind, atMs }) => {
      const key = `${ruleId} ${kind} ${atMs}`;
      const isFresh = (kind === 'fired' || kind === 'ended') && !told.has(key);
      told.add(key);
      return isFresh;
    });
    return fresh.reverse();
  };
  const tell = async (rule: AlertRule, entry: AlertLogEntry): Promise<void> => {
    const { kind, atMs, sinceMs, figures, notice } = entry;
    const { name: connection, write } = toPlace(rule.connectionId);
    out.endProgress();
    await out.json({
      kind,
      rule: rule.name,
      connection,
      at: toIso(atMs),
      since: toIso(sinceMs ?? null),
      notice,
      ...figures,
    });
    const since = kind === 'ended' && sinceMs !== undefined ? `, since ${write(sinceMs)}` : '';
    await out.text(`${write(atMs)}  ${kind}  ${rule.name}  ${connection}${since}`);
  };
  return {
    /** Of what was before only what still fires is told. */
    async begin({ rules }: AlertBoard): Promise<void> {
      for (const { rule, state } of rules) {
        const newest = (await readFresh(rule.id)).at(-1);
        if (state.firingSinceMs !== null && newest?.kind === 'fired') await tell(rule, newest);
      }
    },
    async go({ rules }: AlertBoard): Promise<void> {
      for (const { rule } of rules) for (const entry of await readFresh(rule.id)) await tell(rule, entry);
    },
  };
}

const watch: Command = {
  name: 'alerts watch',
  summary: 'follows connections and says what fires and what ends, until it is ended',
  operands: '',
  maxOperands: 0,
  options: [
    { ...CONNECTION_OPTION, summary: 'follow this one too; left out, those that are followed' },
    ...SECRET_OPTIONS,
  ],
  about: `One line for each rule that fires or ends. Destinations of alerts get their messages, as from the window. Where
Channelscope is open with the same data folder, that one follows and sends, and this only says what it finds.`,
  async run(context) {
    const { args, out, signal, open } = context;
    const session = await open('watching');
    const wanted = args.find('connection');
    const connection = wanted === null ? null : await prepareConnection(context, session);
    const all = await session.call('connections/list', null);
    const followed = all.filter(({ id, followed: is }) => is === true || id === connection?.id);
    if (followed.length === 0)
      throw new CommandError(
        EXIT.notFound,
        'No connection is followed, so that nothing new would come.',
        'Name one with --connection.',
      );
    const board = await session.call('alerts/list', null);
    const rules = board.rules.filter(({ rule }) => rule.isActive);
    if (rules.length === 0)
      throw new CommandError(EXIT.notFound, 'No rule of an alert is on.', 'Make one on the Alerts screen.');
    const teller = createTeller(context, { session, toPlace: await readPlaces(session) });
    let fail: (error: unknown) => void = () => undefined;
    let telling = teller.begin(board).catch((error: unknown) => fail(error));
    const stopListening = session.on((name, payload) => {
      if (name === 'alerts/changed')
        telling = telling.then(() => teller.go(payload)).catch((error: unknown) => fail(error));
    });
    const names = followed.map(({ name }) => name).join(', ');
    out.note(`${countWords(rules.length, 'rule')} on, following ${names}. Ctrl+C ends it.`);
    const wasFollowed = connection?.followed === true;
    try {
      await new Promise<void>((resolve, reject) => {
        fail = reject;
        signal.addEventListener('abort', () => resolve());
        if (signal.aborted) resolve();
        if (connection !== null)
          session.call('following/switch', { connectionId: connection.id, followed: true }).catch(reject);
      });
      await telling;
      throw new CommandError(EXIT.cancelled, 'Watching was ended.');
    } finally {
      stopListening();
      out.endProgress();
      if (connection !== null && !wasFollowed)
        await session.tryCall('following/switch', { connectionId: connection.id, followed: false });
    }
  },
};

export const ALERT_COMMANDS: readonly Command[] = [list, check, watch];
