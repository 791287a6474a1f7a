import { mount } from '@vue/test-utils';
import { describe, expect, it } from 'vitest';
import { nextTick, shallowRef } from 'vue';
import type { RecordFilter } from '../../../../src-main/common/model/records/record-filter.ts';
import { toZoomedSpan, useTimeZoom } from '../../../../src-renderer/screens/detail/detail-address.ts';

const CHANNEL = { field: 'channel' as const, values: [3] };
const within = (min: number, max: number) => ({ field: 'dateMs' as const, min, max });

function useZoom(first: RecordFilter) {
  const filter = shallowRef(first);
  let zoom!: ReturnType<typeof useTimeZoom>;
  mount({
    setup() {
      zoom = useTimeZoom(
        () => filter.value,
        (next) => (filter.value = next),
      );
      return () => null;
    },
  });
  return { filter, zoom };
}

describe('zooming', () => {
  it('goes back one time after the other, and leaves the other conditions alone', async () => {
    const { filter, zoom } = useZoom({ conditions: [] });
    zoom.zoomIn({ fromMs: 100, toMs: 900 });
    await nextTick();
    zoom.zoomIn({ fromMs: 200, toMs: 300 });
    await nextTick();
    filter.value = { conditions: [...filter.value.conditions, CHANNEL] };
    await nextTick();
    zoom.zoomOut();
    await nextTick();
    expect(filter.value.conditions).toEqual([CHANNEL, within(100, 900)]);
    zoom.zoomOut();
    await nextTick();
    expect(filter.value.conditions).toEqual([CHANNEL]);
    expect(zoom.canZoomOut.value).toBe(false);
    zoom.zoomOut();
    expect(filter.value.conditions).toEqual([CHANNEL]);
  });

  it('knows the way after a step back that the browser made', async () => {
    const { filter, zoom } = useZoom({ conditions: [] });
    zoom.zoomIn({ fromMs: 100, toMs: 900 });
    await nextTick();
    const before = filter.value;
    zoom.zoomIn({ fromMs: 200, toMs: 300 });
    await nextTick();
    filter.value = before;
    await nextTick();
    zoom.zoomOut();
    expect(filter.value.conditions).toEqual([]);
  });

  it('leads to the whole period from a time that the address brought along', () => {
    const { filter, zoom } = useZoom({ conditions: [within(5, 9)] });
    zoom.zoomOut();
    expect(filter.value.conditions).toEqual([]);
  });

  it('narrows what is charted, and never to nothing', () => {
    const span = { fromMs: 0, toMs: 1000 };
    const zoom = (...conditions: RecordFilter['conditions']) => toZoomedSpan({ conditions }, span);
    expect(zoom(CHANNEL)).toEqual(span);
    expect(zoom(within(200, 300))).toEqual({ fromMs: 200, toMs: 300 });
    expect(zoom({ field: 'dateMs', min: 400 })).toEqual({ fromMs: 400, toMs: 1000 });
    expect(zoom({ ...within(200, 300), exclude: true })).toEqual(span);
    expect(zoom(within(5000, 6000))).toEqual(span);
  });
});
