import {
  toEach,
  isMutedAt,
  type AlertCondition,
  type AlertRule,
} from '../../common/model/alerts/alert-rule.ts';
import type {
  AlertBoard,
  AlertFiring,
  AlertLogEntry,
  AlertRest,
  AlertTest,
  AlertValueState,
} from '../../common/model/alerts/alert-state.ts';
import type { GroupValue } from '../../common/model/analysis/grouping.ts';
import type { ToldFinding } from '../../common/model/analysis/finding.ts';
import { MINUTE_MS } from '../../common/time/durations.ts';
import { formatMoment } from '../../common/time/civil-time.ts';
import { ENGLISH } from '../../common/words/words.ts';
import { createFindingSentences } from '../../common/words/finding-words.ts';
import { toVisible } from '../../common/words/visible-text.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { countWords } from '../output.ts';
import {
  CONNECTION_OPTION,
  findConnection,
  prepareConnection,
  SECRET_OPTIONS,
} from '../session/find-connections.ts';
import type { Session } from '../session/session.ts';
import type { Command, CommandContext } from '../words/command.ts';

type Standing = AlertBoard['rules'][number];

const toIso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** A value of a rule that watches each, as JSON has it; nothing for a rule that watches all records together. */
const toOwn = (value: GroupValue | undefined): { value?: GroupValue } =>
  value === undefined ? {} : { value };

/** Whose records a rule looks at, its values, and a moment as the clock of that service shows it. */
interface Place {
  readonly name: string;
  write(ms: number | null): string;
  /** What a value of a rule is called; empty for a rule that watches all records together. */
  nameValue(condition: AlertCondition, value: GroupValue | undefined): string;
  /** What a finding is called; empty for none. */
  nameFinding(finding: ToldFinding | undefined): string;
}

async function readPlaces(session: Session): Promise<(connectionId: string) => Place> {
  const connections = await session.call('connections/list', null);
  return (connectionId) => {
    const found = connections.find(({ id }) => id === connectionId);
    const { name, serviceZone } = found ?? { name: connectionId, serviceZone: 'UTC' };
    const { toTitle } = createFindingSentences({
      t: ENGLISH.t,
      formats: ENGLISH.formats,
      toText: (field, value) => {
        const own = found?.names?.find((one) => one.field === field && one.value === String(value));
        return [own?.name, value].filter((word) => word !== undefined).join(' ');
      },
    });
    return {
      name,
      nameFinding: (finding) => (finding === undefined ? '' : toTitle(finding)),
      write: (ms) => (ms === null ? '' : formatMoment(ms, serviceZone)),
      nameValue: (condition, value) => {
        const each = toEach(condition);
        if (each === undefined || value === undefined) return '';
        const own = found?.names?.find((one) => one.field === each && one.value === String(value))?.name;
        return [each, own, value === null ? 'none' : toVisible(String(value))].filter(Boolean).join(' ');
      },
    };
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

const REST_WORDS: Readonly<Record<AlertRest, string>> = {
  imported: 'imported records get no new ones.',
  'not-followed': 'its connection is not followed.',
  paused: 'following its connection is paused.',
  refused: 'its service refuses the credentials.',
  unreachable: 'its service cannot be reached.',
  failing: 'its service sends no report that can be read.',
};

const list: Command = {
  name: 'alerts list',
  summary: 'lists alerts with their last known state',
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
        ...(state.rests === null ? {} : { rests: state.rests }),
        ...(state.level === null ? {} : { level: state.level }),
        ...(toEach(condition) === undefined
          ? {}
          : {
              values: state.values.map(({ value, firingSinceMs, lastFiredMs, level }) => ({
                value,
                firingSince: toIso(firingSinceMs),
                lastFired: toIso(lastFiredMs),
                ...(level === null ? {} : { level }),
              })),
              hasMoreValues: state.hasMoreValues,
            }),
      });
    }
    if (rules.length > 0)
      await out.table(
        ['alert', 'connection', 'value', 'on', 'fires since', 'level', 'last fired', 'checked up to'],
        rules.flatMap(({ rule, state }) => {
          const { name, write, nameValue } = toPlace(rule.connectionId);
          const on = rule.isActive ? 'yes' : 'no';
          const toRow = (
            value: string,
            own: Pick<AlertValueState, 'firingSinceMs' | 'level' | 'lastFiredMs'>,
          ) => {
            const { firingSinceMs, level, lastFiredMs } = own;
            return [
              ...[rule.name, name, value, on, write(firingSinceMs), level ?? ''],
              ...[write(lastFiredMs), write(state.judgedToMs)],
            ];
          };
          const { condition } = rule;
          return [
            toRow('', state),
            ...state.values.map((own) => toRow(nameValue(condition, own.value), own)),
          ];
        }),
      );
    const resting = rules.filter(({ rule, state }) => rule.isActive && state.rests !== null);
    for (const { rule, state } of resting)
      await out.text(`${rule.name} rests: ${REST_WORDS[state.rests ?? 'not-followed']}`);
    await out.text(`${countWords(rules.length, 'alert')}.`);
    return EXIT.done;
  },
};

