import { computed, type ComputedRef, type Ref } from 'vue';
import { useI18n } from 'vue-i18n';
import { useSettingWords } from '../../settings/setting-words.ts';
import { useAppStore } from '../../stores/window/app.ts';
import { useUpdatesStore } from '../../stores/window/updates.ts';
import { isFound, listSections, type SectionRows, type SettingsRow } from './layout.ts';

/** The sections with the rows that the typed words find, by name, help, values or section; all without words. */
export function useFoundSections(typed: Readonly<Ref<string>>): ComputedRef<readonly SectionRows[]> {
  const { t, te } = useI18n();
  const app = useAppStore();
  const updates = useUpdatesStore();
  const words = useSettingWords();

  const listTexts = (row: SettingsRow): string[] => {
    const group = row.group === '' ? [] : [t(`settings.groups.${row.group}`)];
    if (row.kind === 'setting') {
      const choices = words.listOptions(row.name).map(({ label }) => label);
      return [...group, words.toLabel(row.name), words.toHelp(row.name), ...choices];
    }
    const own = [`settings.rows.${row.name}.label`, `settings.rows.${row.name}.help`];
    return [...group, ...own.filter((key) => te(key)).map((key) => t(key))];
  };
  return computed(() => {
    const text = typed.value.trim();
    const all = listSections({
      hasTray: app.info?.host === 'desktop' && !app.isMac,
      canUpdate: updates.canUpdate,
      settings: app.settings,
    });
    if (text === '') return all;
    return all
      .map(({ name, rows }) => {
        const section = t(`settings.sections.${name}`);
        return { name, rows: rows.filter((row) => isFound([section, ...listTexts(row)].join(' '), text)) };
      })
      .filter(({ rows }) => rows.length > 0);
  });
}
