type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that name a certificate, its password and an account. */
const SIGNING = /^(?:WIN_)?CSC_|^APPLE_/u;

export interface Signing {
  readonly isSigned: boolean;
  readonly isNotarised: boolean;
}

/** Says what is done to packages with the certificate and the account that the environment names. */
export function readSigning(environment: Environment): Signing {
  const has = (...names: string[]): boolean => names.every((name) => (environment[name] ?? '') !== '');
  const isSigned = has('CSC_LINK') || has('CSC_NAME');
  const hasAccount =
    has('APPLE_API_KEY', 'APPLE_API_KEY_ID', 'APPLE_API_ISSUER') ||
    has('APPLE_ID', 'APPLE_APP_SPECIFIC_PASSWORD', 'APPLE_TEAM_ID');
  return { isSigned, isNotarised: isSigned && hasAccount };
}

/**
 * Takes the empty ones of these variables out of an environment: a workflow sets one for each secret, whether there is one
 * or not, and electron-builder would look for a certificate at the path "".
 */
export function forgetEmptyVariables(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(environment)) {
    if (SIGNING.test(name) && environment[name] === '') Reflect.deleteProperty(environment, name);
  }
}
