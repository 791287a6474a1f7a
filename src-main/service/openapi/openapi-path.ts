/** Where the service describes itself. Not part of the specification; needs no token. */
export const OPENAPI_PATH = '/openapi.json';
