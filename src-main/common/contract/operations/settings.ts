import { Type, type Static } from 'typebox';
import {
  SetAsideSettings,
  MAX_AUTHORITIES,
  MAX_CERTIFICATE_CHARACTERS,
  Settings,
  SettingsChange,
} from '../../model/settings/settings.ts';
import { Nothing, operation } from '../operation.ts';

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

export const settingsOperations = {
  'settings/get': operation(Nothing, Settings),
  'settings/update': operation(SettingsChange, Settings),
  /** What was saved and can't be used. */
  'settings/list-set-aside': operation(Nothing, SetAsideSettings),
  /** Reads what the certificates of a PEM file say; rejects with `settings.no-certificate` where it holds none. */
  'settings/read-certificates': operation(
    Type.Object({ pem: Type.String({ maxLength: MAX_AUTHORITIES * MAX_CERTIFICATE_CHARACTERS }) }),
    Type.Array(CertificateDescription),
  ),
};

export const settingsEvents = { 'settings/changed': Settings };

export type CertificateDescription = Static<typeof CertificateDescription>;
