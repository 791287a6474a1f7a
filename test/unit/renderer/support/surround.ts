import { ref, toRef, type MaybeRef } from 'vue';
import { directionKey, nowKey } from '../../../../src-renderer/composables/surroundings.ts';
import type { Direction } from '../../../../src-main/common/reporting/reports.ts';

/** Gives a component that is mounted alone what its screen would: the direction of its records, and the present moment. */
export function surround<Global extends object>(
  global: Global,
  { direction = 'inbound', nowMs }: { direction?: MaybeRef<Direction>; nowMs?: number },
): Global & { provide: Record<symbol, unknown> } {
  const before = 'provide' in global ? (global.provide as Record<symbol, unknown>) : {};
  return {
    ...global,
    provide: {
      ...before,
      [directionKey as symbol]: toRef(direction),
      ...(nowMs === undefined ? {} : { [nowKey as symbol]: ref(nowMs) }),
    },
  };
}
