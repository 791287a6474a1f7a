import { serveEngine, type EngineStart } from './serve-engine.ts';

// The engine in a child process of plain Node. It ends with its parent.
const start = JSON.parse(process.argv[2] ?? '{}') as EngineStart;
process.on('disconnect', () => process.exit());
await serveEngine(
  {
    postMessage: (message) => void process.send?.(message),
    onMessage: (listener) => void process.on('message', listener),
    close: () => process.disconnect(),
  },
  start,
  (error) => {
    process.stderr.write(`${String(error)}\n`);
    process.exit(1);
  },
);
