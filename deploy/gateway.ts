import { routesByGroup } from '../functions/routes.ts';
import { INTERFACE } from '../shared/http/openapi.ts';

/** A function that the gateway calls: one for each group of routes, and `router` for whatever is no route. */
export type GatewayFunction = keyof ReturnType<typeof routesByGroup> | 'router';

/** Every function that the gateway calls. */
export const GATEWAY_FUNCTIONS = [
  'keys',
  'crypto',
  'reports',
  'console',
  'billing',
  'health',
  'router',
] as const satisfies readonly GatewayFunction[];

/** The methods that an operation can have in OpenAPI 2.0. */
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;

/** Seconds that a function has to answer. The gateway's default of 15 is less than one slow call to each part behind it. */
const DEADLINE_S = 60;

/**
 * The OpenAPI 2.0 document of the API gateway, made from the table of routes. `addressOf` tells a function's URL, without
 * a slash at the end; each is also the audience of the ID tokens that the gateway calls the function with.
 *
 * The routes of console and billing are in it whether or not they are configured: a function without them answers `404`.
 * Whatever is no route goes to `router`, so that `404` and `405` are the service's own. That catch-all has every method
 * because an operation comes before the gateway's 405, whichever path it is on.
 * Source: https://docs.cloud.google.com/api-gateway/docs/oasv2-extensions
 */
export function gatewayDocument(addressOf: (name: GatewayFunction) => string): Record<string, unknown> {
  const groups = { ...routesByGroup({ identity: true, billing: true }), router: [] };
  const routes = GATEWAY_FUNCTIONS.flatMap((name) =>
    groups[name].map(({ description }) => ({ ...description, backend: backend(addressOf(name)) })),
  );
  const paths = [...Map.groupBy(routes, ({ path }) => path)].map(([path, same]) => [
    path,
    Object.fromEntries(
      same.flatMap((route) => {
        // HEAD goes where GET goes: the router could not answer it, for it has no rights.
        const methods = route.method === 'GET' ? ['get', 'head'] : [route.method.toLowerCase()];
        const parameters = path.includes('{id}') ? ['id'] : [];
        const idOf = (method: string) => (method === 'head' ? `${route.id}_head` : route.id);
        return methods.map((method) => [method, operation(idOf(method), parameters, route.backend)]);
      }),
    ),
  ]);
  const rest = METHODS.map((method) => [method, operation(`${method}_rest`, ['path'], backend(addressOf('router')))]);
  return {
    swagger: '2.0',
    info: INTERFACE,
    schemes: ['https'],
    paths: { ...Object.fromEntries(paths), '/{path=**}': Object.fromEntries(rest) },
  };
}

function backend(address: string) {
  return { address, jwt_audience: address, path_translation: 'APPEND_PATH_TO_ADDRESS', deadline: DEADLINE_S };
}

function operation(id: string, pathParameters: readonly string[], to: ReturnType<typeof backend>) {
  return {
    operationId: id,
    parameters: pathParameters.map((name) => ({ name, in: 'path', required: true, type: 'string' })),
    responses: { default: { description: "the function's answer" } },
    'x-google-backend': to,
  };
}
