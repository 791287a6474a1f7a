import { app, utilityProcess } from 'electron';
import { fileURLToPath } from 'node:url';
import { PROCESS_FLAGS, type ChildProcess } from '../node/fork-process.ts';

/** Starts a script in a utility process, with one argument: Electron's own way to run Node apart from the window. */
export function startUtilityProcess(script: URL, argument: string): ChildProcess {
  const child = utilityProcess.fork(fileURLToPath(script), [argument], {
    serviceName: 'Channelscope analysis',
    // Flags of V8 count only in this form: the others are Node's, which has begun by then.
    execArgv: [`--js-flags=${PROCESS_FLAGS.join(' ')}`],
  });
  return {
    postMessage: (message) => child.postMessage(message),
    onMessage: (listener) => void child.on('message', listener),
    onExit: (listener) => void child.once('exit', (code) => listener(`exit code ${code}`)),
    kill: () => void child.kill(),
    readMemory: () => {
      const own = app.getAppMetrics().find(({ pid }) => pid === child.pid);
      return Promise.resolve(own === undefined ? null : own.memory.workingSetSize * 1024);
    },
  };
}
