import { toCodeClass } from '../../../../common/model/records/record.ts';
import type { Words } from '../../../../common/words/words.ts';
import { markup, type Markup } from '../markup.ts';

/** A shape for each class, so that colour is not the only sign. */
const SHAPES: Readonly<Record<string, Markup>> = {
  '2xx': markup`<circle cx="4" cy="4" r="3.2" />`,
  '3xx': markup`<path d="M4 0L8 4L4 8L0 4Z" />`,
  '4xx': markup`<path d="M4 .6L8 7.4H0Z" />`,
  '5xx': markup`<rect x=".8" y=".8" width="6.4" height="6.4" />`,
  xxx: markup`<path
    fill-rule="evenodd"
    d="M4 .6a3.4 3.4 0 1 0 0 6.8a3.4 3.4 0 1 0 0-6.8M4 2.2a1.8 1.8 0 1 1 0 3.6a1.8 1.8 0 1 1 0-3.6"
  />`,
};

/** The marker of a class, as the style sheet names it. */
export function drawMarker(name: string): Markup {
  return markup`<svg class="c${name}" width="8" height="8" viewBox="0 0 8 8" aria-hidden="true">
    ${SHAPES[name] ?? null}
  </svg>`;
}

/** A response code with the marker and the colour of its class. */
export function writeCode(code: number | null, { t }: Pick<Words, 't'>): Markup {
  const found = toCodeClass(code);
  const name = found === 'none' ? 'xxx' : found;
  return markup`<span class="badge b${name}">${drawMarker(name)}${code ?? t('report.noCode')}</span>`;
}
