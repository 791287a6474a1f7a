export const LATENCY_FACTORS: readonly number[] = [1, 2, 5, 10, 20, 50];
export const TRAFFIC_FACTORS: readonly number[] = [0, 0.5, 1, 2, 5, 10, 20];
export const ERROR_SHARES: readonly number[] = [0, 0.05, 0.1, 0.25, 0.5, 1];
/** Numbers of the channels and services that the sample traffic has. */
export const SAMPLE_CHANNELS: readonly number[] = [1, 2, 3, 4, 5, 6];
export const SAMPLE_SERVICES: readonly number[] = [1, 2, 3, 4, 5, 6, 7, 8];
