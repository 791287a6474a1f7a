import { flushPromises } from '@vue/test-utils';
import { expect, test, vi } from 'vitest';
import {
  NO_SIMULATION,
  type RecordImport,
  type ServiceRequest,
} from '../../../../src-main/common/model/connections/local-service.ts';
import { useLocalServiceStore } from '../../../../src-renderer/stores/connections/local-service.ts';
import { installStores, ScriptedBackend } from '../support/scripted-backend.ts';
import { makeImport, makeState } from './local-service-samples.ts';

const makeRequests = (count: number, firstMs = 0): ServiceRequest[] =>
  Array.from({ length: count }, (_, index) => ({
    atMs: firstMs + index,
    method: 'POST',
    route: '/x',
    report: null,
    status: 200,
    durationMs: 1,
  }));

class UploadingBackend extends ScriptedBackend {
  readonly files: File[] = [];
  answer: () => Promise<string> = () => Promise.resolve('upload-1');
  upload(file: File, signal: AbortSignal): Promise<string> {
    this.files.push(file);
    return Promise.race([
      this.answer(),
      new Promise<string>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      }),
    ]);
  }
}

const script = {
  'local-service/get-state': () => makeState(),
  'local-service/read-requests': () => makeRequests(3),
  'local-service/get-import': () => null,
  'local-service/start-import': () => makeImport({ state: 'running' }),
} as const;

async function startStore(backend: ScriptedBackend) {
  installStores(backend);
  const store = useLocalServiceStore();
  await store.load();
  return store;
}

test('the last 200 requests are kept, newest first, each with a number of its own', async () => {
  const backend = new ScriptedBackend(script);
  const store = await startStore(backend);
  const stop = store.follow();
  await flushPromises();
  expect(store.requests.map(({ atMs }) => atMs)).toEqual([2, 1, 0]);
  backend.emit('local-service/requests-served', makeRequests(199, 100));
  expect(store.requests).toHaveLength(200);
  expect(store.requests[0]?.atMs).toBe(298);
  expect(new Set(store.requests.map(({ id }) => id)).size).toBe(200);
  stop();
  backend.emit('local-service/requests-served', makeRequests(1, 900));
  expect(store.requests[0]?.atMs).toBe(298);
});

test('a change of the simulation keeps the rest of it', async () => {
  const simulation = { ...NO_SIMULATION, platformDown: true };
  const backend = new ScriptedBackend({
    ...script,
    'local-service/get-state': () => makeState({ simulation }),
    'local-service/set-simulation': (next) => makeState({ simulation: next }),
  });
  const store = await startStore(backend);
  await store.simulate({ latencyFactor: 5 });
  expect(backend.calls.at(-1)?.input).toEqual({ ...simulation, latencyFactor: 5 });
  expect(store.hasSimulation).toBe(true);
  await store.simulate(NO_SIMULATION);
  expect(store.hasSimulation).toBe(false);
});

test('a credential comes to the window only where the host could not copy it', async () => {
  const texts: (string | null)[] = [null, 'sesame'];
  const backend = new ScriptedBackend({
    ...script,
    'local-service/copy-credential': () => ({ text: texts.shift() ?? null }),
  });
  const store = await startStore(backend);
  const write = vi.fn(() => Promise.resolve());
  await store.copyCredential('accessToken', write);
  expect(write).not.toHaveBeenCalled();
  await store.copyCredential('accessTokenSecret', write);
  expect(write).toHaveBeenCalledExactlyOnceWith('sesame');
});

test('without an upload the host is asked to choose the file', async () => {
  const backend = new ScriptedBackend(script);
  const store = await startStore(backend);
  expect(store.needsUpload).toBe(false);
  await store.importRecords(null);
  expect(backend.calls.at(-1)).toEqual({ name: 'local-service/start-import', input: { uploadId: null } });
  expect(store.recordImport?.state).toBe('running');
});

test('a file is sent first, and an end that was reported sooner is kept', async () => {
  const backend: UploadingBackend = new UploadingBackend({
    ...script,
    'local-service/start-import': () => {
      backend.emit('local-service/import-changed', makeImport());
      return makeImport({ state: 'running' });
    },
  });
  const store = await startStore(backend);
  store.follow();
  await flushPromises();
  await store.importRecords(new File(['x'], 'records.csv'));
  expect(backend.files.map(({ name }) => name)).toEqual(['records.csv']);
  expect(backend.calls.at(-1)?.input).toEqual({ uploadId: 'upload-1' });
  expect((store.recordImport as RecordImport).state).toBe('done');
  expect(store.upload).toBeNull();
});

test('sending that is cancelled imports nothing and is no error', async () => {
  const backend = new UploadingBackend(script);
  backend.answer = () => new Promise(() => undefined);
  const store = await startStore(backend);
  const importing = store.importRecords(new File(['x'], 'records.csv'));
  expect(store.upload?.fileName).toBe('records.csv');
  store.upload?.cancel();
  await importing;
  expect(store.upload).toBeNull();
  expect(backend.calls.map(({ name }) => name)).not.toContain('local-service/start-import');
});

test('an import that was dismissed stays so when its screen is opened again', async () => {
  const backend = new ScriptedBackend({ ...script, 'local-service/get-import': () => makeImport() });
  const store = await startStore(backend);
  const stop = store.follow();
  await flushPromises();
  expect(store.recordImport?.state).toBe('done');
  store.dismissImport();
  stop();
  store.follow();
  await flushPromises();
  expect(store.recordImport).toBeNull();
});

test('a change that follows at once keeps the one before, whichever is answered first', async () => {
  const waiting: (() => void)[] = [];
  const backend = new ScriptedBackend({
    ...script,
    'local-service/set-simulation': async (simulation) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return makeState({ simulation });
    },
  });
  const store = await startStore(backend);
  const both = Promise.all([store.simulate({ platformDown: true }), store.simulate({ latencyFactor: 5 })]);
  const wanted = { ...NO_SIMULATION, platformDown: true, latencyFactor: 5 };
  expect(backend.calls.at(-1)?.input).toEqual(wanted);
  waiting[1]?.();
  waiting[0]?.();
  await both;
  expect(store.state?.simulation).toEqual(wanted);
});
