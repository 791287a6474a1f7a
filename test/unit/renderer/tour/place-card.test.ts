import { expect, test } from 'vitest';
import { placeCard, placeRing } from '../../../../src-renderer/tour/tour.ts';

const card = { width: 320, height: 140 };
const page = { width: 1024, height: 700 };

test('the card stands below what it points at, or else above, right or left of it', () => {
  expect(placeCard({ left: 100, top: 10, width: 200, height: 30 }, card, page)).toEqual({
    left: 100,
    top: 52,
  });
  expect(placeCard({ left: 100, top: 500, width: 200, height: 100 }, card, page)).toEqual({
    left: 100,
    top: 348,
  });
  expect(placeCard({ left: 56, top: 44, width: 600, height: 650 }, card, page)).toEqual({
    left: 668,
    top: 44,
  });
  expect(placeCard({ left: 640, top: 44, width: 384, height: 650 }, card, page)).toEqual({
    left: 308,
    top: 44,
  });
});

test('the card is never cut, and has a corner where nothing else has room', () => {
  expect(placeCard({ left: 1000, top: 10, width: 20, height: 20 }, card, page)).toEqual({
    left: 692,
    top: 42,
  });
  const corner = { left: 692, top: 548 };
  expect(placeCard({ left: 0, top: 0, width: 1024, height: 700 }, card, page)).toEqual(corner);
  expect(placeCard(null, card, page)).toEqual(corner);
  expect(placeCard(null, card, { width: 200, height: 100 })).toEqual({ left: 12, top: 12 });
});

test('the ring around it is whole at the edges of the window', () => {
  expect(placeRing({ left: 100, top: 10, width: 200, height: 30 }, page)).toEqual({
    left: 96,
    top: 6,
    width: 208,
    height: 38,
  });
  expect(placeRing({ left: 640, top: 0, width: 384, height: 700 }, page)).toEqual({
    left: 636,
    top: 0,
    width: 388,
    height: 700,
  });
});
