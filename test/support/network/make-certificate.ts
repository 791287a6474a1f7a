import { createPublicKey, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';

/** A certificate and its key as PEM, and what a certificate that it signs needs. */
export interface MadeCertificate {
  readonly cert: string;
  readonly key: string;
  readonly name: string;
  readonly privateKey: KeyObject;
}

export interface CertificateOptions {
  readonly name: string;
  /** Itself when left out. */
  readonly issuer?: MadeCertificate;
  /** Valid for this address, as 127.0.0.1. */
  readonly address?: string;
  readonly isAuthority?: boolean;
  readonly fromMs?: number;
  readonly toMs?: number;
  /** Bits of an RSA key. */
  readonly keyBits?: number;
}

const dayMs = 86_400_000;

/** Makes an X.509 certificate with an RSA key and SHA-256, as RFC 5280 lays it out. */
export function makeCertificate(options: CertificateOptions): MadeCertificate {
  const { name, issuer, keyBits = 2048 } = options;
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: keyBits });
  const signer = issuer?.privateKey ?? privateKey;
  const algorithm = sequence(identifier('2a864886f70d01010b'), encode(0x05));
  const extensions = [
    extension('551d13', options.isAuthority === true ? sequence(encode(0x01, Buffer.of(0xff))) : sequence()),
    ...(options.address === undefined ? [] : [extension('551d11', sequence(toAddress(options.address)))]),
  ];
  const body = sequence(
    encode(0xa0, encode(0x02, Buffer.of(2))),
    encode(0x02, Buffer.of(1 + Math.floor(Math.random() * 100), ...Buffer.from(name))),
    algorithm,
    toName(issuer?.name ?? name),
    sequence(toTime(options.fromMs ?? Date.now() - dayMs), toTime(options.toMs ?? Date.now() + dayMs)),
    toName(name),
    createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })).export({
      type: 'spki',
      format: 'der',
    }),
    encode(0xa3, sequence(...extensions)),
  );
  const signature = createSign('sha256').update(body).sign(signer);
  const whole = sequence(body, algorithm, encode(0x03, Buffer.concat([Buffer.of(0), signature])));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    name,
    privateKey,
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  };
}

/** DER: tag, length, content. */
function encode(tag: number, content: Buffer = Buffer.alloc(0)): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return encode(0x30, Buffer.concat(parts));
}

function identifier(hex: string): Buffer {
  return encode(0x06, Buffer.from(hex, 'hex'));
}

function extension(hex: string, value: Buffer): Buffer {
  return sequence(identifier(hex), encode(0x04, value));
}

function toName(name: string): Buffer {
  return sequence(encode(0x31, sequence(identifier('550403'), encode(0x0c, Buffer.from(name)))));
}

function toTime(epochMs: number): Buffer {
  const text = new Date(epochMs).toISOString().replace(/[-:T]/g, '').slice(0, 14);
  return encode(0x18, Buffer.from(`${text}Z`));
}

function toAddress(address: string): Buffer {
  return encode(0x87, Buffer.from(address.split('.').map(Number)));
}
