import { AppError } from '../../common/contract/errors.ts';
import { toFollowOptions } from '../../common/model/connections/connection.ts';
import { toOrigin } from '../../common/reporting/base-address.ts';
import type { SavedConnection } from './connection-document.ts';

/** A connection that was not followed for a time begins anew: nothing older is fetched unless somebody asks for it. */
export function withFollowStart(
  connection: SavedConnection,
  known: SavedConnection | undefined,
  nowMs: number,
): SavedConnection {
  if (toFollowOptions(connection).followed) {
    return { ...connection, followedSinceMs: known?.followedSinceMs ?? nowMs };
  }
  const copy = { ...connection };
  delete copy.followedSinceMs;
  return copy;
}

/** Throws `secrets.other-origin` where secrets that were saved for one origin would go to another. */
export function requireSameOrigin(savedFor: string, baseAddress: string): void {
  if (savedFor === toOrigin(baseAddress)) return;
  throw new AppError('secrets.other-origin', 'The stored credentials are for another address.', {
    savedFor,
    address: toOrigin(baseAddress),
  });
}

/** Returns a connection whose secrets belong to no address. */
export function toUnbound(known: SavedConnection | undefined): Partial<SavedConnection> {
  const copy = { ...known };
  delete copy.secretsOrigin;
  return copy;
}
