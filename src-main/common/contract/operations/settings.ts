import { Type } from 'typebox';
import { CertificateDescription } from '../../model/settings/certificate.ts';
import { SetAsideSettings } from '../../model/settings/set-aside-settings.ts';
import {
  MAX_AUTHORITIES,
  MAX_CERTIFICATE_CHARACTERS,
  Settings,
  SettingsChange,
} from '../../model/settings/settings.ts';
import { Nothing, operation } from '../operation.ts';

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
