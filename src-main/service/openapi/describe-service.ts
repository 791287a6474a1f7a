import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { COMPONENT_SCHEMAS } from './component-schemas.ts';

/**
 * Collects the schemas of the routes that are added afterwards, inside `app.after`. They only describe: the
 * routes check what arrives and write what is sent themselves.
 */
export function collectSchemas(app: FastifyInstance, requireToken: boolean): void {
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  app.register(swagger, {
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Reporting and health monitoring service',
        version: '1',
        description:
          'Status of a messaging platform and its connector, and the health of incoming and outgoing requests.',
      },
      servers: [{ url: '/' }],
      // Without a header an operation responds unless tokens are required (decision 13).
      security: requireToken ? [{ token: [] }] : [{ token: [] }, {}],
      components: {
        schemas: COMPONENT_SCHEMAS,
        securitySchemes: {
          token: {
            type: 'http',
            scheme: 'bearer',
            description: 'The token that operation 1 returns.',
          },
        },
      },
    },
  });
}

/** Returns the service in the words of OpenAPI 3.1, as JSON. To be called once the app is ready. */
export function writeDescription(app: FastifyInstance): string {
  // The library has no way to say that a header of a response is always there.
  return JSON.stringify(app.swagger(), (name, value: object) =>
    name === 'Retry-After' ? { ...value, required: true } : value,
  );
}
