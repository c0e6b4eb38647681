import { routesByGroup } from '../functions/routes.ts';
import { INTERFACE } from '../shared/http/openapi.ts';

/** A function that the gateway calls: one for each group of routes, and `router` for every other request. */
export type GatewayFunction = (typeof GATEWAY_FUNCTIONS)[number];

/** Every function that the gateway calls. */
export const GATEWAY_FUNCTIONS = [
  'keys',
  'crypto',
  'reports',
  'console',
  'billing',
  'transit',
  'health',
  'router',
] as const;

/** The methods that an operation can have in OpenAPI 2.0. */
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;

/**
 * The seconds that a function has to answer. The gateway's default of 15 is too short when several parts behind it are
 * slow.
 */
const DEADLINE_S = 60;

/**
 * The OpenAPI 2.0 document of the API gateway, made from the table of routes. `addressOf` returns a function's URL
 * without a slash at the end, which is also the audience of the ID tokens that the gateway calls it with.
 *
 * The routes of console, billing, transit and sealed log are always in it; a function without them answers `404`. Every other request goes
 * to `router`, so that `404` and `405` are the service's own. That catch-all has every method: the gateway prefers any
 * operation that matches, on whichever path, to its own 405. Source:
 * https://docs.cloud.google.com/api-gateway/docs/oasv2-extensions
 */
export function gatewayDocument(addressOf: (name: GatewayFunction) => string): Record<string, unknown> {
  const groups = routesByGroup({ identity: true, billing: true, transit: true, sealing: true });
  const routes = GATEWAY_FUNCTIONS.flatMap((name) =>
    (groups.get(name) ?? []).map((description) => ({ ...description, backend: backend(addressOf(name)) })),
  );
  const paths = [...Map.groupBy(routes, ({ path }) => path)].map(([path, same]) => [
    path,
    Object.fromEntries(
      same.flatMap((route) => {
        // HEAD goes where GET goes: the router could not answer it, for it has no rights.
        const methods = route.method === 'GET' ? ['get', 'head'] : [route.method.toLowerCase()];
        const parameters = ['id', 'name'].filter((parameter) => path.includes(`{${parameter}}`));
        const idOf = (method: string) => (method === 'head' ? `${route.id}_head` : route.id);
        return methods.map((method) => [method, operation(idOf(method), parameters, route.backend)]);
      }),
    ),
  ]);
  return makeDocument({ ...Object.fromEntries(paths), ...everythingTo(addressOf('router')) });
}

/** The document of a closed service: every request goes to `router`, which refuses it. */
export function closedGatewayDocument(addressOf: (name: 'router') => string): Record<string, unknown> {
  return makeDocument(everythingTo(addressOf('router')));
}

function makeDocument(paths: Record<string, unknown>) {
  return { swagger: '2.0', info: INTERFACE, schemes: ['https'], paths };
}

function everythingTo(address: string) {
  const rest = METHODS.map((method) => [method, operation(`${method}_rest`, ['path'], backend(address))]);
  return { '/{path=**}': Object.fromEntries(rest) };
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
