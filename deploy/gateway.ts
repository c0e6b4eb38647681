import { createHash } from 'node:crypto';
import { routesByGroup } from '../functions/routes.ts';
import { INTERFACE } from '../shared/http/openapi.ts';
import type { Deployment } from './deployment.ts';
import { type FunctionName, functionsOf } from './functions.ts';
import { functionAddress } from './names.ts';

/** All methods that OpenAPI 2.0 supports. */
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;

/**
 * The gateway's deadline for a function, in seconds. The default of 15 seconds is too short if several dependencies are
 * slow.
 */
const DEADLINE_S = 60;

/**
 * Returns the OpenAPI 2.0 document of the API gateway. `addressOf` returns a function's URL without a trailing slash.
 * This URL is also the audience of the gateway's ID tokens.
 *
 * The document always contains the routes of the console, of billing, of Transit and of the sealed log. If a feature is
 * not configured, its function answers 404. All other requests go to `router`, so that the service itself answers 404
 * and 405. The path for these requests lists every method, because the gateway would answer 405 itself for a method
 * that is not listed. Source: https://docs.cloud.google.com/api-gateway/docs/oasv2-extensions
 */
export function gatewayDocument(addressOf: (name: FunctionName) => string): Record<string, unknown> {
  const groups = routesByGroup({ identity: true, billing: true, transit: true, sealing: true });
  const routes = functionsOf('gateway').flatMap((name) =>
    (groups.get(name) ?? []).map((description) => ({ ...description, backend: backend(addressOf(name)) })),
  );
  const paths = [...Map.groupBy(routes, ({ path }) => path)].map(([path, same]) => [
    path,
    Object.fromEntries(
      same.flatMap((route) => {
        // HEAD requests go to the function that handles GET. `router` could not answer them, because it has no access
        // to data.
        const methods = route.method === 'GET' ? ['get', 'head'] : [route.method.toLowerCase()];
        const parameters = ['id', 'name'].filter((parameter) => path.includes(`{${parameter}}`));
        const idOf = (method: string) => (method === 'head' ? `${route.id}_head` : route.id);
        return methods.map((method) => [method, operation(idOf(method), parameters, route.backend)]);
      }),
    ),
  ]);
  return makeDocument({ ...Object.fromEntries(paths), ...everythingTo(addressOf('router')) });
}

/** Returns the document of the gateway for a closed service: every request goes to `router`, which refuses it. */
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

interface GatewayConfig {
  readonly name: string;
  /** The path of the file from which gcloud reads the document. */
  readonly file: string;
  /** The document as JSON. */
  readonly text: string;
}

export function gatewayConfigs(deployment: Deployment): GatewayConfig[] {
  const { open, closed } = documents(deployment);
  return [
    { name: configName(deployment, 'false'), file: 'dist/gateway.json', text: open },
    { name: configName(deployment, 'true'), file: 'dist/gateway-closed.json', text: closed },
  ];
}

/**
 * Returns the name of a configuration. It contains a hash of both documents, open and closed. With `$CLOSED`, the
 * deployment script inserts `true` or `false` when it runs.
 */
export function configName(deployment: Deployment, closed: 'true' | 'false' | '$CLOSED'): string {
  const { open, closed: other } = documents(deployment);
  const hash = createHash('sha256').update(open).update(other).digest('hex');
  return `closed-${closed}-${hash.slice(0, 12)}`;
}

function documents(deployment: Deployment) {
  const addressOf = (name: FunctionName) => functionAddress(deployment, name);
  const write = (document: Record<string, unknown>) => `${JSON.stringify(document, null, 2)}\n`;
  return { open: write(gatewayDocument(addressOf)), closed: write(closedGatewayDocument(addressOf)) };
}
