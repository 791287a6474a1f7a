import type { ConnectionGlance } from '../../common/contract/operations/overview.ts';
import type { HandlersOf } from '../../common/contract/index.ts';
import type { HistogramSeries } from '../../common/model/records/histogram.ts';
import { listSetAside } from '../../common/model/connections/planned-spans.ts';
import { DETAIL_KINDS, type DetailKind } from '../../common/reporting/reports.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { Cache } from '../cache/cache.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import { listLacking } from '../coverage/read-holdings.ts';
import type { Ledger } from '../coverage/create-ledger.ts';
import type { Monitor } from '../monitor/create-monitor.ts';
import { readTraffic, toGlanceHealth, type GlanceSource } from './read-glance.ts';

const STATUS_SPAN_MS = DAY_MS;

/** The handlers of `glance/…`. */
export function createGlanceHandlers(parts: {
  readonly cache: Cache;
  readonly engine: Pick<Engine, 'readHistogram'>;
  readonly connections: Pick<ConnectionStore, 'list'>;
  readonly ledger: Pick<Ledger, 'read'>;
  readonly monitor: Pick<Monitor, 'noteShown'>;
  now(): number;
}): HandlersOf<'glance'> {
  const { cache, engine, connections, ledger, monitor, now } = parts;
  const toSource = (connectionId: string, report: DetailKind): GlanceSource => ({
    async count(edges) {
      const { buckets, series } = await engine.readHistogram({
        scope: { connectionId, report, fromMs: edges[0] ?? 0, toMs: edges.at(-1) ?? 0 },
        filter: { conditions: [] },
        edges: [...edges],
        split: 'class',
        withMedian: false,
      });
      return buckets.map(({ fromMs, toMs, counts }) => ({
        fromMs,
        toMs,
        count: counts.reduce((sum, count) => sum + count, 0),
        failures: counts.reduce((sum, count, place) => sum + (isFailure(series[place]) ? count : 0), 0),
      }));
    },
    async findUncached(fromMs, toMs) {
      return listLacking((await ledger.read({ connectionId, report }, { fromMs, toMs })).spans);
    },
  });
  return {
    'glance/read': async () => {
      const nowMs = now();
      const glances: ConnectionGlance[] = [];
      const listed = await connections.list();
      // Counting takes its time: the checks run beside it.
      for (const { id } of listed) monitor.noteShown(id);
      for (const { id, plans } of listed) {
        const history = await cache.readStatusHistory({
          connectionId: id,
          spanMs: STATUS_SPAN_MS,
          ticks: 1,
          nowMs,
        });
        const traffic = await readTraffic(
          DETAIL_KINDS.map((report) => toSource(id, report)),
          nowMs,
          listSetAside(plans, { fromMs: nowMs - DAY_MS, toMs: nowMs }).filter(
            ({ channel, service }) => channel === undefined && service === undefined,
          ),
        );
        glances.push({ connectionId: id, ...toGlanceHealth(history), ...traffic });
      }
      return glances;
    },
  };
}

function isFailure(series: HistogramSeries | undefined): boolean {
  return series?.kind === 'class' && (series.codeClass === '4xx' || series.codeClass === '5xx');
}
