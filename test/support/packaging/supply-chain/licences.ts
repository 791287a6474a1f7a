import { nameOf, type Lock } from './lock-file.ts';

/** Licences under which a package may be passed on with nothing but its notice. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
]);

/** What is allowed for single packages, each for a reason. */
const DECISIONS: readonly { readonly licence: string; readonly name: RegExp }[] = [
  // Fonts may be passed on within a program; they may not be sold by themselves, nor changed under their own names.
  { licence: 'OFL-1.1', name: /^@fontsource-variable\/(?:inter|jetbrains-mono)$/u },
  // It shrinks style sheets while the window is built. Nothing of it is in what is built.
  { licence: 'MPL-2.0', name: /^lightningcss(?:-|$)/u },
];

/** Whether a package may be bundled or run. An expression with OR is judged by its best part, one with AND by its worst. */
export function isAllowedLicence(name: string, expression: string): boolean {
  const isAllowed = (licence: string): boolean =>
    ALLOWED.has(licence) || DECISIONS.some((one) => one.licence === licence && one.name.test(name));
  const parts = expression.replaceAll(/[()]/gu, '').split(/\s+OR\s+/u);
  return parts.some((part) => part.split(/\s+AND\s+/u).every((licence) => isAllowed(licence.trim())));
}

/** Returns the packages of the lock file that may not be passed on, of those that are not tools only. */
export function findForbiddenLicences(lock: Lock): string[] {
  return Object.entries(lock.packages)
    .filter(([place, { dev }]) => place !== '' && dev !== true)
    .filter(([place, locked]) => !isAllowedLicence(nameOf(place, locked), locked.license ?? ''))
    .map(([place, { license }]) => `${place}: ${license ?? 'no licence'}`);
}
