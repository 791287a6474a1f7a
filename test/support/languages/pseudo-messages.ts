import type { MessageTree } from './read-window-messages.ts';

/** Round each message, so that what comes from none shows; no data holds them. */
export const OPENING = '⟦';
export const CLOSING = '⟧';

const PLAIN = 'acdeinorsuyzACEINOSUYZ';
const ACCENTED = 'åçđéîñöŕšûýžÅÇÉÎÑÖŠÛÝŽ';
const GROWTH = 0.4;
const PADDING = 'õñé ţŵö ţĥŕéé ƒöûŕ ƒîṽé šîẋ šéṽéñ éîĝĥţ ñîñé ţéñ ';
/** Values, quoted characters and references to other messages: what vue-i18n replaces. */
const REPLACED = /\{[^{}]*\}|@(?:\.\w+)?:\S+/g;

/**
 * Turns messages into ones that a language with other letters and longer words might have: accents on every word,
 * brackets around each, two fifths longer. What is replaced in them stays.
 */
export function toPseudoMessages(messages: MessageTree): MessageTree {
  return Object.fromEntries(
    Object.entries(messages).map(([name, value]) => [
      name,
      typeof value === 'string' ? toPseudo(value) : toPseudoMessages(value),
    ]),
  );
}

/** One message, each of its plural forms. */
export function toPseudo(message: string): string {
  return message.split(' | ').map(toPseudoForm).join(' | ');
}

function toPseudoForm(text: string): string {
  const [, before = '', words = '', after = ''] = /^(\s*)(.*?)(\s*)$/su.exec(text) ?? [];
  // Signs and single values are the same in every language: `≥ {value}`.
  const own = words.replace(REPLACED, '');
  if ((own.match(/\p{L}/gu)?.length ?? 0) < 2) return text;
  const growth = Math.round(own.length * GROWTH);
  const padding = PADDING.repeat(Math.ceil(growth / PADDING.length))
    .slice(0, growth)
    .trim();
  return `${before}${OPENING}${accent(words)} ${padding}${CLOSING}${after}`;
}

function accent(text: string): string {
  const kept = text.match(REPLACED) ?? [];
  return text
    .split(REPLACED)
    .map((part, place) => part.replaceAll(/[A-Za-z]/g, accentLetter) + (kept[place] ?? ''))
    .join('');
}

function accentLetter(letter: string): string {
  const place = PLAIN.indexOf(letter);
  return place < 0 ? letter : (ACCENTED[place] ?? letter);
}
