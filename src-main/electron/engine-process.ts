import { serveAnalysis } from '../core/analysis/serve-analysis.ts';
import type { ToServer } from '../core/calls/calls.ts';

// The analysis engine, or a reader of Parquet, in a utility process.
await serveAnalysis(
  {
    postMessage: (message) => process.parentPort.postMessage(message),
    onMessage: (listener) => void process.parentPort.on('message', ({ data }) => listener(data as ToServer)),
    close: () => process.exit(),
  },
  process.argv.at(-1) ?? '{}',
);
