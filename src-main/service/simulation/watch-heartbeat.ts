import { readFile, stat } from 'node:fs/promises';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { ReportedPlatform } from './simulated-platform.ts';

const READ_EVERY_MS = 1_000;

/** What a platform may write into its heartbeat file; an empty file says that it is up. */
const Heartbeat = Type.Object({
  platform: Type.Optional(Type.Union([Type.Literal('up'), Type.Literal('down')])),
  connector: Type.Optional(Type.Union([Type.Literal('up'), Type.Literal('down')])),
});

export interface HeartbeatOptions {
  readonly file: string;
  /** A file that was written longer ago says that the platform is down. */
  readonly maxAgeMs: number;
}

/** The status of a platform that writes a file again and again. */
export interface Heartbeat extends ReportedPlatform {
  stop(): void;
}

/**
 * Says that the platform or its connector is down where its heartbeat file says so, is missing, or was not written for
 * too long; what is simulated counts besides. The file is looked at once a second.
 */
export async function watchHeartbeat(
  platform: ReportedPlatform,
  { file, maxAgeMs }: HeartbeatOptions,
  now: () => number,
): Promise<Heartbeat> {
  let writtenMs = -Infinity;
  let stated: Static<typeof Heartbeat> = {};
  let connectorChangedMs = -Infinity;
  const look = async (): Promise<void> => {
    try {
      const { mtimeMs } = await stat(file);
      const heartbeat = parseHeartbeat(await readFile(file, 'utf8'));
      if (heartbeat.connector !== stated.connector && writtenMs > -Infinity) connectorChangedMs = now();
      stated = heartbeat;
      writtenMs = mtimeMs;
    } catch {
      writtenMs = -Infinity;
    }
  };
  await look();
  const timer = setInterval(() => void look(), READ_EVERY_MS).unref();
  return {
    read: async () => {
      const { simulation, changedMs } = await platform.read();
      const isLate = now() - writtenMs > maxAgeMs;
      return {
        simulation: {
          ...simulation,
          platformDown: simulation.platformDown || isLate || stated.platform === 'down',
          connectorDown: simulation.connectorDown || stated.connector === 'down',
        },
        // Traffic from before says nothing of a connector that is up again.
        changedMs: Math.max(changedMs, connectorChangedMs),
      };
    },
    stop: () => {
      clearInterval(timer);
    },
  };
}

/** A file that can't be read as one says that something is written, and no more. */
function parseHeartbeat(text: string): Static<typeof Heartbeat> {
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(Heartbeat, value) ? value : {};
  } catch {
    return {};
  }
}
