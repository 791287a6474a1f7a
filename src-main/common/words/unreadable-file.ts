import type english from './en/importing.json';
import type { SpokenKey } from './messages.ts';

/** Why a file can't be imported. */
export type ImportFault = keyof typeof english.faults;

export type ImportDetails = Readonly<Record<string, string | number>>;

/** Writes why a file can't be imported, and what to do, in the words of `t`; empty where the details don't say. */
export function writeUnreadable(
  t: (key: SpokenKey, values: ImportDetails) => string,
  details: ImportDetails,
): string {
  const { fileFault, unit, number = 0 } = details;
  if (fileFault === undefined) return '';
  const place = unit === undefined ? '' : t(`importing.places.${unit as Unit}`, { number });
  const again = { askAgain: t('importing.askAgain', {}), takeOut: t('importing.takeOut', {}) };
  return t(`importing.faults.${fileFault as ImportFault}`, { ...details, ...again, place });
}

type Unit = keyof typeof english.places;
