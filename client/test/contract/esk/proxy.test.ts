import { createServer } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { listen, portOf } from '../../../../emulators/base/listen.ts';
import { makeTenant, type Tenant } from '../../../../test/support/tenant.ts';
import { esk } from '../../support/esk.ts';

const stack = inject('stack');
const proxy = createServer();
let asked: (string | undefined)[] = [];
let tenant: Tenant;

proxy.on('connect', ({ url = '' }, socket, head) => {
  asked.push(url);
  const { hostname, port } = new URL(`http://${url}`);
  const target = connect(Number(port), hostname, () => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    target.write(head);
    socket.pipe(target).pipe(socket);
  });
  for (const end of [socket, target]) end.on('error', () => [socket, target].map((one) => one.destroy()));
});
beforeAll(async () => {
  await listen(proxy, 0);
  tenant = await makeTenant(stack);
});
beforeEach(() => {
  asked = [];
});
afterAll(() => {
  proxy.closeAllConnections();
  proxy.close();
});

const list = (env: Record<string, string>) =>
  esk(['keys', 'list', '--json'], { env: { ESK_URL: stack.baseUrl, ESK_API_KEY: tenant.api.token ?? '', ...env } });

test.each(['HTTP_PROXY', 'http_proxy'])('esk sends its requests through the proxy in %s', async (name) => {
  expect(await list({ [name]: `http://127.0.0.1:${portOf(proxy)}` })).toMatchObject({ code: 0, stderr: '' });
  expect(asked).toEqual([new URL(stack.baseUrl).host]);
});

test.each(['NO_PROXY', 'no_proxy'])('esk sends no request through the proxy to a host in %s', async (name) => {
  const env = { HTTP_PROXY: `http://127.0.0.1:${portOf(proxy)}`, [name]: '127.0.0.1' };
  expect(await list(env)).toMatchObject({ code: 0, stderr: '' });
  expect(asked).toEqual([]);
});

test.each(['HTTPS_PROXY', 'https_proxy'])('the proxy in %s is only for https', async (name) => {
  expect(await list({ [name]: `http://127.0.0.1:${portOf(proxy)}` })).toMatchObject({ code: 0 });
  expect(asked).toEqual([]);
});

test('a proxy that is not a URL is wrong usage', async () => {
  expect(await list({ HTTP_PROXY: 'a proxy' })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('HTTP_PROXY'),
  });
});
