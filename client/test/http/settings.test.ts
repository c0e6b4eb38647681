import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readOptions } from '../../src/http/settings.ts';
import { EncryptionService } from '../../src/service.ts';
import { API_KEY } from '../support/objects.ts';

describe('the address of the service', () => {
  test.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com/', 'https://api.example.com'],
    ['https://example.com:8443/encryption/', 'https://example.com:8443/encryption'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://localhost:8080', 'http://localhost:8080'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
  ])('the address %s is accepted', (url, address) => {
    expect(readOptions({ url })).toMatchObject({ address });
    expect(readOptions({ url: new URL(url) })).toMatchObject({ address });
  });

  test.each([
    'http://api.example.com',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'ftp://127.0.0.1',
    'https://me:secret@example.com',
    'https://example.com/?a=b',
    'https://example.com/#a',
    'example.com',
    '',
  ])('the address %s is refused', (url) => {
    expect(() => new EncryptionService({ url, apiKey: API_KEY })).toThrow(TypeError);
  });

  test('plain http to another machine is accepted with allowHttp', () => {
    const settings = readOptions({ url: 'http://encryption:8080', allowHttp: true });
    expect(settings).toMatchObject({ address: 'http://encryption:8080' });
  });
});

test.each([{ maxRetries: -1 }, { maxRetries: 1.5 }])('the options %o are refused', (options) => {
  expect(() => readOptions({ url: 'https://a.example', ...options })).toThrow(TypeError);
});

test.each([
  ['timeoutMs', Number.NaN],
  ['timeoutMs', 0],
  ['timeoutMs', -5],
  ['timeoutMs', '30s'],
  ['timeoutMs', '30'],
  ['timeoutMs', null],
])('the option %s with the value %o is refused, both for the service object and for a call', async (name, wrong) => {
  const options = { [name]: wrong };
  const expected = new TypeError('timeoutMs must be a positive number');
  expect(() => readOptions({ url: 'https://a.example', ...options })).toThrow(expected);
  const service = new EncryptionService({ url: 'http://127.0.0.1:1', apiKey: API_KEY });
  await expect(service.listKeys(options)).rejects.toThrow(expected);
  await expect(service.readAudit({}, options).next()).rejects.toThrow(expected);
});

test.each(['', 'esk_a b', `${API_KEY}\n`, 'esk_ü'])(
  'an API key that is not a valid token is refused, and the error does not show it: %j',
  (apiKey) => {
    const make = () => new EncryptionService({ url: 'https://a.example', apiKey });
    expect(make).toThrow(
      new TypeError('apiKey must be a token of visible ASCII characters, without spaces or line breaks'),
    );
  },
);

test('the credential is not shown when the service object is printed', () => {
  const service = new EncryptionService({ url: 'https://a.example', apiKey: API_KEY });
  expect(inspect(service, { depth: null, showHidden: true })).not.toContain(API_KEY);
  expect(JSON.stringify(service)).not.toContain(API_KEY);
});
