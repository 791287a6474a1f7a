import { existsSync } from 'node:fs';

/** A Chromium or Chrome that is on the machine already; none is ever downloaded. */
export function findBrowser(): string | undefined {
  const places = [
    process.env['CHANNELSCOPE_CHROMIUM'],
    '/usr/bin/chromium',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  ];
  return places.find((path): path is string => path !== undefined && existsSync(path));
}
