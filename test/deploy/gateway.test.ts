import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { closedGatewayDocument, gatewayDocument } from '../../deploy/gateway.ts';
import { routesByGroup } from '../../functions/routes.ts';

const backend = z.object({
  address: z.string(),
  jwt_audience: z.string(),
  path_translation: z.literal('APPEND_PATH_TO_ADDRESS'),
  deadline: z.number(),
});
const operation = z.object({ operationId: z.string(), 'x-google-backend': backend });
const shape = z.object({ paths: z.record(z.string(), z.record(z.string(), operation)) });

const document = gatewayDocument((name) => `\${${name}}`);
const { paths } = shape.parse(document);
const { '/{path=**}': rest = {}, ...routed } = paths;

const closed = closedGatewayDocument((name) => `\${${name}}`);

describe('the gateway document of a closed service', () => {
  test('the gateway of a closed service sends every path and method to the router', () => {
    expect(shape.parse(closed).paths).toEqual({ '/{path=**}': rest });
  });
});

describe('the gateway document', () => {
  test('the gateway document is valid OpenAPI 2.0', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(validator.version).toBe('2.0');
  });

  test('the gateway sends each function exactly the requests for its group of routes, including HEAD requests for GET routes', () => {
    const groups = [...routesByGroup({ identity: true, billing: true, transit: true, sealing: true })];
    const table = groups.flatMap(([group, routes]) =>
      routes.flatMap(({ method, path }) =>
        (method === 'GET' ? ['GET', 'HEAD'] : [method]).map((served) => `${served} ${path} -> \${${group}}`),
      ),
    );
    const sent = Object.entries(routed).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, { 'x-google-backend': to }]) => `${method.toUpperCase()} ${path} -> ${to.address}`,
      ),
    );
    expect(sent.sort()).toEqual(table.sort());
  });

  test('the gateway sends requests that match no route to the router', () => {
    expect(Object.keys(rest).sort()).toEqual(['delete', 'get', 'head', 'options', 'patch', 'post', 'put']);
    for (const { 'x-google-backend': to } of Object.values(rest)) expect(to.address).toBe(`\${router}`);
  });

  test('the ID token that the gateway sends to a function has that function’s address as its audience', () => {
    for (const methods of Object.values(paths)) {
      for (const { 'x-google-backend': to } of Object.values(methods)) expect(to.jwt_audience).toBe(to.address);
    }
  });

  test('every operation has a unique id', () => {
    const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId));
    expect(new Set(ids).size).toBe(ids.length);
  });
});
