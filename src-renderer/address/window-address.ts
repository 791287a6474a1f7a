import { computed, type ComputedRef, onScopeDispose, watch, type WritableComputedRef } from 'vue';
import {
  type LocationQuery,
  type LocationQueryRaw,
  type RouteLocationNormalized,
  type RouteLocationRaw,
  type RouteParams,
  START_LOCATION,
  useRoute,
  useRouter,
} from 'vue-router';
import { fromPeriodText, type PeriodSelection, toPeriodText } from '../period/period-selection.ts';
import { useConnectionsStore } from '../stores/connections/connections.ts';
import { useAppStore } from '../stores/window/app.ts';
import { usePeriodStore } from '../stores/window/times.ts';

type QueryValue = string | null | undefined | readonly (string | null)[];

/** The parts of an address by their names, as the router reads them. */
export type AddressQuery = Readonly<Record<string, QueryValue>>;

/** Returns a part of an address as it stands there, the first of several; '' where it is missing. */
export function toQueryText(query: AddressQuery, name: string): string {
  const value = query[name];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}

/** Puts another part in the place of the one that an address has; '' takes it out. */
export function withQueryText(query: LocationQuery, name: string, text: string): LocationQueryRaw {
  return { ...query, [name]: text === '' ? undefined : text };
}

/**
 * A choice that the address of a screen carries: back and forward undo and redo it. Null where it names none; `options` is
 * the list of them, or knows one.
 */
export function useAddressChoice<Option extends string>(
  name: string,
  options: readonly Option[] | ((text: string) => text is Option),
): WritableComputedRef<Option | null> {
  const route = useRoute();
  const router = useRouter();
  const find = (text: string): Option | null => {
    if (typeof options === 'function') return options(text) ? text : null;
    return options.find((option) => option === text) ?? null;
  };
  return computed({
    get: () => find(toQueryText(route.query, name)),
    set: (next) => {
      if (next === toQueryText(route.query, name)) return;
      void router.push({ params: route.params, query: withQueryText(route.query, name, next ?? '') });
    },
  });
}

/** What of the window an address carries; a screen without periods names none. */
type Shown = Partial<Record<'connection' | 'period', string>>;

/** A snapshot that was opened by itself gives way to what is chosen, also to the period that it was opened from. */
function withoutSnapshot(params: RouteParams): RouteParams {
  return 'snapshotId' in params ? { ...params, snapshotId: '' } : params;
}

/**
 * Keeps the connection and the period of this window and those of its address the same. The address wins when it is
 * opened, by a link, back or forward; one that names none gets those of the window; what is chosen is a step of its own.
 */
export function useWindowAddress(): { readonly isUnknown: ComputedRef<boolean>; mend(): void } {
  const app = useAppStore();
  const connections = useConnectionsStore();
  const periods = usePeriodStore();
  const router = useRouter();
  let fromAddress: PeriodSelection | null = null;
  /** Where the window is on its way to. */
  let pending: string | null = null;

  function readShown({ meta }: Pick<RouteLocationNormalized, 'meta'>): Shown {
    const { shownId } = connections;
    return {
      ...(meta['withoutShell'] === true || shownId === null ? {} : { connection: shownId }),
      ...(meta['hasPeriod'] === true ? { period: toPeriodText(periods.selection) } : {}),
    };
  }

  /** Returns whether a part of an address can be shown here. */
  function isReadable(part: string, text: string): boolean {
    return part === 'period'
      ? fromPeriodText(text) !== null
      : connections.list.some((connection) => connection.id === text);
  }

  function follow(to: RouteLocationNormalized, from: RouteLocationNormalized): void {
    if (to === START_LOCATION) return;
    const read = (part: keyof Shown): string => toQueryText(to.query, part);
    // What a screen hands on from its own address is no choice of that address.
    const isNew = (part: keyof Shown): boolean =>
      from === START_LOCATION || read(part) !== toQueryText(from.query, part);
    const connection = read('connection');
    if (isNew('connection') && isReadable('connection', connection)) connections.show(connection);
    const selection =
      to.meta['hasPeriod'] === true && isNew('period') ? fromPeriodText(read('period')) : null;
    if (selection !== null && read('period') !== toPeriodText(periods.selection)) {
      fromAddress = selection;
      periods.select(selection);
    }
    const stale = Object.entries(readShown(to)).filter(([part, shown]) => {
      const text = toQueryText(to.query, part);
      return text === '' || (text !== shown && isReadable(part, text));
    });
    if (stale.length > 0)
      void router.replace({ params: to.params, query: { ...to.query, ...Object.fromEntries(stale) } });
  }

  // What leads somewhere names what this window shows: a link that is opened in another window shows the same there.
  const { resolve, push, replace } = router;
  function complete(to: RouteLocationRaw): RouteLocationRaw {
    const { path, hash, query, meta } = resolve(to);
    return { path, hash, query: { ...readShown({ meta }), ...query } };
  }
  router.resolve = (to: RouteLocationRaw) => resolve(complete(to));
  router.push = (to) => push(complete(to));
  router.replace = (to) => replace(complete(to));
  onScopeDispose(() => Object.assign(router, { resolve, push, replace }));

  router.beforeEach(({ fullPath }) => {
    pending = fullPath;
  });
  router.afterEach((to, from, failure) => {
    if (pending === to.fullPath) pending = null;
    if (failure === undefined) follow(to, from);
  });
  // A screen that can't be loaded is not on its way any more.
  router.onError(() => {
    pending = null;
  });

  // Before, the address may name one; the one shown last may be removed, and another takes its place.
  watch(
    () => (connections.isLoaded && app.settings !== null ? connections.active?.id : undefined),
    (id) => {
      const isFirst = connections.shownId === null;
      if (id !== undefined) connections.show(id);
      if (isFirst) follow(router.currentRoute.value, START_LOCATION);
    },
    { immediate: true },
  );

  watch(
    () => [periods.selection, connections.shownId] as const,
    async ([selection, shownId], [, before]) => {
      // What chose them may open another screen with them in the same breath: a step of its own would cancel that.
      await new Promise((resolve) => setTimeout(resolve));
      if (pending !== null || selection !== periods.selection || shownId !== connections.shownId) return;
      const { name, meta, query, params } = router.currentRoute.value;
      const shown = readShown({ meta });
      const isNamed = Object.entries(shown).every(([part, text]) => toQueryText(query, part) === text);
      const leavesSnapshot = Boolean(params['snapshotId']) && selection !== fromAddress;
      if ((before === null && shownId !== null) || (isNamed && !leavesSnapshot)) return;
      // A record belongs to its connection.
      const other = shownId === toQueryText(query, 'connection') ? {} : { record: undefined };
      const isRemoved = before !== null && connections.list.every(({ id }) => id !== before);
      const target = {
        name: name ?? '',
        params: withoutSnapshot(params),
        query: { ...query, ...shown, ...other },
      };
      await (isRemoved ? router.replace(target) : router.push(target));
    },
  );

  return {
    /** The address names a connection that isn't saved here; another one is shown. */
    isUnknown: computed(() => {
      const named = toQueryText(router.currentRoute.value.query, 'connection');
      return named !== '' && connections.shownId !== null && !connections.list.some(({ id }) => id === named);
    }),
    /** Names what is shown in its place. */
    mend(): void {
      const { params, query } = router.currentRoute.value;
      void router.replace({ params, query: { ...query, ...readShown(router.currentRoute.value) } });
    },
  };
}
