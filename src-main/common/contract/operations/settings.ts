import { Settings, SettingsChange } from '../../model/settings.ts';
import { Nothing, operation } from '../operation.ts';

export const settingsOperations = {
  'settings/get': operation(Nothing, Settings),
  'settings/update': operation(SettingsChange, Settings),
};

export const settingsEvents = { 'settings/changed': Settings };
