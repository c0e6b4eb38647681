import { describe, expect, test } from 'vitest';
import { readCredential } from '../../../shared/auth/credential.ts';
import { singleHeader } from '../../../shared/http/request.ts';
import { readSent, type Sent } from '../http/exchange.ts';

const PREFIX = 'ci7ekz7itmjnhjcwijtbif2aaa';
const SECRET = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE';
const TOKEN = `esk_${PREFIX}_${SECRET}`;

function read(headers: Sent['headers'], header: 'authorization' | 'x-forwarded-authorization' = 'authorization') {
  const sent = headers === undefined ? {} : { headers };
  return readSent(sent, (message) =>
    readCredential(singleHeader(message, header), { workloadIssuers: [], identity: undefined }),
  );
}

const apiKey = { kind: 'api_key', token: { apiKeyId: '123e4567-e89b-12d3-a456-426614174000', secret: SECRET } };
const refused = expect.objectContaining({ code: 'unauthorized', message: 'missing or invalid credentials' });

describe('the credential of a request', () => {
  test.each(['Bearer', 'bearer', 'BEARER', 'Bearer '])(
    'a token that starts with esk_ after the scheme %j is treated as an API key',
    async (scheme) => {
      expect(await read({ authorization: `${scheme} ${TOKEN}` })).toEqual(apiKey);
    },
  );

  test.each(['a.b.c', 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln', 'ESK_x', 'x'])(
    'a token that does not start with esk_ is treated as an unverified access token: %s',
    async (accessToken) => {
      expect(await read({ authorization: `Bearer ${accessToken}` })).toEqual({ kind: 'access_token', accessToken });
    },
  );

  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['only a scheme', 'Bearer'],
    ['a scheme and a space', 'Bearer '],
    ['a token without a scheme', TOKEN],
    ['another scheme', `Basic ${TOKEN}`],
    ['a scheme that only ends in Bearer', `XBearer ${TOKEN}`],
    ['two tokens', `Bearer ${TOKEN} ${TOKEN}`],
    ['a list of two credentials', `Bearer ${TOKEN}, Bearer ${TOKEN}`],
    ['a tab before the token', `Bearer\t${TOKEN}`],
    ['an API key without a secret', `Bearer esk_${PREFIX}`],
    ['an API key with a malformed prefix', `Bearer esk_x_${SECRET}`],
    ['an API key that is too long', `Bearer ${TOKEN}x`],
    ['the beginning of an API key', 'Bearer esk_'],
  ])('an invalid authorization header is refused: %s', async (_, authorization) => {
    await expect(read(authorization === undefined ? {} : { authorization })).rejects.toEqual(refused);
  });

  test('an authorization header that is sent twice is refused', async () => {
    const bearer = ['authorization', `Bearer ${TOKEN}`];
    await expect(read(['host', 'localhost', ...bearer, ...bearer])).rejects.toEqual(refused);
  });

  test('the credential is read only from the header that the configuration names', async () => {
    const forwarded = 'x-forwarded-authorization';
    expect(await read({ [forwarded]: `Bearer ${TOKEN}`, authorization: 'Bearer gateway' }, forwarded)).toEqual(apiKey);
    await expect(read({ authorization: `Bearer ${TOKEN}` }, forwarded)).rejects.toEqual(refused);
    await expect(read({ [forwarded]: `Bearer ${TOKEN}` })).rejects.toEqual(refused);
  });
});
