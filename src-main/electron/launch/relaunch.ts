import { app } from 'electron';

/**
 * Has the application started again, with what it was started with or other words, once it has ended. An AppImage is
 * started by its own file: the program within it is gone by then.
 */
export function relaunch(words?: readonly string[], environment: NodeJS.ProcessEnv = process.env): void {
  const image = environment['APPIMAGE'] ?? '';
  if (image === '' && words === undefined) app.relaunch();
  else {
    app.relaunch({
      args: [...(words ?? process.argv.slice(1))],
      ...(image === '' ? {} : { execPath: image }),
    });
  }
}
