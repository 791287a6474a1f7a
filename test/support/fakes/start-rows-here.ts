import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { MessageChannel } from 'node:worker_threads';
import { pairCalls, type RunningWorker } from '../../../src-main/core/calls/calls.ts';
import { type RowThreadStarted, serveRows } from '../../../src-main/core/exports/thread/create-row-writer.ts';
import type { ReadRecords } from '../../../src-main/core/exports/rows/open-rows.ts';

/** What the thread that writes rows does, in this thread: over records that a test has made up. */
export function startRowsHere(readRecords: ReadRecords): RunningWorker<RowThreadStarted> {
  const { port1, port2 } = new MessageChannel();
  const calls = pairCalls(
    (message, transfer) => port1.postMessage(message, transfer),
    () => undefined,
  );
  port1.on('message', calls.receive);
  const closed = once(port1, 'close');
  void serveRows(
    {
      postMessage: (message) => port2.postMessage(message),
      onMessage: (listener) => void port2.on('message', listener),
      close: () => port2.close(),
    },
    () => ({ readRecords, close: () => undefined }),
    tmpdir(),
  );
  return {
    started: calls.started as Promise<RowThreadStarted>,
    call: calls.call,
    async end() {
      calls.end();
      await closed;
    },
  };
}
