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
