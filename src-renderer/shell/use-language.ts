import { computed, shallowRef, watch, type ComputedRef } from 'vue';
import { useI18n } from 'vue-i18n';
import { toLanguage, toLocale, type Language } from '../../src-main/common/model/settings/language.ts';
import { setFormats } from '../format/formats.ts';
import { loadMessages } from '../messages/index.ts';
import { useAppStore } from '../stores/window/app.ts';

/** The language of the window. */
export interface WindowLanguage {
  readonly locale: ComputedRef<string>;
  /** Loads the language that the settings ask for, and speaks it; a failure leaves the one before. */
  apply(): Promise<void>;
}

/** Keeps the window in the language of the settings: its words, numbers, dates, and what it says of itself. */
export function useLanguage(): WindowLanguage {
  const app = useAppStore();
  const words = useI18n();
  const spoken = shallowRef<Language>('en');

  const systemLanguages = computed(() => app.info?.systemLanguages ?? []);
  const wanted = computed(() => toLanguage(app.settings?.language ?? 'system', systemLanguages.value));
  const locale = computed(() => toLocale(spoken.value, systemLanguages.value));

  async function apply(): Promise<void> {
    const language = wanted.value;
    await loadMessages({ global: words }, language);
    // Another one was chosen while this one was loaded.
    if (language !== wanted.value) return;
    spoken.value = language;
    words.locale.value = language;
    setFormats(locale.value);
    document.documentElement.lang = locale.value;
  }

  watch([wanted, systemLanguages], () => void apply().catch(() => undefined));
  return { locale, apply };
}
