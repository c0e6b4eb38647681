import type { Extras } from '../../support/client.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Returns invalid bodies for the five operations. Each body contains the secret. */
export function invalidBodies(secret: string): Extras[] {
  return [
    { raw: `{"plaintext":"${secret}`, headers: JSON_TYPE },
    { raw: `{"plaintext":"${secret}"}`, headers: { 'content-type': 'text/plain' } },
    { raw: `{"plaintext":"${secret}"}\u{0}`, headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } },
    {
      body: {
        plaintext: [secret],
        ciphertext: { [secret]: 1 },
        wrapped: 7,
        dek: [secret],
        aad: { [secret]: secret },
      },
    },
    { body: [secret] },
    { body: secret },
    {
      body: Object.fromEntries(
        ['plaintext', 'ciphertext', 'wrapped', 'dek', 'aad'].map((name) => [name, `${secret}!`]),
      ),
    },
    { body: { plaintext: secret.repeat(2_000), aad: secret } },
    { body: { plaintext: '', dek: secret, ciphertext: secret, wrapped: secret, aad: secret } },
  ];
}

/** Returns requests with the token in the wrong place: a path, a query, the wrong header or the wrong field. */
export function requestsWithMisplaced(token: string): (readonly [method: string, path: string, extras: Extras])[] {
  return [
    ['GET', `/v1/keys?access_token=${token}&access_token=${token}`, {}],
    ['GET', `/v1/usage?period=${token}`, {}],
    ['GET', `/v1/usage/daily?key_id=${token}`, {}],
    ['GET', `/v1/audit?cursor=${token}`, {}],
    ['GET', `/v1/audit?limit=${token}&since=${token}`, {}],
    ['GET', `/v1/keys/${token}`, {}],
    ['GET', `/${token}`, {}],
    ['GET', `/v1/transit/keys/${token}?context=${token}`, {}],
    ['GET', `/v1/transit/keys?list=${token}`, { headers: { 'x-vault-token': `${token}!` } }],
    ['PUT', `/v1/transit/decrypt/${token}`, { body: { ciphertext: token, associated_data: token, nonce: [token] } }],
    ['POST', `/v1/transit/encrypt/${token}`, { body: { batch_input: [{ plaintext: token }, token] } }],
    ['GET', '/v1/keys', { headers: { cookie: token, 'x-request-id': `"${token}"` } }],
    ['POST', '/v1/keys', { body: { name: [token], tier: token, container_id: token } }],
    ['POST', '/v1/api-keys', { body: { name: { [token]: 1 }, allowed_actions: [token] } }],
    ['POST', '/v1/firewalls', { body: { name: '', allowed_ips: [token] } }],
    ['POST', '/v1/webhooks/stripe', { raw: token, headers: { 'stripe-signature': token } }],
  ];
}
