import { app } from 'electron';
import { findStartedFile } from './find-started-file.ts';

/** Has the application started again, with what it was started with or other words, once it has ended. */
export function relaunch(words?: readonly string[], environment: NodeJS.ProcessEnv = process.env): void {
  const file = findStartedFile(environment);
  if (file === null && words === undefined) app.relaunch();
  else {
    app.relaunch({
      args: [...(words ?? process.argv.slice(1))],
      ...(file === null ? {} : { execPath: file }),
    });
  }
}
