import { serveEngine, type EngineStart } from '../core/analysis/engine/serve-engine.ts';
import type { ToServer } from '../core/calls/call-messages.ts';

// The analysis engine in a utility process.
const start = JSON.parse(process.argv.at(-1) ?? '{}') as EngineStart;
await serveEngine(
  {
    postMessage: (message) => process.parentPort.postMessage(message),
    onMessage: (listener) => void process.parentPort.on('message', ({ data }) => listener(data as ToServer)),
    close: () => process.exit(),
  },
  start,
  (error) => {
    process.stderr.write(`${String(error)}\n`);
    process.exit(1);
  },
);
