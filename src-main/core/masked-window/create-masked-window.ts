import { isPlainObject } from '../../common/json.ts';
import { toErrorInfo } from '../../common/contract/errors.ts';
import { OPERATIONS, type Input, type OperationName } from '../../common/contract/index.ts';
import type { Envelope } from '../../common/contract/operation.ts';
import type { AlertBoard } from '../../common/model/alerts/alert-state.ts';
import type { DeliveredAlert, DestinationState } from '../../common/model/alerts/destination.ts';
import type { PartContent, PartDraft, PinnedContent } from '../../common/model/cases/case.ts';
import { DEFAULT_EVIDENCE } from '../../common/model/exports/export-options.ts';
import type { Histogram } from '../../common/model/records/histogram.ts';
import { isBodyField, isOwnField } from '../../common/model/records/body-path.ts';
import type { SqlColumn } from '../../common/model/records/sql.ts';
import { DETAIL_KINDS } from '../../common/reporting/reports.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { Dispatch } from '../dispatch/create-dispatcher.ts';
import type { Events } from '../host.ts';
import { createMasks } from '../exports/evidence/masking/create-masks.ts';
import { listClients, isContentColumn } from '../exports/evidence/masking/export-masks.ts';
import { createKnownClients, createPseudonyms } from '../exports/evidence/masking/known-clients.ts';
import type { Masks } from '../exports/evidence/masking/masks.ts';

/** How often clients that came since are listed again; those of an answer are known with it. */
const RENEW_MS = 10_000;

/**
 * Returns the calls as windows make them: while the setting is on, no answer names a client or says what a body holds,
 * and what a window sends back means what was masked in it. Calls of the command line are answered as ever.
 */
export function createMaskedWindow(parts: {
  readonly settings: { get(): { readonly maskTexts: boolean } };
  readonly engine: Pick<Engine, 'listClients'>;
  readonly events: Pick<Events, 'on'>;
  readonly pseudonymKey: Uint8Array;
  listConnectionIds(): readonly string[];
  now(): number;
}): (call: Dispatch) => Dispatch {
  const { settings, engine, events, pseudonymKey, listConnectionIds, now } = parts;
  const masks = createCallMasks(pseudonymKey);
  let isStale = true;
  let listedAtMs = 0;
  let listing: Promise<void> | null = null;
  events.on('snapshots/changed', () => void (isStale = true));

  async function listAll(): Promise<void> {
    isStale = false;
    const span = { fromMs: 0, toMs: now() + DAY_MS };
    try {
      for (const connectionId of listConnectionIds())
        for (const report of DETAIL_KINDS)
          for await (const clients of listClients(engine, { connectionId, report, ...span }))
            masks.addClients(clients);
      listedAtMs = now();
    } catch (error) {
      isStale = true;
      throw error;
    }
  }

  async function renew(): Promise<void> {
    const isDue = listedAtMs === 0 || (isStale && now() - listedAtMs > RENEW_MS);
    if (isDue) listing ??= listAll().finally(() => (listing = null));
    await listing;
  }

  return (call) => {
    const guarded = masks.guard(call);
    return async (name, input) => {
      if (!settings.get().maskTexts) return call(name, input);
      try {
        if (masks.isMasked(name)) await renew();
      } catch (error) {
        return { ok: false, error: toErrorInfo(error) };
      }
      return guarded(name, input);
    };
  };
}

/** How a masked window shows clients, contents and errors: what errors say of the two is masked in them. */
const MASKING = { client: 'pseudonym', payload: 'masked', errors: 'received' } as const;

/**
 * Operations whose answers tell of what records hold; `raw` are texts as received. What is not listed tells of settings,
 * work that goes on, and what a person wrote.
 */
