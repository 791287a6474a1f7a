import { Type, type Static } from 'typebox';

/** What a certificate says of itself. */
export const CertificateDescription = Type.Object({
  /** The certificate alone, as PEM. */
  pem: Type.String(),
  /** The common name, or else the whole subject in one line. */
  name: Type.String(),
  validFromMs: Type.Integer(),
  validToMs: Type.Integer(),
  /** SHA-256 over its bytes, in hexadecimal with colons. */
  fingerprint: Type.String(),
  /** It may sign other certificates. */
  isAuthority: Type.Boolean(),
});
export type CertificateDescription = Static<typeof CertificateDescription>;
