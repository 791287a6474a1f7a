const STYLE =
  'body{font:15px/1.5 system-ui,sans-serif;max-width:34rem;margin:20vh auto 0;padding:0 1.5rem;color-scheme:light dark}';

const TITLE = 'Start Channelscope again';
const TEXT =
  'This page has no session. Close the application where it was started, start it again, and use the page that it opens.';

/** Shown where a tab has no session: its address alone opens nothing. Needs neither script nor session itself. */
export function buildStartAgainPage(nonce: string): string {
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,">` +
    `<title>${TITLE}</title><style nonce="${nonce}">${STYLE}</style></head>` +
    `<body><h1>${TITLE}</h1><p>${TEXT}</p></body></html>`
  );
}

/** A page that leads to `address`. */
export function buildForwardPage(address: string): string {
  const escaped = address.replace(/[&<>"']/gu, (character) => `&#${character.charCodeAt(0)};`);
  return (
    `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">` +
    `<meta http-equiv="refresh" content="0;url=${escaped}"><title>Channelscope</title>`
  );
}
