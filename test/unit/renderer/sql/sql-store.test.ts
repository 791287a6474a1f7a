import { beforeEach, describe, expect, it } from 'vitest';
import type { SqlOutcome } from '../../../../src-main/common/model/records/sql.ts';
import { useSqlStore } from '../../../../src-renderer/stores/records/sql.ts';
import { HeldBackend } from '../support/held-backend.ts';
import { installStores } from '../support/scripted-backend.ts';

let backend: HeldBackend;
const question = { connectionId: 'a', fromMs: 0, toMs: 1000, zone: 'UTC' };
const toResult = (resultId: string): SqlOutcome => ({
  kind: 'rows',
  resultId,
  columns: [],
  rowCount: 1,
  hasMore: false,
  cutValues: 0,
  durationMs: 1,
  memoryBytes: 38_000_000,
});

beforeEach(() => {
  sessionStorage.clear();
  backend = new HeldBackend();
  installStores(backend);
});

describe('the statement', () => {
  it('survives a reload of the window', () => {
    useSqlStore().write('SELECT 1');
    installStores(new HeldBackend());
    expect(useSqlStore().text).toBe('SELECT 1');
  });

  it('that another takes the place of can be brought back', () => {
    const sql = useSqlStore();
    sql.write('mine');
    sql.want('theirs', 7);
    expect([sql.text, sql.replaced, sql.wantedAtMs]).toEqual(['theirs', 'mine', 7]);
    sql.bringBack();
    expect([sql.text, sql.replaced]).toEqual(['mine', null]);
  });
});

describe('the name of a statement', () => {
  it('is that of an example until it is rewritten', () => {
    const sql = useSqlStore();
    sql.replace('SELECT 1', { kind: 'example', name: 'One' });
    expect(sql.origin?.name).toBe('One');
    sql.write('SELECT 2');
    expect(sql.origin).toBeNull();
    sql.write('SELECT 1');
    expect(sql.origin?.name).toBe('One');
  });

  it('that it was saved under stays, and says whether it was edited since', () => {
    const sql = useSqlStore();
    sql.write('SELECT 1');
    sql.noteSaved('Mine');
    expect([sql.origin?.name, sql.isRewritten]).toEqual(['Mine', false]);
    sql.write('SELECT 2');
    expect([sql.origin?.name, sql.isRewritten]).toEqual(['Mine', true]);
    sql.noteSaved('Mine');
    expect(sql.isRewritten).toBe(false);
  });
});

describe('a run', () => {
  it('shows its result until a newer one is there, and lets the older one go', async () => {
    const sql = useSqlStore();
    sql.write('one');
    void sql.run({ ...question, text: 'one' });
    await Promise.resolve();
    await backend.of('sql/run')[0]!.answer(toResult('first'));
    expect([sql.running, sql.ran?.result?.resultId, sql.isEdited]).toEqual([null, 'first', false]);
    sql.write('two');
    expect(sql.isEdited).toBe(true);
    void sql.run({ ...question, text: 'two' });
    await Promise.resolve();
    expect(sql.ran?.result?.resultId).toBe('first');
    await backend.of('sql/run')[1]!.answer(toResult('second'));
    expect(sql.ran?.result?.resultId).toBe('second');
    expect(backend.of('sql/close-result').map(({ input }) => input)).toEqual([{ resultId: 'first' }]);
  });

  it('that is cancelled ends at once, and what comes of it later is dropped', async () => {
    const sql = useSqlStore();
    void sql.run({ ...question, text: 'long' });
    await Promise.resolve();
    const [call] = backend.of('sql/run');
    void sql.cancel();
    expect(sql.running).toBeNull();
    const [cancel] = backend.of('sql/cancel');
    expect((cancel!.input as { runId: string }).runId).toBe((call!.input as { runId: string }).runId);
    await call!.answer(toResult('late'));
    expect(sql.ran).toBeNull();
    expect(backend.of('sql/close-result')).toHaveLength(1);
  });

  it('that fails keeps the text, and says where', async () => {
    const sql = useSqlStore();
    sql.write('SELEC 1');
    void sql.run({ ...question, text: 'SELEC 1' });
    await Promise.resolve();
    await backend.of('sql/run')[0]!.answer({ kind: 'failed', fault: 'statement', message: 'no', offset: 0 });
    expect([sql.text, sql.ran?.failure?.offset, sql.ran?.result]).toEqual(['SELEC 1', 0, null]);
  });

  it('that the core refuses is told of as an error', async () => {
    const sql = useSqlStore();
    void sql.run({ ...question, text: 'x' });
    await Promise.resolve();
    await backend.of('sql/run')[0]!.refuse('app.bug');
    expect([sql.error?.code, sql.running]).toEqual(['app.bug', null]);
  });
});
