import type { Probe } from './start.ts';

export interface Case {
  readonly name: string;
  /** The name that the table shows for the first request. */
  readonly request: string;
  readonly probe: Probe;
}

const KEY = '/v1/keys/00000000-0000-4000-8000-000000000000';

/**
 * Returns the first request to send to each function. Most functions refuse this request with an error. `bare`, `health`
 * and the scheduled functions answer 200. `crypto` has a second case, which encrypts.
 */
export function makeCases(token: string, keyId: string): Case[] {
  const refused = (name: string, method: Probe['method'], path: string, status = 401): Case => {
    return { name, request: String(status), probe: { method, path, status } };
  };
  const answered = (name: string, method: Probe['method'], path: string): Case => {
    return { name, request: `${method} ${path}`, probe: { method, path, status: 200 } };
  };
  const body = JSON.stringify({ plaintext: Buffer.alloc(1_024).toString('base64') });
  const encrypt = { method: 'POST', path: `/v1/keys/${keyId}/encrypt`, token, body, status: 200 } as const;
  return [
    answered('bare', 'GET', '/'),
    refused('router', 'GET', '/', 404),
    refused('crypto', 'POST', `${KEY}/encrypt`),
    refused('keys', 'GET', '/v1/keys'),
    refused('reports', 'GET', '/v1/usage'),
    refused('console', 'GET', '/v1/me'),
    refused('billing', 'GET', '/v1/billing'),
    refused('transit', 'POST', '/v1/transit/encrypt/name', 403),
    answered('health', 'GET', '/health'),
    answered('destroy-due-keys', 'POST', '/'),
    answered('close-month', 'POST', '/'),
    answered('seal-audit', 'POST', '/'),
    { name: 'crypto', request: 'encrypt', probe: encrypt },
  ];
}
