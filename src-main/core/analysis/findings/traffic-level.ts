/** After this time, what was seen counts half as much. */
const LEVEL_MEMORY_MINUTES = 90;
/** Requests at the usual level that count before anything was seen. */
const LEVEL_WEIGHT = 20;
const BLOCK_MINUTES = 5;
const FIRST_DISPERSION = 1.2;
const DISPERSION_MEMORY_BLOCKS = 48;
/** The most that one block may add: a single burst says nothing about other blocks. */
export const MAX_DISPERSION_OF_BLOCK = 12;

/** How the last hours compare with what is usual. */
export interface TrafficLevel {
  /** Ratio of the requests of the last hours to those that were usual then. */
  readRatio(): number;
  /** How much more than by chance requests vary: the ratio of variance to mean, over blocks of minutes. */
  readDispersion(): number;
  /** Learns from a minute in which nothing was unusual; `levelled` is what the level of that time made likely. */
  learn(seen: number, usual: number, levelled: number): void;
  /** What it has learned so far, to go on another way. */
  copy(): TrafficLevel;
}

/** Returns a level that has learned nothing yet but how much traffic varies on other days. */
export function createTrafficLevel(usualDispersion: number): TrafficLevel {
  return learnFrom({
    level: { seen: 0, usual: 0 },
    block: { minutes: 0, seen: 0, usual: 0 },
    dispersion: Math.max(FIRST_DISPERSION, usualDispersion),
  });
}

interface Learned {
  readonly level: { seen: number; usual: number };
  readonly block: { minutes: number; seen: number; usual: number };
  readonly dispersion: number;
}

function learnFrom({ level, block, dispersion: first }: Learned): TrafficLevel {
  const memory = 0.5 ** (1 / LEVEL_MEMORY_MINUTES);
  let dispersion = first;

  const endBlock = (): void => {
    const own = block.usual < 1 ? 1 : (block.seen - block.usual) ** 2 / block.usual;
    dispersion += (Math.min(own, MAX_DISPERSION_OF_BLOCK) - dispersion) / DISPERSION_MEMORY_BLOCKS;
    block.minutes = 0;
    block.seen = 0;
    block.usual = 0;
  };
  return {
    readRatio: () => (level.seen + LEVEL_WEIGHT) / (level.usual + LEVEL_WEIGHT),
    readDispersion: () => dispersion,
    learn(seen, usual, levelled) {
      level.seen = level.seen * memory + seen;
      level.usual = level.usual * memory + usual;
      block.minutes += 1;
      block.seen += seen;
      block.usual += levelled;
      if (block.minutes === BLOCK_MINUTES) endBlock();
    },
    copy: () => learnFrom({ level: { ...level }, block: { ...block }, dispersion }),
  };
}
