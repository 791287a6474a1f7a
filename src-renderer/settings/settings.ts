import {
  getSettingEntry,
  readDefault,
  SETTING_ENTRIES,
  type Settings,
  type SettingsChange,
  type SettingSectionName,
  type SettingUnit,
  type ShownSetting,
} from '../../src-main/common/model/settings/settings.ts';
import { useI18n } from 'vue-i18n';
import { readSettingSchema, type SettingFault } from '../../src-main/common/model/settings/settings-file.ts';
import { labelOptions, type Option, withChosen } from '../components/controls/options.ts';
import { formatBytes, formatCount } from '../format/formats.ts';
import { computed, type ComputedRef } from 'vue';
import { type Attempt, useAttempt } from '../composables/use-query.ts';
import { useAppStore } from '../stores/window/app.ts';

const MB_BYTES = 1_000_000;

/** The words of settings: their names, what they do, and their values. */
export function useSettingWords() {
  const { t, te } = useI18n();

  const toNumber = (value: number, unit: SettingUnit): string => {
    switch (unit) {
      case 'seconds':
        if (value === 0) return t('settings.units.onRequest');
        return value % 60 === 0
          ? t('settings.units.minutes', { count: value / 60 })
          : t('settings.units.seconds', { count: value });
      case 'days':
        if (value === 0) return t('settings.units.always');
        return t('settings.units.days', { count: formatCount(value) }, value);
      case 'bytes':
        return value === 0 ? t('settings.units.anySize') : formatBytes(value);
      case 'megabytes':
        return formatBytes(value * MB_BYTES);
    }
  };

  /** A value in words, as a control shows it. */
  const toValue = (name: ShownSetting, value: unknown): string => {
    const { unit } = getSettingEntry(name);
    if (typeof value === 'boolean') return t(value ? 'settings.units.on' : 'settings.units.off');
    if (typeof value === 'number') return unit === undefined ? formatCount(value) : toNumber(value, unit);
    if (Array.isArray(value))
      return t('settings.units.entries', { count: formatCount(value.length) }, value.length);
    if (value === '') return t('settings.units.empty');
    const key = `settings.choices.${name}.${String(value)}`;
    return te(key) ? t(key) : String(value);
  };

  /** The words that can be chosen from. */
  const listOptions = (name: ShownSetting): Option<string>[] =>
    labelOptions(
      // Beside words a schema may allow texts, which are no list.
      (readSettingSchema(name).anyOf ?? []).flatMap(({ const: word }) =>
        typeof word === 'string' ? [word] : [],
      ),
      (value) => toValue(name, value),
    );

  /** The numbers that can be chosen from, with one among them that was set elsewhere. */
  const listNumbers = (name: ShownSetting, current: unknown): Option<number>[] =>
    labelOptions(withChosen(getSettingEntry(name).choices ?? [], Number(current)), (value) =>
      toValue(name, value),
    );

  return {
    toLabel: (name: ShownSetting): string => t(`settings.labels.${name}`),
    toHelp: (name: ShownSetting): string => (te(`settings.help.${name}`) ? t(`settings.help.${name}`) : ''),
    toValue,
    listOptions,
    listNumbers,
    toFault: ({ code, limit = 0 }: SettingFault): string =>
      t(`settings.faults.${code}`, { limit: formatCount(limit) }),
  };
}

/** A setting as a control shows and changes it. */
export function useSetting<Name extends ShownSetting>(
  readName: () => Name,
): {
  readonly value: ComputedRef<Settings[Name]>;
  /** Why the last change could not be saved. */
  readonly error: Attempt['error'];
  /** Saves at once; resolves to false where that failed. */
  set(value: Settings[Name]): Promise<boolean>;
} {
  const app = useAppStore();
  const { error, attempt } = useAttempt();
  return {
    value: computed(() => app.settings?.[readName()] ?? readDefault(readName())),
    error,
    set: (value) => attempt(() => app.update({ [readName()]: value })),
  };
}

/** Returns the change that makes a section, or (null) every section, as it was at first. */
export function toDefaults(section: SettingSectionName | null): SettingsChange {
  const entries = SETTING_ENTRIES.filter((entry) => section === null || entry.section === section);
  return Object.fromEntries(entries.map(({ name }) => [name, readDefault(name)]));
}
