import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listLeaves } from '../../../src-main/common/query/filter-tree.ts';
import {
  isUndoable,
  withoutChange,
  type FamilyAct,
  type FamilyChange,
} from '../../../src-main/common/model/connections/family-changes.ts';
import type { OutcomeRules } from '../../../src-main/common/reporting/outcome.ts';
import { readRows } from '../../../src-main/core/analysis/engine/engine-database.ts';
import { listFamilyNames, resolveFamilies } from '../../../src-main/core/analysis/engine/error-families.ts';
import { createEngineFeed } from '../../../src-main/core/analysis/engine/feed/create-engine-feed.ts';
import { checkFamilies, readFamily } from '../../../src-main/core/analysis/engine/read-family.ts';
import { prepareChanges } from '../../../src-main/core/analysis/families/apply-changes.ts';
import { openEngineFile } from './open-engine-file.ts';
import { createPlainSource, makePlain, SPAN, type PlainRecord } from './random-records.ts';

const FULL = 'The queue is full';
const GONE = 'No such conversation';
const toPaused = (name: string, hours: number): string => `Template '${name}' is paused for ${hours} hours`;
const PAUSED = 'Template <value> is paused for <number>';
const SPLIT: Extract<FamilyAct, { kind: 'split' }> = {
  kind: 'split',
  family: PAUSED,
  parts: ["Template '", "' is paused for ", ' hours'],
  at: 0,
  variable: 'template',
};

const toRecord = (error: string, seq: number): PlainRecord =>
  makePlain({
    recordId: SPAN + seq,
    ...{ dateMs: seq, channel: 1, service: seq % 2, responseCode: 500, responseTimeMs: 1, error },
  });

let engine: Awaited<ReturnType<typeof openEngineFile>>;
let snapshots: Map<number, PlainRecord[]>;
let feed: Awaited<ReturnType<typeof createEngineFeed>>;
let changes: FamilyChange[];
let nextId = 0;
beforeEach(async () => {
  engine = await openEngineFile();
  snapshots = new Map([[1, []]]);
  changes = [];
  nextId = 0;
  feed = await createEngineFeed(engine.connection, createPlainSource(snapshots));
});
afterEach(() => engine.close());

const add = (...errors: readonly string[]): void => {
  const before = snapshots.get(1) ?? [];
  snapshots.set(1, [...before, ...errors.map((error, place) => toRecord(error, before.length + place))]);
};
const followChanges = async (): Promise<void> => {
  feed.setFamilies({ one: { inbound: changes } });
  await feed.follow();
};
const act = async (next: FamilyAct): Promise<void> => {
  changes = [...changes, { id: String(nextId++), atMs: 0, act: next }];
  await followChanges();
};
const undo = async (): Promise<void> => {
  changes = changes.slice(0, -1);
  await followChanges();
};
const readFamilies = async (): Promise<string[]> => {
  const rows = await readRows<[string]>(
    engine.connection,
    'SELECT error_pattern FROM inbound ORDER BY record_id',
  );
  return rows.map(([family]) => family);
};
const readTexts = (): Promise<[text: string, family: string][]> =>
  readRows(engine.connection, 'SELECT DISTINCT error, error_pattern FROM inbound');
/** Records that a filter which names a family means. */
const countOf = async (family: string): Promise<number> => {
  const scope = { direction: 'inbound' as const, parts: [] };
  const filter = {
    conditions: [{ any: [{ conditions: [{ field: 'errorFamily' as const, values: [family] }] }] }],
  };
  const resolved = await resolveFamilies(engine.connection, { scope, filter }, 'one');
  const names = (listLeaves(resolved.filter)[0]?.values ?? []).map((name) => `'${String(name)}'`);
  const [[count] = [0]] = await readRows<[number]>(
    engine.connection,
    `SELECT count(*) FROM inbound WHERE error_pattern IN (${names.join(', ')})`,
  );
  return count;
};
const scopeOf = () => ({
  direction: 'inbound' as const,
  parts: [{ snapshotId: 1, recordCount: snapshots.get(1)?.length ?? 0, spans: null, withUndated: true }],
});

