/** Everything that must not come back from a service, and each way in which one may write it. */
export const CANARIES = {
  accessToken: 'tök"en\\88-Ca',
  accessTokenSecret: 'séc"ret\\77',
  token: 'b3ar"er\\99/Tok+4',
} as const;

const mapUnits = (text: string, write: (code: number) => string): string =>
  Array.from({ length: text.length }, (_, at) => write(text.charCodeAt(at))).join('');
const toHex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
const inHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('é', '&eacute;')
    .replaceAll('ö', '&ouml;');

/** The forms of a secret, by what wrote them. */
function listForms(secret: string): Readonly<Record<string, string>> {
  const utf8 = Buffer.from(secret, 'utf8');
  return {
    plain: secret,
    json: inJson(secret),
    'json in json': inJson(inJson(secret)),
    unicode: mapUnits(secret, (code) => (code < 128 ? String.fromCharCode(code) : `\\u${toHex(code, 4)}`)),
    'unicode of all': mapUnits(secret, (code) => `\\u${toHex(code, 4)}`),
    'unicode in capitals': mapUnits(secret, (code) => `\\u${toHex(code, 4).toUpperCase()}`),
    html: inHtml(secret),
    'decimal entities': mapUnits(secret, (code) => `&#${code};`),
    'hexadecimal entities': mapUnits(secret, (code) => `&#x${toHex(code, 2)};`),
    'html in json': inJson(inHtml(secret)),
    'html of json': inHtml(inJson(secret)),
    url: encodeURIComponent(secret),
    'url of json': encodeURIComponent(inJson(secret)),
    'url of all': [...utf8].map((byte) => `%${toHex(byte, 2)}`).join(''),
    'url in url': encodeURIComponent(encodeURIComponent(secret)),
    'url in Latin-1': [...Buffer.from(secret, 'latin1')].map((byte) => `%${toHex(byte, 2)}`).join(''),
    base64: utf8.toString('base64'),
    'base64 of user:secret': Buffer.from(`user:${secret}`).toString('base64'),
    'base64 of both': Buffer.from(`${CANARIES.accessToken}:${secret}`).toString('base64'),
    base64url: Buffer.from(`ab:${secret}`).toString('base64url'),
    'base64 in Latin-1': Buffer.from(`user:${secret}`, 'latin1').toString('base64'),
    hexadecimal: utf8.toString('hex'),
    'in capitals': secret.toUpperCase(),
    'taken apart': secret.normalize('NFD'),
    'read as Latin-1': utf8.toString('latin1'),
  };
}

/** Every form of every canary. */
export const ALL_FORMS: readonly { readonly name: string; readonly text: string }[] = Object.entries(
  CANARIES,
).flatMap(([name, secret]) =>
  Object.entries(listForms(secret)).map(([form, text]) => ({ name: `${name}, ${form}`, text })),
);

/** Names of the forms that a text, or bytes as text, holds. */
export function findCanaries(text: string): string[] {
  return ALL_FORMS.filter((form) => text.includes(form.text)).map(({ name }) => name);
}
