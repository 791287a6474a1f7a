/** How many requests of a channel and service had an outcome in a slot of time: a row at each place of the columns. */
export interface TrafficCells {
  /** NaN stands for no channel, no service. */
  readonly channels: Float64Array;
  readonly services: Float64Array;
  /** Hours or minutes since the epoch. */
  readonly slots: Float64Array;
  readonly outcomes: Float64Array;
  readonly counts: Float64Array;
}

/** The cells of one channel and service. */
export type FlowColumns = Pick<TrafficCells, 'slots' | 'outcomes' | 'counts'>;

/** What was counted of a channel and service. */
export interface FlowCells {
  readonly channel: number;
  readonly service: number;
  readonly hours: FlowColumns;
  readonly minutes: FlowColumns;
  /** How long requests took to reach the connector, in place of how they ended. */
  readonly lateHours: FlowColumns;
  readonly lateMinutes: FlowColumns;
  readonly total: number;
}

export const NO_CELLS: TrafficCells = {
  channels: new Float64Array(),
  services: new Float64Array(),
  slots: new Float64Array(),
  outcomes: new Float64Array(),
  counts: new Float64Array(),
};

interface Flow {
  readonly channel: number;
  readonly service: number;
  readonly place: number;
  total: number;
}

/**
 * Divides cells among channels and services. There are hundreds of thousands of them: no cell is an object of its own,
 * neither here nor where they are read.
 */
export function divideByFlow(
  hours: TrafficCells,
  minutes: TrafficCells,
  late: { readonly hours: TrafficCells; readonly minutes: TrafficCells },
): FlowCells[] {
  const flows: Flow[] = [];
  const findFlow = createFlowFinder(flows);
  const number = ({ channels, services, counts }: TrafficCells, weight: 0 | 1): Uint32Array => {
    const flowOf = new Uint32Array(counts.length);
    for (let cell = 0; cell < flowOf.length; cell += 1) {
      const flow = findFlow(channels[cell] ?? NaN, services[cell] ?? NaN);
      flow.total += weight * (counts[cell] ?? 0);
      flowOf[cell] = flow.place;
    }
    return flowOf;
  };
  const numbered = [
    [hours, number(hours, 1)],
    [minutes, number(minutes, 1)],
    // The same requests once more.
    [late.hours, number(late.hours, 0)],
    [late.minutes, number(late.minutes, 0)],
  ] as const;
  const sorted = numbered.map(([cells, flowOf]) => sortByFlow(cells, flowOf, flows.length));
  return flows.map(({ channel, service, place, total }) => {
    const [own = NO_CELLS, ownMinutes = NO_CELLS, lateHours = NO_CELLS, lateMinutes = NO_CELLS] = sorted.map(
      (columns) => columns[place],
    );
    return { channel, service, hours: own, minutes: ownMinutes, lateHours, lateMinutes, total };
  });
}

/** Returns cells of longer slots, each of so many of those that are counted. */
export function sumCells(
  { channels, services, slots, outcomes, counts }: TrafficCells,
  of: number,
): TrafficCells {
  const flows: Flow[] = [];
  const findFlow = createFlowFinder(flows);
  const sums: Map<number, number>[] = [];
  for (let cell = 0; cell < counts.length; cell += 1) {
    const { place } = findFlow(channels[cell] as number, services[cell] as number);
    const own = (sums[place] ??= new Map());
    const key = Math.floor((slots[cell] as number) / of) * OUTCOME_SPAN + (outcomes[cell] as number);
    own.set(key, (own.get(key) ?? 0) + (counts[cell] as number));
  }
  const length = sums.reduce((total, { size }) => total + size, 0);
  const create = (): Float64Array => new Float64Array(length);
  const summed = {
    channels: create(),
    services: create(),
    slots: create(),
    outcomes: create(),
    counts: create(),
  };
  let cell = 0;
  for (const { channel, service, place } of flows) {
    for (const [key, count] of sums[place] ?? []) {
      const slot = Math.round(key / OUTCOME_SPAN);
      summed.channels[cell] = channel;
      summed.services[cell] = service;
      summed.slots[cell] = slot;
      summed.outcomes[cell] = key - slot * OUTCOME_SPAN;
      summed.counts[cell] = count;
      cell += 1;
    }
  }
  return summed;
}

/** More than twice as many as there are outcomes, whose numbers lie around zero. */
const OUTCOME_SPAN = 256;

function createFlowFinder(flows: Flow[]): (channel: number, service: number) => Flow {
  const found = new Map<number, Map<number, Flow>>();
  return (channel, service) => {
    let services = found.get(channel);
    if (services === undefined) {
      services = new Map();
      found.set(channel, services);
    }
    let flow = services.get(service);
    if (flow === undefined) {
      flow = { channel, service, place: flows.length, total: 0 };
      flows.push(flow);
      services.set(service, flow);
    }
    return flow;
  };
}

/** The columns of each flow, views of columns in which the cells of a flow follow one another. */
function sortByFlow(cells: TrafficCells, flowOf: Uint32Array, flowCount: number): FlowColumns[] {
  const ends = new Uint32Array(flowCount + 1);
  for (const flow of flowOf) ends[flow + 1] = (ends[flow + 1] ?? 0) + 1;
  for (let flow = 0; flow < flowCount; flow += 1) ends[flow + 1] = (ends[flow + 1] ?? 0) + (ends[flow] ?? 0);
  const next = ends.slice();
  const create = (): Float64Array => new Float64Array(flowOf.length);
  const sorted = { slots: create(), outcomes: create(), counts: create() };
  for (let cell = 0; cell < flowOf.length; cell += 1) {
    const flow = flowOf[cell] ?? 0;
    const place = next[flow] ?? 0;
    next[flow] = place + 1;
    sorted.slots[place] = cells.slots[cell] ?? 0;
    sorted.outcomes[place] = cells.outcomes[cell] ?? 0;
    sorted.counts[place] = cells.counts[cell] ?? 0;
  }
  return Array.from({ length: flowCount }, (_none, flow) => {
    const [from, until] = [ends[flow], ends[flow + 1]];
    return {
      slots: sorted.slots.subarray(from, until),
      outcomes: sorted.outcomes.subarray(from, until),
      counts: sorted.counts.subarray(from, until),
    };
  });
}