describe('what a person makes of families', () => {
  it('holds for records that are cached and for those that come, and is undone', async () => {
    add(FULL, GONE, toPaused('a', 3), '');
    await feed.follow();
    const learned = await readFamilies();
    expect(learned).toEqual([FULL, GONE, PAUSED, '']);
    const { version } = feed;
    await act({ kind: 'merge', family: GONE, into: FULL });
    await act({ kind: 'rename', family: FULL, name: 'Overload' });
    expect(await readFamilies()).toEqual(['Overload', 'Overload', PAUSED, '']);
    expect(feed.version).toBeGreaterThan(version);
    add(GONE, toPaused('b', 6));
    await feed.follow();
    expect((await readFamilies()).slice(4)).toEqual(['Overload', PAUSED]);
    await undo();
    expect(await readFamilies()).toEqual([FULL, FULL, PAUSED, '', FULL, PAUSED]);
    await undo();
    expect(await readFamilies()).toEqual([FULL, GONE, PAUSED, '', GONE, PAUSED]);
    expect(await readRows(engine.connection, 'SELECT * FROM family_names')).toEqual([]);
  });

  it('splits a family by the values of a variable, those of later records too, and by a text', async () => {
    add(toPaused('a', 3), toPaused('b', 3), toPaused('b', 24), FULL);
    await feed.follow();
    await act(SPLIT);
    const toPart = (name: string): string => `template = ${name} · ${PAUSED}`;
    expect(await readFamilies()).toEqual([toPart('a'), toPart('b'), toPart('b'), FULL]);
    add(toPaused('c', 3));
    await feed.follow();
    expect((await readFamilies()).at(-1)).toBe(toPart('c'));
    expect(await countOf(PAUSED)).toBe(4);
    await act({ kind: 'rename', family: toPart('b'), name: 'Paused: B' });
    expect(await countOf(toPart('b'))).toBe(2);
    await act({ kind: 'split-text', family: 'Paused: B', text: 'FOR 24', name: 'A day' });
    expect(await readFamilies()).toEqual([toPart('a'), 'Paused: B', 'A day', FULL, toPart('c')]);
    expect(await countOf('Paused: B')).toBe(2);
    for (let count = 0; count < 3; count += 1) await undo();
    expect(new Set(await readFamilies())).toEqual(new Set([PAUSED, FULL]));
  });

  it('leaves what was saved with the name of a part to mean the family that it was of, once a split is undone', async () => {
    add(toPaused('a', 3), toPaused('b', 3), FULL);
    await feed.follow();
    await act(SPLIT);
    expect(await countOf(`template = a · ${PAUSED}`)).toBe(1);
    changes = withoutChange(changes, '0');
    await followChanges();
    expect(await countOf(`template = a · ${PAUSED}`)).toBe(2);
    await act({ kind: 'rename', family: PAUSED, name: 'Paused' });
    expect(await countOf(`template = b · ${PAUSED}`)).toBe(2);
  });

  it('is found by a filter and a rule of outcomes that name what a family was called', async () => {
    add(FULL, GONE);
    const inbound: OutcomeRules = [{ error: { family: GONE }, outcome: 'expected' }];
    feed.setOutcomes({ one: { inbound } });
    await feed.follow();
    const readOutcomes = async () =>
      (await readRows<[string]>(engine.connection, 'SELECT outcome::VARCHAR FROM inbound')).flat();
    expect(await readOutcomes()).toEqual(['unknown', 'expected']);
    await act({ kind: 'rename', family: GONE, name: 'Ended' });
    expect(await readOutcomes()).toEqual(['unknown', 'expected']);
    expect([await countOf(GONE), await countOf('Ended'), await countOf(FULL)]).toEqual([1, 1, 1]);
    await act({ kind: 'merge', family: FULL, into: 'Ended' });
    expect(await readOutcomes()).toEqual(['expected', 'expected']);
    expect([await countOf(GONE), await countOf(FULL)]).toEqual([2, 2]);
    // What was saved with a name that is taken back goes on to mean the family.
    changes = withoutChange(withoutChange(changes, '1'), '0');
    await followChanges();
    expect(await readFamilies()).toEqual([FULL, GONE]);
    expect([await countOf('Ended'), await countOf(FULL)]).toEqual([1, 1]);
    await act({ kind: 'rename', family: FULL, name: 'Ended' });
    expect(await countOf('Ended')).toBe(1);
    expect(await readFamilies()).toEqual(['Ended', GONE]);
  });

  it('stays with a family that turns out to be part of another one', async () => {
    const ask = (name: string): string => `Sin respuesta al consultar el servicio de ${name} hoy`;
    add(ask('saldos'), ask('turnos'), FULL);
    await feed.follow();
    await act({ kind: 'rename', family: ask('turnos'), name: 'Consultas' });
    await act({ kind: 'merge', family: FULL, into: ask('saldos') });
    expect(await readFamilies()).toEqual([ask('saldos'), 'Consultas', ask('saldos')]);
    add(ask('envíos'));
    await feed.follow();
    // By now all three are one, which has the name that one of them was given.
    const families = await readFamilies();
    expect([families[0], families[1], families[3]]).toEqual(['Consultas', 'Consultas', 'Consultas']);
    expect(await countOf(ask('envíos'))).toBeGreaterThanOrEqual(3);
    changes = [];
    await followChanges();
    expect(await readFamilies()).toEqual([ask('saldos'), ask('saldos'), FULL, ask('saldos')]);
  });

  it('holds in a file that is begun anew, and is caught up with by the next process', async () => {
    add(FULL, GONE);
    await feed.follow();
    changes = [{ id: 'a', atMs: 0, act: { kind: 'rename', family: FULL, name: 'Overload' } }];
    const next = await createEngineFeed(engine.connection, createPlainSource(snapshots));
    next.setFamilies({ one: { inbound: changes } });
    expect(next.isUndecided).toBe(true);
    await next.follow();
    expect(next.isUndecided).toBe(false);
    expect(await readFamilies()).toEqual(['Overload', GONE]);
    await engine.close();
    engine = await openEngineFile();
    feed = await createEngineFeed(engine.connection, createPlainSource(snapshots));
    await followChanges();
    expect(await readFamilies()).toEqual(['Overload', GONE]);
  });

  it('is the same done to records as read text by text, for any acts in any order, and taken back', async () => {
    const hosts = ['a', 'b.c', 'ü😀', "it's", 'x'.repeat(130), '😀'.repeat(125), '(.*)\\z', ''];
    const texts = hosts.flatMap((host) => [
      `No answer from ${host} in 3 s`,
      `No answer from ${host} in 40 s [${host}] (50%)`,
    ]);
    add(...texts, FULL, GONE, toPaused('a', 3), toPaused('B', 24), '');
    await feed.follow();
    const families = [...new Set(await readFamilies())].filter((name) => name !== '');
    const partsArbitrary = fc.constantFrom(
      ['No answer from ', ' in ', ' s'],
      ['No answer from ', ' in ', ' s [', '] (50%)'],
      ['', ' answer ', ''],
      ['No', '', ' s'],
      ["Template '", "' is paused for ", ' hours'],
    );
    const actArbitrary = (known: readonly string[], name: string): fc.Arbitrary<FamilyAct> => {
      const family = fc.constantFrom(...known);
      const text = fc.constantFrom('IN 4', 'a', "it's", '😀', 'zzz', 'queue');
      return fc.oneof(
        family.map((own) => ({ kind: 'rename' as const, family: own, name })),
        fc.tuple(family, family).map(([own, into]) => ({ kind: 'merge' as const, family: own, into })),
        fc
          .tuple(family, text)
          .map(([own, part]) => ({ kind: 'split-text' as const, family: own, text: part, name })),
        fc.tuple(family, partsArbitrary, fc.nat()).map(([own, parts, at]) => {
          const variable = 'host';
          return {
            kind: 'split' as const,
            family: own,
            parts: [...parts],
            at: at % (parts.length - 1),
            variable,
          };
        }),
      );
    };
    const learned = new Map((await readTexts()).map(([text, family]) => [text, family]));
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat()), async (draws) => {
        changes = [];
        await followChanges();
        for (let step = 0; step < 6; step += 1) {
          const [draw = 0] = draws.take(1);
          if (draw % 3 === 0 && changes.length > 0) {
            const undoable = changes.filter(({ id }) => isUndoable(changes, id));
            const one = undoable[draw % Math.max(1, undoable.length)];
            if (one !== undefined) changes = withoutChange(changes, one.id);
          } else {
            const known = [...new Set([...families, ...(await readFamilies())])].filter(
              (name) => name !== '',
            );
            const name = ['Own', 'Other', GONE][draw % 3] ?? '';
            const [next] = fc.sample(actArbitrary(known, name), { numRuns: 1, seed: draw });
            if (next !== undefined) changes = [...changes, { id: String(nextId++), atMs: 0, act: next }];
          }
          await followChanges();
          const rules = prepareChanges(changes, (name) => name);
          for (const [text, family] of await readTexts())
            expect(family).toBe(text === '' ? '' : rules.toFamily(learned.get(text) ?? '', text));
        }
      }),
      { numRuns: Number(process.env['ANSWER_RUNS'] ?? 12) },
    );
  }, 120_000);

  it('is as it was where a transaction fails', async () => {
    add(FULL, GONE);
    await feed.follow();
    const run = engine.connection.run.bind(engine.connection);
    engine.connection.run = async (sql, ...rest) => {
      if (sql.startsWith('INSERT INTO family_changes')) throw new Error('The disk is full.');
      return run(sql, ...rest);
    };
    await expect(act({ kind: 'rename', family: FULL, name: 'Overload' })).rejects.toThrow(
      'The disk is full.',
    );
    expect(await readFamilies()).toEqual([FULL, GONE]);
    engine.connection.run = run;
    await feed.follow();
    expect(await readFamilies()).toEqual(['Overload', GONE]);
  });
});

