import { useIntervalFn, useMediaQuery, useTimestamp } from '@vueuse/core';
import { computed, inject, type InjectionKey, provide, type Ref, toRef } from 'vue';
import type { PartContent, PartDraft, PartQuestion } from '../../src-main/common/model/cases/case.ts';
import type { ConnectionPlans } from '../../src-main/common/model/connections/planned.ts';
import type { Clock } from '../../src-main/common/model/period.ts';
import type { Settings } from '../../src-main/common/model/settings/settings.ts';
import type { Direction } from '../../src-main/common/reporting/reports.ts';

const SCROLLS = ['auto', 'scroll'];

/** Returns what scrolls an element's content: itself, or where a narrow window lets it be as high as it is, what is around it. */
export function findScroller(element: HTMLElement): HTMLElement {
  for (let one: HTMLElement | null = element; one !== null; one = one.parentElement) {
    if (SCROLLS.includes(getComputedStyle(one).overflowY) && one.scrollHeight > one.clientHeight) return one;
  }
  return element;
}

/**
 * True where a window is too narrow for parts beside each other, as one of 1280 pixels is when everything is four times as
 * large: its parts follow each other in one column that scrolls. Styles ask the same with `width < 760px`.
 */
export function useNarrowWindow(): Readonly<Ref<boolean>> {
  return useMediaQuery('(width < 760px)');
}

/** Returns true while a dialog is open that everything behind it waits for. */
export function isModalOpen(): boolean {
  return document.querySelector('.cs-scrim') !== null;
}

// What is the same for all parts of a screen is given from above, not passed from part to part.

type Given<Value> = Readonly<Ref<Value>>;

/** The zone that times are shown in; the window gives that of the connection's clock. */
export const zoneKey: InjectionKey<Given<string>> = Symbol('zone');

export function useZone(): Given<string> {
  return inject(zoneKey, () => computed(() => 'UTC'), true);
}

/** Planned times and marks of what is shown; the window gives those of its connection. */
export const timePlansKey: InjectionKey<Given<ConnectionPlans | undefined>> = Symbol('time plans');

export function useTimePlans(): Given<ConnectionPlans | undefined> {
  return inject(timePlansKey, () => computed(() => undefined), true);
}

/** The present moment in epoch milliseconds, renewed every `intervalMs`, for ages and countdowns. */
export function useClock(intervalMs = 1000): Given<number> {
  return useTimestamp({ scheduler: (renew) => useIntervalFn(renew, intervalMs) });
}

/** The present moment of a screen: all its ages are as of the same one. */
export const nowKey: InjectionKey<Given<number>> = Symbol('now');

/** Gives the parts of a screen the present moment, renewed at the pace that suits it. */
export function useScreenClock(intervalMs?: number): Given<number> {
  const nowMs = useClock(intervalMs);
  provide(nowKey, nowMs);
  return nowMs;
}

export function useNow(): Given<number> {
  return inject(nowKey, () => useClock(), true);
}

/** The direction that a screen, or an inspector beside it, shows the records of. */
export const directionKey: InjectionKey<Given<Direction>> = Symbol('direction');

export function provideDirection(read: () => Direction): void {
  provide(directionKey, toRef(read));
}

export function useDirection(): Given<Direction> {
  const direction = inject(directionKey, null);
  if (direction === null) throw new Error('Nothing around this component gives a direction.');
  return direction;
}

/** What can be added to a case: what it is called, what it answers, and how what it shows is read. */
export interface CaseOffer extends Pick<PartDraft, 'kind' | 'title'> {
  readonly question: PartQuestion;
  /** Read when a person has chosen the case. */
  readContent(): PartContent | Promise<PartContent>;
}

/** Asks which case something is added to. */
export const caseDoorKey: InjectionKey<(offer: CaseOffer) => void> = Symbol('case door');

/** What the charts of a screen are of, so that each can be added to a case; null while it isn't known. */
export const caseQuestionKey: InjectionKey<() => PartQuestion | null> = Symbol('case question');

/** The clocks of the active connection, and the one that its times are shown in. */
export interface ShellClock {
  readonly choice: Clock;
  readonly zones: Readonly<Record<Clock, string>>;
  readonly nowMs: number;
}

/** What every screen's toolbar needs of the shell around it. */
interface ShellContext {
  readonly theme: Readonly<Ref<'system' | 'light' | 'dark'>>;
  readonly isMac: Readonly<Ref<boolean>>;
  readonly weekStart: Readonly<Ref<Settings['weekStart']>>;
  /** Null without a connection. */
  readonly clock: Readonly<Ref<ShellClock | null>>;
  chooseClock(choice: Clock): void;
  /** The address names a connection that isn't saved here; another one is shown. */
  readonly unknownConnection: Readonly<Ref<boolean>>;
  /** Names the connection that is shown in its place. */
  keepConnection(): void;
  cycleTheme(): void;
  /** Says which screen is shown, for the title of the window. */
  nameScreen(name: string): void;
  openPalette(): void;
  /** Shows what Help says of an error code. */
  explainError(code: string): void;
}

export const shellKey: InjectionKey<ShellContext> = Symbol('shell');

/** The shell around the component, or nothing when it is mounted alone. */
export function useShell(): ShellContext | null {
  return inject(shellKey, null);
}
