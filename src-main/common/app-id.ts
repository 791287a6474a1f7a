/**
 * The application's name to the systems that it is installed on. Under Windows, notifications and the taskbar know the
 * running program by it, so it has to be the one in the entries that the installer makes.
 */
export const APP_ID = 'app.channelscope.desktop';