describe('the page of a family', () => {
  it('has its variables, its places, and what reads like it', async () => {
    add(toPaused('order', 3), toPaused('order', 6), toPaused('refund', 3), toPaused('order', 3));
    add("Template 'order' is unknown for 3 hours", FULL, '');
    await feed.follow();
    await act({ kind: 'rename', family: PAUSED, name: 'Paused' });
    const question = {
      connectionId: 'one',
      period: { fromMs: 0, toMs: 100 },
      scope: scopeOf(),
      all: scopeOf(),
    };
    const page = await readFamily(engine.connection, { ...question, family: PAUSED });
    expect(page).toMatchObject({
      family: 'Paused',
      parts: ["Template '", "' is paused for ", ' hours'],
      variables: [
        {
          name: 'template',
          valueCount: 2,
          values: [
            { value: 'order', count: 3 },
            { value: 'refund', count: 1 },
          ],
          neverRepeats: false,
        },
        { name: 'hours', valueCount: 2 },
      ],
      ...{ textCount: 3, otherCount: 0, count: 4, errorCount: 6, firstMs: 0, lastMs: 3 },
      cells: [
        { channel: 1, service: 0, count: 2 },
        { channel: 1, service: 1, count: 2 },
      ],
    });
    expect(page.samples.map(({ values }) => values)).toEqual([
      ['order', '3'],
      ['refund', '3'],
      ['order', '6'],
      ['order', '3'],
    ]);
    expect(page.similar[0]?.family).toMatch(/is unknown/);
    expect(page.similar[0]?.likeness).toBeGreaterThan(0.5);
  });

  it('lists the names of families that patterns have by now, for whoever knows the patterns alone', async () => {
    add(toPaused('a', 3), FULL, GONE);
    await feed.follow();
    await act({ kind: 'rename', family: FULL, name: 'Overload' });
    await act(SPLIT);
    const names = await listFamilyNames(engine.connection, 'one');
    expect(names.toSorted((a, b) => (a.family < b.family ? -1 : 1))).toEqual([
      { pattern: FULL, family: 'Overload', isNamed: true },
      { pattern: PAUSED, family: `template = a · ${PAUSED}`, isNamed: false },
    ]);
    expect(await listFamilyNames(engine.connection, 'two')).toEqual([]);
  });

  it('says before a change what records know of it', async () => {
    add(toPaused('a', 3), toPaused('b', 3), FULL);
    await feed.follow();
    const check = (next: FamilyAct) => checkFamilies(engine.connection, scopeOf(), next);
    expect(await check(SPLIT)).toEqual({ isKnown: true, isTargetKnown: false, partCount: 2 });
    expect(await check({ ...SPLIT, parts: ['Other ', ''] })).toMatchObject({ partCount: 0 });
    expect(await check({ kind: 'rename', family: FULL, name: PAUSED })).toMatchObject({
      isTargetKnown: true,
    });
    expect(await check({ kind: 'merge', family: 'gone', into: FULL })).toMatchObject({ isKnown: false });
  });
});
