import type { Simulation } from '../../../src-main/common/model/connections/simulation.ts';
import { formatMeasure, formatPercent } from '../../format/numbers.ts';

type Translate = (key: string, values?: Record<string, unknown>) => string;

/** What is simulated, in a few words each; empty when nothing is. */
export function describeSimulation(simulation: Simulation, t: Translate): string[] {
  const { platformDown, connectorDown, latencyFactor, errorBurst, trafficFactor } = simulation;
  const parts: string[] = [];
  if (platformDown) parts.push(t('local-service.simulation.said.platformDown'));
  if (connectorDown) parts.push(t('local-service.simulation.said.connectorDown'));
  if (latencyFactor !== 1) {
    parts.push(t('local-service.simulation.said.latency', { factor: formatMeasure(latencyFactor) }));
  }
  if (errorBurst !== null) {
    const { channel, service, share } = errorBurst;
    const where = [
      ...(channel === null ? [] : [t('local-service.simulation.channel', { number: channel })]),
      ...(service === null ? [] : [t('local-service.simulation.service', { number: service })]),
    ].join(', ');
    const values = { share: formatPercent(share, 0), where };
    parts.push(t(`local-service.simulation.said.${where === '' ? 'errors' : 'errorsIn'}`, values));
  }
  if (trafficFactor === 0) parts.push(t('local-service.simulation.said.noTraffic'));
  else if (trafficFactor !== 1) {
    parts.push(t('local-service.simulation.said.traffic', { factor: formatMeasure(trafficFactor) }));
  }
  return parts;
}
