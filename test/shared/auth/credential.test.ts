import { describe, expect, test } from 'vitest';
import { readCredential } from '../../../shared/auth/credential.ts';
import { singleHeader } from '../../../shared/http/request.ts';
import { readSent, type Sent } from '../http/exchange.ts';

const PREFIX = 'ci7ekz7itmjnhjcwijtbif2aaa';
const SECRET = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE';
const TOKEN = `esk_${PREFIX}_${SECRET}`;

function read(headers: Sent['headers'], header: 'authorization' | 'x-forwarded-authorization' = 'authorization') {
  const sent = headers === undefined ? {} : { headers };
  return readSent(sent, (message) => readCredential(singleHeader(message, header)));
}

const apiKey = { kind: 'api_key', token: { apiKeyId: '123e4567-e89b-12d3-a456-426614174000', secret: SECRET } };
const refused = expect.objectContaining({ code: 'unauthorized', message: 'missing or invalid credentials' });

describe('the credential of a request', () => {
  test.each(['Bearer', 'bearer', 'BEARER', 'Bearer '])(
    'is an API key where it starts with esk_: %j, a space',
    async (scheme) => {
      expect(await read({ authorization: `${scheme} ${TOKEN}` })).toEqual(apiKey);
    },
  );

  test.each(['a.b.c', 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln', 'ESK_x', 'x'])(
    'is an access token, proved or not, where it starts with anything else: %s',
    async (accessToken) => {
      expect(await read({ authorization: `Bearer ${accessToken}` })).toEqual({ kind: 'access_token', accessToken });
    },
  );

  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['only a scheme', 'Bearer'],
    ['a scheme and a space', 'Bearer '],
    ['without a scheme', TOKEN],
    ['of another scheme', `Basic ${TOKEN}`],
    ['of a scheme that only ends so', `XBearer ${TOKEN}`],
    ['two tokens', `Bearer ${TOKEN} ${TOKEN}`],
    ['a list', `Bearer ${TOKEN}, Bearer ${TOKEN}`],
    ['after a tab', `Bearer\t${TOKEN}`],
    ['an API key without a secret', `Bearer esk_${PREFIX}`],
    ['an API key with a malformed prefix', `Bearer esk_x_${SECRET}`],
    ['an API key that is too long', `Bearer ${TOKEN}x`],
    ['the beginning of an API key', 'Bearer esk_'],
  ])('is refused: %s', async (_, authorization) => {
    await expect(read(authorization === undefined ? {} : { authorization })).rejects.toEqual(refused);
  });

  test('is refused where it is sent twice', async () => {
    const bearer = ['authorization', `Bearer ${TOKEN}`];
    await expect(read(['host', 'localhost', ...bearer, ...bearer])).rejects.toEqual(refused);
  });

  test('is taken from the header that the deployment names, and from no other', async () => {
    const forwarded = 'x-forwarded-authorization';
    expect(await read({ [forwarded]: `Bearer ${TOKEN}`, authorization: 'Bearer gateway' }, forwarded)).toEqual(apiKey);
    await expect(read({ authorization: `Bearer ${TOKEN}` }, forwarded)).rejects.toEqual(refused);
    await expect(read({ [forwarded]: `Bearer ${TOKEN}` })).rejects.toEqual(refused);
  });
});
