import { serveAnalysis } from '../serve-analysis.ts';

// The engine, or a reader of Parquet, in a child process of plain Node. It ends with its parent.
process.on('disconnect', () => process.exit());
await serveAnalysis(
  {
    postMessage: (message) => void process.send?.(message),
    onMessage: (listener) => void process.on('message', listener),
    close: () => process.disconnect(),
  },
  process.argv[2] ?? '{}',
);
