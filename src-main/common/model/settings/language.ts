import { Type, type Static } from 'typebox';

/** The languages that the application speaks; English is the one that others fall back to. */
export const LANGUAGES = ['en', 'es', 'pt', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A language, or that of the system. */
export const LanguageChoice = Type.Union(
  [Type.Literal('system'), Type.Literal('en'), Type.Literal('es'), Type.Literal('pt'), Type.Literal('de')],
  { default: 'system' },
);
export type LanguageChoice = Static<typeof LanguageChoice>;

/** English is written in one form everywhere: the day before the month, and a point before decimals. */
const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', es: 'es', pt: 'pt-BR', de: 'de' };

/**
 * Returns the language of a choice: for that of the system, the first of its languages (BCP 47, the preferred one
 * first) that the application speaks, or English.
 */
export function toLanguage(choice: LanguageChoice, systemLanguages: readonly string[]): Language {
  if (choice !== 'system') return choice;
  const spoken = systemLanguages.map(findLanguage).find((language) => language !== null);
  return spoken ?? 'en';
}

/**
 * Returns the locale that numbers and dates are written in: the system's own form of the language, such as `es-MX`,
 * where it has one.
 */
export function toLocale(language: Language, systemLanguages: readonly string[]): string {
  if (language === 'en') return LOCALES.en;
  return systemLanguages.find((tag) => findLanguage(tag) === language) ?? LOCALES[language];
}

function findLanguage(tag: string): Language | null {
  const [language] = tag.toLowerCase().split(/[-_]/);
  // Whatever else a system writes there, formats are only made of what the runtime knows.
  if (!isLocale(tag)) return null;
  return LANGUAGES.find((known) => known === language) ?? null;
}

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
