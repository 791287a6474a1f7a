type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that name a certificate, its password and an account. */
const SIGNING = /^(?:WIN_)?CSC_|^APPLE_/u;

export interface Signing {
  readonly isSigned: boolean;
  readonly isNotarised: boolean;
}

/** Microsoft's signing in the cloud: the keys of certificates for Windows are in hardware since 2023. */
interface CloudSigning {
  readonly publisherName: string;
  readonly endpoint: string;
  readonly codeSigningAccountName: string;
  readonly certificateProfileName: string;
}

/** Variables of the account and of the identity that signs; the latter are read by the signing tool itself. */
const CLOUD = {
  publisherName: 'CHANNELSCOPE_AZURE_PUBLISHER',
  endpoint: 'CHANNELSCOPE_AZURE_ENDPOINT',
  codeSigningAccountName: 'CHANNELSCOPE_AZURE_ACCOUNT',
  certificateProfileName: 'CHANNELSCOPE_AZURE_PROFILE',
} as const;
const IDENTITY = ['AZURE_TENANT_ID', 'AZURE_CLIENT_ID', 'AZURE_CLIENT_SECRET'];

/** Returns how installers for Windows are signed in the cloud; null without an account. Throws for half of one. */
export function readCloudSigning(environment: Environment): CloudSigning | null {
  const names = [...Object.values(CLOUD), ...IDENTITY];
  const missing = names.filter((name) => (environment[name] ?? '') === '');
  if (missing.length === names.length) return null;
  if (missing.length > 0) throw new Error(`To sign in the cloud, these are missing: ${missing.join(', ')}.`);
  const read = (name: keyof typeof CLOUD): string => environment[CLOUD[name]] ?? '';
  return {
    publisherName: read('publisherName'),
    endpoint: read('endpoint'),
    codeSigningAccountName: read('codeSigningAccountName'),
    certificateProfileName: read('certificateProfileName'),
  };
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
