import type { ImportFault } from '../../../src-main/common/model/connections/connection.ts';
import type {
  QuirkName,
  RecordImport,
  Simulation,
} from '../../../src-main/common/model/connections/local-service.ts';
import { formatMeasure, formatPercent } from '../../format/formats.ts';
import { formatValues } from '../../messages/format-values.ts';

/** The quirks, grouped by what they change in the service. */
export const QUIRK_GROUPS: readonly {
  readonly name: 'pages' | 'shape' | 'responses' | 'failures';
  readonly quirks: readonly QuirkName[];
}[] = [
  {
    name: 'pages',
    quirks: [
      'cursor-cycles',
      'cursor-expires',
      'cursor-never-empty',
      'cursor-repeats',
      'duplicate-records',
      'late-records',
      'small-pages',
      'total-capped',
    ],
  },
  {
    name: 'shape',
    quirks: [
      'corrected-spelling',
      'dates-dotnet',
      'dates-without-zone',
      'numbers-as-strings',
      'records-as-string',
      'records-key-data',
      'separate-outbound-summary',
      'status-nested',
      'status-text',
    ],
  },
  {
    name: 'responses',
    quirks: [
      'cut-body',
      'html-page',
      'invalid-with-400',
      'rate-limited',
      'require-token',
      'slow',
      'stalls',
      'token-30s',
      'unauthorised-mid-page',
    ],
  },
  {
    name: 'failures',
    quirks: [
      'always-200-error-text',
      'errors-as-json',
      'errors-with-names',
      'minus-one-no-answer',
      'normal-404',
      'two-99-failed',
      'vendor-4-digits',
      'zero-ok-one-failed',
    ],
  },
];

export const LATENCY_FACTORS: readonly number[] = [1, 2, 5, 10, 20, 50];
export const TRAFFIC_FACTORS: readonly number[] = [0, 0.5, 1, 2, 5, 10, 20];
export const ERROR_SHARES: readonly number[] = [0, 0.05, 0.1, 0.25, 0.5, 1];
/** Numbers of the channels and services that the sample traffic has. */
export const SAMPLE_CHANNELS: readonly number[] = [1, 2, 3, 4, 5, 6];
export const SAMPLE_SERVICES: readonly number[] = [1, 2, 3, 4, 5, 6, 7, 8];

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

type TranslateCount = (key: string, values: Record<string, unknown>, plural: number) => string;

/** Why a line was rejected, in the window's language: a sentence for each fault. */
export function toFaultText(faults: readonly ImportFault[], t: TranslateCount): string {
  return faults
    .map(({ code, values }) => t(`local-service.import.faults.${code}`, formatValues(values), 1))
    .join(' ');
}

/** The report as text for the clipboard: a line of counts, then each rejected record with its reason. */
export function toReportText({ fileName, report }: RecordImport, t: TranslateCount): string {
  const { lines, added, known, rejected, problems } = report;
  const counts = formatValues({ lines, added, known, rejected });
  const unlisted = formatValues({ count: rejected - problems.length });
  return [
    t('local-service.import.report.summary', { file: fileName, ...counts }, lines),
    ...problems.map(({ line, faults }) =>
      t('local-service.import.report.line', { line, reason: toFaultText(faults, t) }, 1),
    ),
    ...(rejected > problems.length
      ? [t('local-service.import.report.more', unlisted, rejected - problems.length)]
      : []),
    '',
  ].join('\n');
}
