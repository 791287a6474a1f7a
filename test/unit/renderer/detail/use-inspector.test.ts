import { beforeEach, describe, expect, it } from 'vitest';
import { createApp } from 'vue';
import type { RecordDetail } from '../../../../src-main/common/model/records/record.ts';
import type { Session } from '../../../../src-main/common/model/records/conversation.ts';
import { backendKey } from '../../../../src-renderer/backend/backend.ts';
import { useInspector } from '../../../../src-renderer/inspector/use-inspector.ts';
import { HeldBackend } from '../support/held-backend.ts';

const toTarget = (seq: number) => ({ snapshotId: 1, seq, direction: 'inbound' as const });
const toRecord = (seq: number, sessionId: string) => ({ seq, sessionId }) as RecordDetail;
const toSession = (...seqs: number[]) => ({ inbound: { requests: seqs.length, failures: 0 } }) as Session;

describe('inspector', () => {
  let backend: HeldBackend;
  let inspector: ReturnType<typeof useInspector>;
  const record = (index: number) => backend.of('records/read-record')[index]!;
  const session = (index: number) => backend.of('records/read-session')[index]!;

  beforeEach(() => {
    backend = new HeldBackend();
    inspector = createApp({}).provide(backendKey, backend).runWithContext(useInspector);
  });

  it('shows the record first and its session when that has been read', async () => {
    void inspector.select(toTarget(4), 'one');
    expect([inspector.isLoading.value, inspector.record.value]).toEqual([true, null]);
    await record(0).answer(toRecord(4, 'abc'));
    expect([inspector.isLoading.value, inspector.record.value?.seq]).toEqual([false, 4]);
    expect(session(0).input).toEqual({ connectionId: 'one', sessionId: 'abc', limit: 0 });
    await session(0).answer(toSession(4, 5));
    expect(inspector.session.value).toEqual(toSession(4, 5));
  });

  it('a failing session leaves the record, and is asked for again', async () => {
    void inspector.select(toTarget(4), 'one');
    await record(0).answer(toRecord(4, 'abc'));
    await session(0).refuse('analysis.stopped');
    expect([inspector.error.value, inspector.record.value?.seq]).toEqual([null, 4]);
    void inspector.select(toTarget(5), 'one');
    await record(1).answer(toRecord(5, 'abc'));
    await session(1).answer(toSession(4, 5));
    expect(inspector.session.value).toEqual(toSession(4, 5));
  });

  it('stepping quickly within a session leaves no timeline missing', async () => {
    for (const seq of [4, 5, 6]) {
      void inspector.select(toTarget(seq), 'one');
      await record(seq - 4).answer(toRecord(seq, 'abc'));
    }
    for (const call of backend.of('records/read-session')) await call.answer(toSession(4, 5, 6));
    expect(inspector.session.value).toEqual(toSession(4, 5, 6));
  });

  it('drops the record and the session of a row that was left meanwhile', async () => {
    void inspector.select(toTarget(4), 'one');
    void inspector.select(toTarget(9), 'one');
    await record(1).answer(toRecord(9, 'new'));
    await record(0).answer(toRecord(4, 'old'));
    expect(inspector.record.value?.seq).toBe(9);
    expect(backend.of('records/read-session').map(({ input }) => input)).toEqual([
      { connectionId: 'one', sessionId: 'new', limit: 0 },
    ]);
  });

  it('keeps the session while the selection moves within it, and reads the next one', async () => {
    void inspector.select(toTarget(4), 'one');
    await record(0).answer(toRecord(4, 'abc'));
    await session(0).answer(toSession(4, 5));
    void inspector.select(toTarget(5), 'one');
    await record(1).answer(toRecord(5, 'abc'));
    expect(inspector.session.value).toEqual(toSession(4, 5));
    expect(backend.of('records/read-session')).toHaveLength(1);
    void inspector.select(toTarget(6), 'one');
    await record(2).answer(toRecord(6, 'xyz'));
    expect(inspector.session.value).toBeNull();
    expect(backend.of('records/read-session')).toHaveLength(2);
  });

  it('reads a session again when the selection moved within it before it had been read', async () => {
    void inspector.select(toTarget(4), 'one');
    await record(0).answer(toRecord(4, 'abc'));
    void inspector.select(toTarget(5), 'one');
    await record(1).answer(toRecord(5, 'abc'));
    await session(0).answer(toSession(1));
    await session(1).answer(toSession(4, 5));
    expect(inspector.session.value).toEqual(toSession(4, 5));
  });

  it('asks for no session where the record names none', async () => {
    void inspector.select(toTarget(4), 'one');
    await record(0).answer(toRecord(4, ''));
    expect(backend.of('records/read-session')).toEqual([]);
  });

  it('says why a record could not be read, until another one is', async () => {
    void inspector.select(toTarget(4), 'one');
    await record(0).refuse('cache.damaged');
    expect([inspector.error.value?.code, inspector.isLoading.value]).toEqual(['cache.damaged', false]);
    void inspector.select(toTarget(5), 'one');
    expect(inspector.error.value).toBeNull();
  });

  it('is empty after it was cleared, whatever arrives late', async () => {
    void inspector.select(toTarget(4), 'one');
    inspector.clear();
    await record(0).answer(toRecord(4, 'abc'));
    expect([inspector.target.value, inspector.record.value, inspector.isLoading.value]).toEqual([
      null,
      null,
      false,
    ]);
  });
});