const MASKED: Partial<Readonly<Record<OperationName, 'values' | 'raw'>>> = {
  'records/read-rows': 'values',
  'records/read-fields': 'values',
  'records/read-facets': 'values',
  'records/read-path': 'values',
  'records/find-error-families': 'values',
  'records/find-first-seen': 'values',
  'records/read-histogram': 'values',
  'records/group-errors': 'values',
  'records/find-patterns': 'values',
  'records/read-record': 'values',
  'records/read-session': 'values',
  'records/read-raw': 'raw',
  'analysis/explain': 'values',
  'analysis/group-records': 'values',
  'compare/compare-groups': 'values',
  'several/find-error-families': 'values',
  'conversations/read-rows': 'values',
  'conversations/open': 'values',
  'findings/list': 'values',
  'incidents/list': 'values',
  'incidents/list-kept': 'values',
  'incidents/group': 'values',
  'families/read': 'values',
  'glance/read': 'values',
  'overview/read-recent-traffic': 'values',
  'outcome/advise': 'values',
  'outcome/preview': 'values',
  'deprecations/match': 'values',
  'alerts/list': 'values',
  'alerts/test-rule': 'values',
  'alerts/read-log': 'values',
  'destinations/list': 'values',
  'sql/run': 'values',
  'sql/read-rows': 'values',
  'summaries/read': 'values',
  'summaries/compute': 'values',
  'summaries/reconcile': 'values',
  'exports/preview': 'values',
  'exports/preview-result': 'values',
  'cases/read-part': 'values',
  'snapshots/compare': 'values',
  'snapshots/read-envelope': 'raw',
  'snapshots/read-set-aside': 'raw',
};
const PREVIEWS: ReadonlySet<string> = new Set(['exports/preview', 'exports/preview-result']);

/** Keys of what names a thing of the application, and no text of a record. */
const PLAIN_KEY =
  /^(?:id|kind|field|path|by|zone|report|direction|state|column|table)$|(?<!session|action)Ids?$/u;
const CONTENT_KEYS: ReadonlySet<string> = new Set([
  'payload',
  'response',
  'payloadPreview',
  'extra',
  'values',
]);
/** What stands under these is a value of the field around. */
const VALUE_KEYS: ReadonlySet<string> = new Set(['value', 'values', 'key']);
const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d/u;
const PSEUDONYM = /client-[0-9a-z]{12}/gu;
/** Texts whose originals are remembered, so that a click on one asks for what it stands for. */
const MAX_REMEMBERED = 200_000;
/** Originals of one masked text: shapes of short values are alike. */
const MAX_ORIGINALS = 50;
const MAX_RESULTS = 100;

interface CallMasks {
  /** Masks what the answers of these calls say of people, and understands what it masked in what is asked. */
  guard(call: Dispatch): Dispatch;
  /** Whether answers to a call tell of what records hold. */
  isMasked(name: string): boolean;
  /** What texts may name, before the first answer. */
  addClients(clients: Iterable<string>): void;
}

/** What of a question says what its answer is about. */
interface Asked {
  readonly resultId?: string;
  readonly by?: unknown;
  readonly path?: string;
  readonly field?: string;
  readonly condition?: { readonly each?: string };
}

interface Place {
  /** The client of the record around. */
  readonly own: string;
  readonly record: Readonly<Record<string, unknown>> | null;
  /** What the values around are values of. */
  readonly field: string | null;
  readonly key: string;
  /** The fields of group keys, place by place. */
  readonly by: readonly unknown[];
  readonly plain: ReadonlySet<string>;
}

