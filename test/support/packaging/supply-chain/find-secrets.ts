/** What looks like a credential, whatever it is for. Each is a form that nothing else has. */
const FORMS: readonly (readonly [kind: string, form: RegExp])[] = [
  ['a private key', /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s+[\w+/=]{40}/u],
  ['a token of GitHub', /\bgh[pousr]_[A-Za-z0-9]{36}\b|\bgithub_pat_\w{60,}/u],
  ['a token of npm', /\bnpm_[A-Za-z0-9]{36}\b/u],
  ['a key of AWS', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/u],
  ['a key of Google', /\bAIza[\w-]{35}\b/u],
  ['a token of Slack', /\bxox[abprs]-[\w-]{20,}/u],
  ['a key of Stripe', /\b[rs]k_live_[A-Za-z0-9]{20,}/u],
  ['a signed token', /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,}/u],
  [
    'a login in an address',
    /\bhttps?:\/\/[\w.%+-]+:[^\s@/'"`{}$]{8,}@(?!(?:\w+\.)*(?:example|test|invalid)\b)/u,
  ],
  ['a login of npm', /^\s*(?:\/\/[^\s=]+:)?_(?:authToken|auth|password)\s*=\s*\S+/mu],
];

/** Names of files that hold credentials and nothing else. */
const FILES =
  /(?:^|\/)(?:\.env(?:\.\w+)?|\.netrc|id_(?:rsa|ed25519|ecdsa)|[^/]+\.(?:p12|pfx|keystore|jks))$/u;

/** Returns what in a text looks like a credential, each with its line; never the text itself. */
export function findSecrets(path: string, text: string): string[] {
  const found = FILES.test(path) ? [`${path}: a file of credentials`] : [];
  for (const [kind, form] of FORMS) {
    const at = form.exec(text)?.index;
    if (at === undefined) continue;
    found.push(`${path}:${text.slice(0, at).split('\n').length}: ${kind}`);
  }
  return found;
}
