import type { Conversation } from '../../../src-main/common/model/records/conversation.ts';

/** Width of the longest strip, in pixels. */
const MAX_STRIP_PX = 52;
/** A conversation of this length, and any longer one, has the longest strip. */
const LONGEST_MS = 3_600_000;

function createSpan(className: string, text = ''): HTMLSpanElement {
  const span = document.createElement('span');
  span.className = className;
  span.textContent = text;
  return span;
}

/** The outcome with its shape. Cells are plain elements, since a scroll redraws hundreds of them a second. */
export function createOutcomeCell(outcome: Conversation['outcome'], name: string): HTMLElement {
  const cell = createSpan('conversation-outcome');
  cell.dataset['outcome'] = outcome;
  const mark = createSpan('conversation-mark');
  mark.setAttribute('aria-hidden', 'true');
  cell.append(mark, createSpan('', name));
  return cell;
}

/**
 * When its requests were: inbound above, outbound below, failures filled. As wide as the square root of its length, so that
 * short ones can be told apart beside long ones.
 */
export function createStripCell(
  { firstMs, lastMs, endMs, ticks, outcome }: Conversation,
  length: string,
): HTMLElement {
  const cell = createSpan('conversation-length num');
  const strip = createSpan('conversation-strip');
  strip.setAttribute('aria-hidden', 'true');
  strip.dataset['outcome'] = outcome;
  const share = Math.min(1, Math.sqrt(Math.max(0, endMs - firstMs) / LONGEST_MS));
  strip.style.width = `${Math.round(14 + share * (MAX_STRIP_PX - 14))}px`;
  for (const { atMs, isInbound, isFailed } of ticks) {
    const tick = createSpan('conversation-tick');
    tick.style.left = `${((atMs - firstMs) / Math.max(1, lastMs - firstMs)) * 100}%`;
    if (isInbound) tick.dataset['inbound'] = '';
    if (isFailed) tick.dataset['failed'] = '';
    strip.append(tick);
  }
  cell.append(strip, createSpan('conversation-span', length));
  return cell;
}

/** What took longest, with how long. */
export function createSlowestCell(name: HTMLElement | string, time: string): HTMLElement {
  const cell = createSpan('conversation-slowest num');
  const label = createSpan('conversation-slowest-name');
  label.append(name);
  cell.append(label, createSpan('conversation-slowest-time', time));
  return cell;
}
