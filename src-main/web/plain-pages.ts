import { escapeHtml } from './escape-html.ts';

const STYLE =
  'body{font:15px/1.5 system-ui,sans-serif;max-width:34rem;margin:20vh auto 0;padding:0 1.5rem;color-scheme:light dark}';

/** A page that needs neither script nor session. */
function buildPlainPage(title: string, text: string, nonce: string): string {
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,">` +
    `<title>${escapeHtml(title)}</title><style nonce="${nonce}">${STYLE}</style></head>` +
    `<body><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p></body></html>`
  );
}

/** Shown where a tab has no session: its address alone opens nothing. */
export function buildStartAgainPage(nonce: string): string {
  return buildPlainPage(
    'Start Channelscope again',
    'This page has no session. Close the application where it was started, start it again, and use the page that it opens.',
    nonce,
  );
}
