import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { makeTenant } from '../../../test/support/tenant.ts';
import { fakeService } from '../../src/testing/index.ts';

const stack = inject('stack');
const TIERS = ['free', 'wrapped', 'software', 'hsm'];
const VALUE = Buffer.from('Hello').toString('base64');
const base64 = (length: number): string => randomBytes(length).toString('base64');

/** A service under test: the fake or the running one, with keys of every tier. */
interface Side {
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<[number, unknown]>;
  readonly keys: Readonly<Record<string, string>>;
}

type Send = (
  url: string,
  request: { method: string; headers: Record<string, string>; body?: string },
) => Promise<Response>;

async function sideOf(url: string, apiKey: string, send: Send): Promise<Side> {
  const keys: Record<string, string> = {};
  const side: Side = {
    keys,
    async send(method, path, body, headers = {}) {
      const response = await send(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return [response.status, text === '' ? undefined : JSON.parse(text)];
    },
  };
  for (const tier of TIERS) {
    const [, key] = await side.send('POST', '/v1/keys', { name: `the ${tier} key`, tier });
    keys[tier] = Object(key).id;
  }
  return side;
}

/** Returns what two answers must have in common: the code of an error, else the names and types of all fields. */
function shapeOf(body: unknown): unknown {
  if (Array.isArray(body)) return body.slice(0, 1).map(shapeOf);
  if (typeof body !== 'object' || body === null) return body === null ? null : typeof body;
  const shape = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, shapeOf(value)]));
  return 'error' in body ? { ...shape, error: body.error } : shape;
}

let sides: { readonly fake: Side; readonly real: Side };
beforeAll(async () => {
  const [tenant, fake] = [await makeTenant(stack), fakeService()];
  sides = {
    fake: await sideOf(fake.url, fake.apiKey, fake.fetch),
    real: await sideOf(stack.baseUrl, tenant.api.token ?? '', fetch),
  };
});

type Ask = (side: Side) => Promise<[number, unknown]>;
const post =
  (operation: string, body?: unknown, tier = 'software'): Ask =>
  (side) =>
    side.send('POST', `/v1/keys/${side.keys[tier]}/${operation}`, body);
const create =
  (body: unknown): Ask =>
  (side) =>
    side.send('POST', '/v1/keys', body);

/** Encrypts, then sends what is made of the ciphertext. */
const after =
  (body: object, then: (ciphertext: string, side: Side) => ReturnType<Ask>, tier = 'software'): Ask =>
  async (side) => {
    const [, made] = await post('encrypt', body, tier)(side);
    return then(String(Object(made).ciphertext), side);
  };

