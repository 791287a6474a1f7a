import { AppError } from '../../common/contract/errors.ts';
import { findErrorCode, toErrorText } from '../../node/error-text.ts';
import { toStartError } from '../start-error.ts';

const UNKNOWN_AUTHORITY =
  "its certificate is of an authority that isn't trusted; ?sslrootcert=FILE names one of your own";

/** What can be done about errors on the way to a database, by their code. */
const ADVICE: ReadonlyMap<string | null, string> = new Map([
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNKNOWN_AUTHORITY],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNKNOWN_AUTHORITY],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNKNOWN_AUTHORITY],
  ['CERT_SIGNATURE_FAILURE', UNKNOWN_AUTHORITY],
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
  ['CERT_NOT_YET_VALID', 'its certificate is not valid yet'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another name than the one in the address'],
  ['28P01', 'the name of the role or its password is not right'],
  ['28000', 'it lets nobody in that way'],
  ['3D000', 'it has no database of that name'],
]);
/** The driver gives this error no code. */
const NO_TLS = 'The server does not support SSL connections';

/** What the database refuses, or the way to it, as an AppError `local-service.start-failed`. */
export function toDatabaseError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const text = toErrorText(error);
  const advice =
    text === NO_TLS
      ? "it doesn't speak TLS; ?sslmode=disable goes without, in the open"
      : ADVICE.get(findErrorCode(error));
  return toStartError(`The database can't be used: ${advice === undefined ? text : `${advice} (${text})`}`);
}
