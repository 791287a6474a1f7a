export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

type Size = Pick<Box, 'width' | 'height'>;

const GAP_PX = 12;

/**
 * Returns where a card stands beside what it points at, in pixels of the window: below, above, right or left of it,
 * whichever has room first, or else in the lower right corner, where the least is covered. It is never cut.
 */
export function placeCard(target: Box | null, card: Size, window: Size): Pick<Box, 'left' | 'top'> {
  const clampLeft = (left: number) => clamp(left, window.width - card.width - GAP_PX);
  const clampTop = (top: number) => clamp(top, window.height - card.height - GAP_PX);
  const corner = { left: clampLeft(Infinity), top: clampTop(Infinity) };
  if (target === null) return corner;
  const right = target.left + target.width;
  const bottom = target.top + target.height;
  const left = clampLeft(target.left);
  const top = clampTop(target.top);
  const sides = [
    { left, top: bottom + GAP_PX },
    { left, top: target.top - GAP_PX - card.height },
    { left: right + GAP_PX, top },
    { left: target.left - GAP_PX - card.width, top },
  ];
  const hasRoom = (place: Pick<Box, 'left' | 'top'>): boolean =>
    place.left >= GAP_PX &&
    place.top >= GAP_PX &&
    place.left + card.width + GAP_PX <= window.width &&
    place.top + card.height + GAP_PX <= window.height;
  return sides.find(hasRoom) ?? corner;
}

/** Room that a ring takes around what it is about, itself included. */
const RING_PX = 4;

/** Returns where the ring around what a card points at is drawn: whole, also at the edge of the window. */
export function placeRing({ left, top, width, height }: Box, window: Size): Box {
  const start = { left: Math.max(0, left - RING_PX), top: Math.max(0, top - RING_PX) };
  return {
    ...start,
    width: Math.min(window.width, left + width + RING_PX) - start.left,
    height: Math.min(window.height, top + height + RING_PX) - start.top,
  };
}

const clamp = (value: number, max: number): number => Math.max(GAP_PX, Math.min(value, max));