/** Makes the masks of a window's calls, with the pseudonyms of exports. */
export function createCallMasks(pseudonymKey: Uint8Array): CallMasks {
  const known = createKnownClients();
  const toPseudonym = createPseudonyms(pseudonymKey);
  const masks: Masks = createMasks(MASKING, known, toPseudonym);
  /** What masked texts stand for. */
  const originals = new Map<string, Set<string>>();
  const columnsOf = new Map<string, readonly SqlColumn[]>();
  const literals = new Map<string, ReadonlySet<string>>();
  /** The field whose values each rule watches; null for none. */
  const watchedBy = new Map<string, string | null>();

  function remember(masked: string, original: string): string {
    if (masked === original) return masked;
    const found = originals.get(masked);
    if (found === undefined) {
      if (originals.size >= MAX_REMEMBERED) originals.clear();
      originals.set(masked, new Set([original]));
    } else if (found.size < MAX_ORIGINALS) found.add(original);
    return masked;
  }

  function maskText(text: string, { own, record, field, key, plain }: Place): string {
    if (text === '') return text;
    if (key === 'client' || (field === 'client' && VALUE_KEYS.has(key))) return masks.client(text);
    if (CONTENT_KEYS.has(key) || (field !== null && isContent(field))) return masks.content(text, own);
    if (PLAIN_KEY.test(key) || plain.has(text) || ISO_TIME.test(text)) return text;
    if (key === 'error' && record !== null) {
      const { payload = record['payloadPreview'], response = null } = record;
      const toText = (value: unknown): string => (typeof value === 'string' ? value : '');
      return masks.error({ error: text, client: own, payload: toText(payload), response: toText(response) });
    }
    return key === 'sessionId' ? masks.sessionId(text, own) : masks.text(text, own);
  }

  function mask(value: unknown, place: Place): unknown {
    if (typeof value === 'string') return remember(maskText(value, place), value);
    if (Array.isArray(value))
      return value.map((each, at) => {
        const by = place.key === 'key' ? place.by[at] : undefined;
        return mask(each, typeof by === 'string' ? { ...place, field: by } : place);
      });
    if (typeof value !== 'object' || value === null) return value;
    const record = value as Readonly<Record<string, unknown>>;
    const { client, field, path, measure } = record;
    // What is measured of a text is none.
    if (typeof measure === 'string') return value;
    const inside = {
      ...place,
      record,
      own: typeof client === 'string' && client !== '' ? client : place.own,
      field: typeof field === 'string' ? field : typeof path === 'string' ? path : place.field,
    };
    return Object.fromEntries(
      Object.entries(record).map(([key, each]) => {
        // The fields of a record that nobody knows, and the values at its paths, are told by their names.
        const isHolder = (key === 'extra' || key === 'values') && isPlainObject(each);
        return [
          key,
          isHolder ? maskFields(each, { ...inside, key }) : mask(each, toPlace(inside, key, each)),
        ];
      }),
    );
  }

  function maskFields(fields: object, place: Place): unknown {
    return Object.fromEntries(
      Object.entries(fields).map(([name, each]) => [
        masks.text(name, place.own),
        typeof each === 'string' ? remember(maskOwn(name, each, place), each) : each,
      ]),
    );
  }
  const maskOwn = (name: string, text: string, place: Place): string =>
    isOwnField(name) ? masks.text(text, place.own) : masks.content(text, place.own);

  /** A list of `values` of a field is that field's; a text below is of the key it stands under. */
  function toPlace(place: Place, key: string, value: unknown): Place {
    const isList = key === 'values' && Array.isArray(value);
    return {
      ...place,
      key: isList ? 'value' : key,
      field: key === 'field' || key === 'path' ? null : place.field,
    };
  }

  /** The clients of an answer are known before its texts are masked. */
  function learn(value: unknown, field: string | null = null): void {
    if (typeof value !== 'object' || value === null) return;
    const own = (value as { field?: unknown }).field;
    const inside = typeof own === 'string' ? own : field;
    for (const [key, each] of Object.entries(value)) {
      const isClient = key === 'client' || (inside === 'client' && key === 'value');
      if (isClient && typeof each === 'string') known.add(each);
      else learn(each, inside);
    }
  }

  function unmask(value: unknown): unknown {
    if (typeof value === 'string') return [...(originals.get(value) ?? [])][0] ?? replacePseudonyms(value);
    if (Array.isArray(value))
      return value.flatMap((each: unknown) => {
        const found = typeof each === 'string' ? originals.get(each) : undefined;
        return found === undefined ? [unmask(each)] : [...found];
      });
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, unmask(each)]));
  }
  const replacePseudonyms = (text: string): string =>
    text.replace(PSEUDONYM, (pseudonym) => [...(originals.get(pseudonym) ?? [])][0] ?? pseudonym);

  /**
   * What a part of a case asks is meant as it is; what it shows is kept as it was seen, clients by their names: many bodies
   * have one shape, and none of them may stand in a case for another. A picture is markup: no name is put into it.
   */
  function unmaskPart({ question, content, title, kind }: PartDraft): PartDraft {
    const { table, facts, statement, picture } = content;
    return {
      kind,
      title: replacePseudonyms(title),
      question: unmask(question) as PartDraft['question'],
      content: {
        facts: facts.map((fact) => ({ ...fact, value: replacePseudonyms(fact.value) })),
        table:
          table === null
            ? null
            : { ...table, rows: table.rows.map((row) => row.map((cell) => replacePseudonyms(cell))) },
        statement: statement === null ? null : replacePseudonyms(statement),
        picture,
      },
    };
  }

  function listLiterals(name: OperationName): ReadonlySet<string> {
    const found = literals.get(name) ?? new Set(findLiterals(OPERATIONS[name].output));
    literals.set(name, found);
    return found;
  }

  function maskAnswer(name: OperationName, input: unknown, value: unknown): unknown {
    const { resultId, by, path, field, condition } = (input ?? {}) as Asked;
    const fields = Array.isArray(by) ? (by as unknown[]) : [by];
    const place = {
      own: '',
      record: null,
      field: condition?.each ?? null,
      key: '',
      by: fields,
      plain: listLiterals(name),
    };
    if (MASKED[name] === 'raw') return maskRaw(value);
    learn(value);
    if (name === 'alerts/list') return maskBoard(value as AlertBoard, place);
    if (name === 'destinations/list')
      return (value as DestinationState[]).map((each) => maskSent(each, place));
    if (name === 'records/read-histogram') return maskSeries(value as Histogram, place);
    if (name === 'cases/read-part') return maskPart(value as PinnedContent, place);
    if (name === 'sql/run') keepColumns(value);
    if (name === 'sql/read-rows')
      return maskCells(value as unknown[][], columnsOf.get(resultId ?? ''), place);
    // What was asked by the contents of bodies answers with them.
    const content = [path, field].find((each) => each !== undefined && isContent(each));
    return mask(value, content === undefined ? place : { ...place, field: content });
  }

  /** A rule is a person's own; the values that it watches are not. */
  function maskBoard({ rules, ...board }: AlertBoard, place: Place): unknown {
    return {
      ...board,
      rules: rules.map(({ rule, state }) => {
        const { each } = rule.condition as { each?: string };
        watchedBy.set(rule.id, each ?? null);
        return { rule, state: mask(state, { ...place, field: each ?? null }) };
      }),
    };
  }

  /** Messages that were sent name the value that an alert was about; of which field it is, the list of rules has told. */
  function maskSent({ deliveries, ...state }: DestinationState, place: Place): DestinationState {
    const maskAlert = (alert: DeliveredAlert): DeliveredAlert => {
      const { value, name, text } = alert;
      const say = (words: string): string => remember(masks.text(words, ''), words);
      if (typeof value !== 'string' || value === '') return { ...alert, name: say(name), text: say(text) };
      const field = watchedBy.has(alert.ruleId) ? (watchedBy.get(alert.ruleId) ?? null) : 'payload';
      if (field === 'client') known.add(value);
      const masked = remember(maskText(value, { ...place, field, key: 'value' }), value);
      const [own, said] = [name, text].map((words) => say(words.replaceAll(value, () => masked)));
      return { ...alert, value: masked, name: own ?? '', text: said ?? '' };
    };
    return {
      ...state,
      deliveries: deliveries.map((each) => ({ ...each, alerts: each.alerts.map(maskAlert) })),
    };
  }

  /** Of a histogram only what its series are of. */
  function maskSeries(histogram: Histogram, place: Place): Histogram {
    const { split, series } = histogram;
    const texts = series.flatMap((one) =>
      one.kind === 'value' && typeof one.value === 'string' ? [one.value] : [],
    );
    if (split === 'client') for (const client of texts) known.add(client);
    return {
      ...histogram,
      series: series.map((one) => {
        if (one.kind !== 'value' || typeof one.value !== 'string') return one;
        const masked = maskText(one.value, { ...place, field: split, key: 'value' });
        return { ...one, value: remember(masked, one.value) };
      }),
    };
  }

  /** A part says of each of its values whom it may tell of. */
  function maskPart({ content, ...part }: PinnedContent, place: Place): unknown {
    for (const client of part.clients) known.add(client);
    const { facts, table, ...shown } = content;
    const own = facts.find(({ role }) => role === 'client')?.value ?? '';
    const maskValue = (text: string, role: PartContent['facts'][number]['role'], whose: string): string => {
      const key = role === 'client' ? 'client' : role === 'body' ? 'payload' : 'value';
      return remember(maskText(text, { ...place, own: whose, key }), text);
    };
    const roles = table?.columns.map(({ role }) => role) ?? [];
    const ownAt = roles.indexOf('client');
    return {
      ...(mask(part, place) as object),
      content: {
        ...(mask(shown, place) as object),
        facts: facts.map((fact) => ({ ...fact, value: maskValue(fact.value, fact.role, own) })),
        table:
          table === null
            ? null
            : {
                ...table,
                rows: table.rows.map((row) =>
                  row.map((cell, at) => maskValue(cell, roles[at], row[ownAt] ?? '')),
                ),
              },
      },
    };
  }

  /** Texts as received have no fields that could be told apart here. */
  function maskRaw(value: unknown): unknown {
    if (typeof value === 'string') return remember(masks.content(value, ''), value);
    if (Array.isArray(value)) return value.map(maskRaw);
    if (!isPlainObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, PLAIN_KEY.test(key) ? each : maskRaw(each)]),
    );
  }

  function keepColumns(outcome: unknown): void {
    const { resultId, columns } = outcome as { resultId?: string; columns?: readonly SqlColumn[] };
    if (resultId === undefined || columns === undefined) return;
    if (columnsOf.size >= MAX_RESULTS) columnsOf.delete([...columnsOf.keys()][0] ?? '');
    columnsOf.set(resultId, columns);
  }

  /** Cells of a result of SQL by the names of their columns; those of one that nobody remembers are hidden like contents. */
  function maskCells(rows: unknown[][], columns: readonly SqlColumn[] | undefined, place: Place): unknown {
    const names = columns?.map(({ name }) => name.toLowerCase()) ?? [];
    const ownAt = names.indexOf('client');
    for (const row of rows) if (typeof row[ownAt] === 'string') known.add(row[ownAt]);
    return rows.map((row) => {
      const record = Object.fromEntries(names.map((name, at) => [name, row[at]]));
      const own = typeof row[ownAt] === 'string' ? row[ownAt] : '';
      return row.map((cell, at) => {
        if (typeof cell !== 'string') return cell;
        const name = names[at] ?? 'payload';
        return remember(
          maskText(cell, { ...place, own, record, key: isContentColumn(name) ? 'payload' : name }),
          cell,
        );
      });
    });
  }

  const unmaskPin = (input: Input<'cases/pin'>): unknown => ({ ...input, part: unmaskPart(input.part) });

  return {
    isMasked,
    addClients(clients) {
      for (const client of clients) known.add(client);
    },
    guard: (call) => async (name, input) => {
      const asked = name === 'cases/pin' ? unmaskPin(input as Input<'cases/pin'>) : unmask(input);
      const given = PREVIEWS.has(name) ? withMasks(asked) : asked;
      const envelope = await call(name, given);
      if (!envelope.ok || !isMasked(name)) return envelope;
      return { ok: true, value: maskAnswer(name, asked, envelope.value) } satisfies Envelope<unknown>;
    },
  };
}

function isMasked(name: string): name is OperationName {
  return Object.hasOwn(MASKED, name);
}

/** A preview shows no more than the window does; what is written is as chosen. */
function withMasks(input: unknown): unknown {
  const { masking, evidence } = DEFAULT_FILE;
  const given = input as { format?: unknown };
  return given.format === 'evidence' ? { ...given, evidence } : { ...given, masking };
}
const DEFAULT_FILE = { masking: DEFAULT_EVIDENCE.masking, evidence: DEFAULT_EVIDENCE };

function isContent(field: string): boolean {
  return field === 'payload' || field === 'response' || (isBodyField(field) && !isOwnField(field));
}

/** The words of a schema: they are the application's own. */
function* findLiterals(schema: unknown): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return;
  const { const: only, enum: all } = schema as { const?: unknown; enum?: unknown };
  for (const word of [only, ...(Array.isArray(all) ? (all as unknown[]) : [])])
    if (typeof word === 'string') yield word;
  for (const inside of Object.values(schema)) yield* findLiterals(inside);
}