type CheckedState = 'firing' | 'quiet' | 'unknown';

/** A check comes after what fetched for it, and minutes begin meanwhile: what is cached up to here is up to date. */
const FRESH_MS = 5 * MINUTE_MS;

/** What the last minutes of a rule, or of one of its values, say. */
interface CheckedValue {
  readonly value?: GroupValue;
  readonly finding?: ToldFinding;
  /** It fires, it doesn't, or too little is cached of them. */
  readonly state: CheckedState;
  /** The end of the last minute that could be judged; null where too little is cached. */
  readonly judgedToMs: number | null;
  readonly firing: AlertFiring | undefined;
}

function judge(
  { firings, judgedToMs: allJudgedToMs, toMs, values }: AlertTest,
  condition: AlertCondition,
): CheckedValue[] {
  const isEach = toEach(condition) !== undefined;
  const findFiring = (value: GroupValue | undefined): AlertFiring | undefined =>
    firings.find((one) => one.untilMs === null && one.value === value);
  const toState = (firing: AlertFiring | undefined, judgedToMs: number | null): CheckedState => {
    if (firing !== undefined) return 'firing';
    return judgedToMs !== null && judgedToMs >= toMs - FRESH_MS ? 'quiet' : 'unknown';
  };
  const toAll = (firing: AlertFiring | undefined): CheckedValue => ({
    state: toState(firing, allJudgedToMs),
    judgedToMs: allJudgedToMs,
    firing,
  });
  if (condition.kind === 'finding') {
    const open = firings.filter(({ untilMs }) => untilMs === null);
    if (open.length === 0) return [toAll(undefined)];
    return open.map((firing) => {
      const { value = null, finding } = firing;
      return { ...toAll(firing), value, ...(finding === undefined ? {} : { finding }) };
    });
  }
  // No value was ever seen: what is missing then is missing of all.
  if (!isEach || values.length === 0) return [toAll(findFiring(undefined))];
  return values.map(({ value, judgedToMs }) => {
    const firing = findFiring(value);
    return { value, state: toState(firing, judgedToMs), judgedToMs, firing };
  });
}