const TABLE: Readonly<Record<string, Ask>> = {
  ...Object.fromEntries(
    TIERS.flatMap((tier): [string, Ask][] => [
      [`encrypt with ${tier}`, post('encrypt', { plaintext: VALUE, aad: VALUE }, tier)],
      [`wrap with ${tier}`, post('wrap', {}, tier)],
      [`wrap a given dek with ${tier}`, post('wrap', { dek: base64(16) }, tier)],
      [
        `unwrap with ${tier}`,
        async (side) => {
          const [, made] = await post('wrap', { aad: VALUE }, tier)(side);
          return post('unwrap', { wrapped: Object(made).wrapped, aad: VALUE }, tier)(side);
        },
      ],
      [
        `decrypt with ${tier}`,
        after({ plaintext: VALUE }, (ciphertext, side) => post('decrypt', { ciphertext }, tier)(side), tier),
      ],
      [
        `rewrap with ${tier}`,
        after({ plaintext: VALUE }, (ciphertext, side) => post('rewrap', { ciphertext }, tier)(side), tier),
      ],
      [`the longest plaintext with ${tier}`, post('encrypt', { plaintext: base64(65_536) }, tier)],
      [`too long an aad with ${tier}`, post('encrypt', { plaintext: VALUE, aad: base64(65_530) }, tier)],
      [`8,177 bytes with ${tier}`, post('encrypt', { plaintext: base64(8_177) }, tier)],
      [`get ${tier}`, (side) => side.send('GET', `/v1/keys/${side.keys[tier]}`)],
    ]),
  ),
  'list keys': (side) => side.send('GET', '/v1/keys'),
  'an unknown key': (side) => side.send('POST', `/v1/keys/${randomUUID()}/encrypt`, { plaintext: VALUE }),
  'an id that is no UUID': (side) => side.send('POST', '/v1/keys/orders/encrypt', { plaintext: VALUE }),
  'a wrong API key': (side) => side.send('GET', '/v1/keys', undefined, { authorization: 'Bearer esk_wrong' }),
  'another content type': (side) =>
    side.send('POST', `/v1/keys/${side.keys.software}/encrypt`, '{}', { 'content-type': 'text/plain' }),
  'a body that is no JSON': post('encrypt', '{'),
  'a body that is no object': post('encrypt', '[]'),
  'too long a body': post('encrypt', `{"plaintext":"${'A'.repeat(131_072)}"}`),
  'no plaintext': post('encrypt', {}),
  'a plaintext that is no text': post('encrypt', { plaintext: 1 }),
  'an empty plaintext': post('encrypt', { plaintext: '' }),
  'no base64': post('encrypt', { plaintext: 'AA' }),
  'base64 with line breaks': post('encrypt', { plaintext: 'SGVs\nbG8=' }),
  'an aad that is null': post('encrypt', { plaintext: VALUE, aad: null }),
  'too long a plaintext': post('encrypt', { plaintext: base64(65_537) }),
  'a dek of a wrong length': post('wrap', { dek: base64(20) }),
  'an empty ciphertext': post('decrypt', { ciphertext: '' }),
  'an altered ciphertext': after({ plaintext: VALUE }, (ciphertext, side) => {
    const bytes = Buffer.from(ciphertext, 'base64');
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    return post('decrypt', { ciphertext: bytes.toString('base64') })(side);
  }),
  'another aad': after({ plaintext: VALUE, aad: VALUE }, (ciphertext, side) => post('decrypt', { ciphertext })(side)),
  'another key': after({ plaintext: VALUE }, (ciphertext, side) => post('decrypt', { ciphertext }, 'wrapped')(side)),
  'unwrap what is no data key': after({ plaintext: VALUE }, (wrapped, side) => post('unwrap', { wrapped })(side)),
  'rotate a key that keeps three versions': after({ plaintext: VALUE }, async (ciphertext, side) => {
    await post('rotate')(side);
    return post('decrypt', { ciphertext })(side);
  }),
  'rotate a key that keeps one version': after(
    { plaintext: VALUE },
    async (ciphertext, side) => {
      await post('rotate', undefined, 'wrapped')(side);
      return post('decrypt', { ciphertext }, 'wrapped')(side);
    },
    'wrapped',
  ),
  'a rotation': post('rotate', undefined, 'hsm'),
  'create a key': create({ name: 'new', tier: 'wrapped' }),
  'create a key with a name that is taken': create({ name: 'the free key', tier: 'wrapped' }),
  'create a second free key': create({ name: 'another', tier: 'free' }),
  'create a key of an unknown tier': create({ name: 'x', tier: 'gold' }),
  'create a key without a tier': create({ name: 'x' }),
  'create a key with a blank name': create({ name: ' ', tier: 'wrapped' }),
  'create a key with too long a name': create({ name: '😀'.repeat(129), tier: 'wrapped' }),
  'create a key with the longest name': create({ name: '😀'.repeat(128), tier: 'wrapped' }),
  'create a key in an unknown container': create({ name: 'x', tier: 'wrapped', container_id: randomUUID() }),
  'rename a key': (side) => side.send('PATCH', `/v1/keys/${side.keys.hsm}`, { name: 'renamed' }),
  'rename a key to a name that is taken': (side) =>
    side.send('PATCH', `/v1/keys/${side.keys.software}`, { name: 'the free key' }),
  'rename a key to its own name': (side) => side.send('PATCH', `/v1/keys/${side.keys.free}`, { name: 'the free key' }),
};

describe('the fake and the running service', () => {
  test.each(Object.keys(TABLE))('both answer with the same status, code and shape: %s', async (name) => {
    const ask = TABLE[name];
    if (ask === undefined) throw new Error('no such request');
    const [fake, real] = [await ask(sides.fake), await ask(sides.real)];
    expect([fake[0], shapeOf(fake[1])]).toEqual([real[0], shapeOf(real[1])]);
  });

  test('a ciphertext of one cannot be decrypted by the other', async () => {
    const { fake, real } = sides;
    for (const tier of ['wrapped', 'software'])
      for (const [one, other] of [[fake, real] as const, [real, fake] as const]) {
        const [, made] = await post('encrypt', { plaintext: VALUE }, tier)(one);
        const [status, body] = await post('decrypt', { ciphertext: Object(made).ciphertext }, tier)(other);
        expect([status, Object(body).error]).toEqual([400, 'invalid_ciphertext']);
      }
  });
});
