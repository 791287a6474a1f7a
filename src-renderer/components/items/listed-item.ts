import type { Component } from 'vue';

/** How an item stands: its mark and its state are drawn alike for alerts, schedules, and whatever follows. */
export type ItemTone = 'good' | 'partial' | 'bad';

/** A saved item as the list beside its editor shows it. */
export interface ListedItem {
  readonly id: string;
  readonly name: string;
  readonly tone: ItemTone;
  /** Takes the place of the dot in the colour of the tone. */
  readonly icon: Component | null;
  /** The icon turns. */
  readonly isRunning: boolean;
  readonly isOff: boolean;
  /** What the item does, between its name and its state; empty where the name says it. */
  readonly about: string;
  readonly state: string;
  /** Empty where there is nothing to add. */
  readonly note: string;
}
