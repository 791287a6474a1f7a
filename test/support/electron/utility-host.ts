/** Runs a script as Electron's utility process would: with `process.parentPort`. Arguments: the script, then its own. */
import { EventEmitter } from 'node:events';

const parentPort = new EventEmitter();
const early: unknown[] = [];
const deliver = (data: unknown): void => void parentPort.emit('message', { data, ports: [] });
// A port keeps its messages until somebody listens.
parentPort.once('newListener', () => {
  queueMicrotask(() => early.splice(0).forEach(deliver));
});
process.on('message', (message) => {
  if (parentPort.listenerCount('message') === 0) early.push(message);
  else deliver(message);
});
Object.assign(parentPort, { postMessage: (message: unknown) => process.send?.(message) });
Object.assign(process, { parentPort });
const [script] = process.argv.splice(2, 1);
await import(script ?? '');
