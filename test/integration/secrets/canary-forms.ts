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

const inBytes = (text: string, write: (byte: number) => string, joint = ''): string =>
  Array.from(Buffer.from(text, 'utf8'), write).join(joint);
const breakLines = (text: string, width: number, lineBreak: string): string =>
  text.replace(new RegExp(`(.{${width}})(?=.)`, 'g'), `$1${lineBreak}`);
const toBase64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

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
    'a buffer as JSON': JSON.stringify(utf8),
    'an array of bytes as JSON': JSON.stringify(new Uint8Array(utf8)),
    'base64 in lines': breakLines(toBase64(JSON.stringify({ accessToken: secret })), 20, '\n'),
    'base64 in lines of mail': breakLines(toBase64(`user:${secret}`), 12, '\r\n'),
    'base64 of JSON': toBase64(JSON.stringify({ a: 1, accessToken: secret })),
    'unicode of all over base64': mapUnits(utf8.toString('base64'), (code) => `\\u${toHex(code, 4)}`),
    'hexadecimal with colons': inBytes(secret, (byte) => toHex(byte, 2), ':'),
    'hexadecimal with blanks': inBytes(secret, (byte) => toHex(byte, 2), ' '),
    'hexadecimal with dashes, in capitals': inBytes(secret, (byte) => toHex(byte, 2), '-').toUpperCase(),
    'hexadecimal, 0x before each': inBytes(secret, (byte) => `0x${toHex(byte, 2)}`, ', '),
    'hexadecimal, 0x before all': `0x${utf8.toString('hex')}`,
    '\\xNN': inBytes(secret, (byte) => `\\x${toHex(byte, 2)}`),
    'decimal entities with zeros': mapUnits(secret, (code) => `&#${String(code).padStart(5, '0')};`),
    'hexadecimal entities with zeros': mapUnits(secret, (code) => `&#x${toHex(code, 4)};`),
    'quoted-printable': inBytes(secret, (byte) => `=${toHex(byte, 2).toUpperCase()}`),
    'url three times': encodeURIComponent(encodeURIComponent(encodeURIComponent(secret))),
    'url of all, three times': inBytes(secret, (byte) => `%2525${toHex(byte, 2)}`),
    'the first 12': secret.slice(0, 12),
    'all but the last': secret.slice(0, -1),
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