const check: Command = {
  name: 'alerts check',
  summary: 'checks all alerts once against cached records',
  operands: '',
  maxOperands: 0,
  options: [CONNECTION_OPTION],
  about: `Notifies nobody and changes nothing. Exit code 9: an alert fires; 5: none fires, and more than the last five minutes of
one aren't cached ("fetch" or "follow" them first). An alert for each value has a line for each, an alert on findings
one for each that is ongoing. Alerts that are off or muted, and muted values, are skipped.`,
  async run(context) {
    const { out, now, open } = context;
    const session = await open();
    const [rules, toPlace] = [await listRules(context, session), await readPlaces(session)];
    const due = rules.filter(({ rule }) => rule.isActive && !isMutedAt(rule.mute, now()));
    const judged: { state: CheckedState; cells: string[] }[] = [];
    for (const { rule } of due) {
      const { connectionId, condition, name, id, valueMutes = [] } = rule;
      const test = await session.call('alerts/test-rule', { connectionId, condition });
      const place = toPlace(connectionId);
      const isHeard = ({ value }: CheckedValue): boolean =>
        !valueMutes.some((one) => one.value === value && isMutedAt(one.mute, now()));
      for (const { value, finding, state, judgedToMs, firing } of judge(test, condition).filter(isHeard)) {
        const note = test.notes.find((one) => one.kind === 'fired' && one.value === value);
        const body = firing === undefined ? '' : (note?.body ?? place.nameFinding(finding));
        const level = firing?.level ?? '';
        judged.push({
          state,
          cells: [
            ...[name, place.name, place.nameValue(condition, value) || place.nameFinding(finding)],
            ...[state, level],
            ...[place.write(firing?.sinceMs ?? null), place.write(judgedToMs), body],
          ],
        });
        await out.json({
          name,
          id,
          connection: place.name,
          ...toOwn(value),
          ...(finding === undefined ? {} : { finding }),
          state,
          ...(level === '' ? {} : { level }),
          since: toIso(firing?.sinceMs ?? null),
          judgedTo: toIso(judgedToMs),
          ...(firing === undefined
            ? {}
            : { hits: firing.hits, total: firing.total, peak: firing.peak, text: body }),
        });
      }
    }
    const count = (state: CheckedState): number => judged.filter((one) => one.state === state).length;
    if (judged.length > 0)
      await out.table(
        ['alert', 'connection', 'value', 'state', 'level', 'since', 'checked up to', 'what'],
        judged.map(({ cells }) => cells),
      );
    const missing = count('unknown');
    const words = missing === 0 ? '' : ` Of ${missing}, too little is cached up to now.`;
    const states = judged.length === due.length ? '' : ` with ${countWords(judged.length, 'state')}`;
    await out.text(`${countWords(due.length, 'alert')}${states}, ${count('firing')} firing.${words}`);
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
    const fresh = entries.filter(({ kind, atMs, value }) => {
      const key = JSON.stringify([ruleId, kind, atMs, value]);
      const isFresh = kind !== 'made' && kind !== 'changed' && !told.has(key);
      told.add(key);
      return isFresh;
    });
    return fresh.reverse();
  };
  const tell = async (rule: AlertRule, entry: AlertLogEntry): Promise<void> => {
    const { kind, atMs, sinceMs, figures, notice, value, finding, level } = entry;
    const { name: connection, write, nameValue, nameFinding } = toPlace(rule.connectionId);
    out.endProgress();
    await out.json({
      kind,
      rule: rule.name,
      connection,
      ...toOwn(value),
      ...(finding === undefined ? {} : { finding }),
      ...(level === undefined ? {} : { level }),
      at: toIso(atMs),
      since: toIso(sinceMs ?? null),
      notice,
      ...figures,
    });
    const since = kind === 'ended' && sinceMs !== undefined ? `, since ${write(sinceMs)}` : '';
    const own = nameValue(rule.condition, value) || nameFinding(finding);
    const words = [write(atMs), kind, level ?? '', rule.name, own, connection].filter((word) => word !== '');
    await out.text(`${words.join('  ')}${since}`);
  };
  return {
    /** Of what was before only what still fires is told. */
    async begin({ rules }: AlertBoard): Promise<void> {
      for (const { rule, state } of rules) {
        const entries = await readFresh(rule.id);
        const firing = listFiring(rule, state, entries);
        for (const { value, firingSinceMs } of firing) {
          const newest = entries.findLast((entry) => entry.value === value);
          if (typeof firingSinceMs === 'number' && newest !== undefined && newest.kind !== 'ended')
            await tell(rule, newest);
        }
      }
    },
    async go({ rules }: AlertBoard): Promise<void> {
      for (const { rule } of rules) for (const entry of await readFresh(rule.id)) await tell(rule, entry);
    },
  };
}

const watch: Command = {
  name: 'alerts watch',
  summary: 'follows connections and reports alerts, until it is ended',
  operands: '',
  maxOperands: 0,
  options: [
    { ...CONNECTION_OPTION, summary: 'follow this one too (default: the followed ones)' },
    ...SECRET_OPTIONS,
  ],
  about: `Prints a line when an alert, or a value or finding of one, fires, changes its level, or ends. Destinations get their
messages, as from the window. If Channelscope is open with the same data folder, it follows and sends, and this only
prints.`,
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
      throw new CommandError(EXIT.notFound, 'No alert is on.', 'Create one on the Alerts screen.');
    const teller = createTeller(context, { session, toPlace: await readPlaces(session) });
    let fail: (error: unknown) => void = () => undefined;
    let telling = teller.begin(board).catch((error: unknown) => fail(error));
    const stopListening = session.on((name, payload) => {
      if (name === 'alerts/changed')
        telling = telling.then(() => teller.go(payload)).catch((error: unknown) => fail(error));
    });
    const names = followed.map(({ name }) => name).join(', ');
    out.note(`${countWords(rules.length, 'alert')} on, following ${names}. Ctrl+C ends it.`);
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

/** What of a rule may still fire: all of it together, each of its values, or each finding that its log has. */
function listFiring(
  { condition }: AlertRule,
  state: Standing['state'],
  entries: readonly AlertLogEntry[],
): readonly Partial<Pick<AlertValueState, 'value' | 'firingSinceMs'>>[] {
  if (toEach(condition) !== undefined) return state.values;
  const { firingSinceMs } = state;
  if (condition.kind !== 'finding') return [{ firingSinceMs }];
  const values = new Set(entries.flatMap(({ value }) => (value === undefined ? [] : [value])));
  return [...values].map((value) => ({ value, firingSinceMs }));
}

export const ALERT_COMMANDS: readonly Command[] = [list, check, watch];
