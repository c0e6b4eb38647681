import type { Probe } from './cold-start.ts';

/** A function, what its first request is called in the table, and that request. */
export interface Case {
  readonly name: string;
  readonly asked: string;
  readonly probe: Probe;
}

const KEY = '/v1/keys/00000000-0000-4000-8000-000000000000';

/** The first request of each function: one without a credential; where that says little, an encryption too. */
export function makeCases(token: string, keyId: string): Case[] {
  const refused = (name: string, method: Probe['method'], path: string): Case => {
    return { name, asked: '401', probe: { method, path, status: 401 } };
  };
  const answered = (name: string, method: Probe['method'], path: string): Case => {
    return { name, asked: `${method} ${path}`, probe: { method, path, status: 200 } };
  };
  const body = JSON.stringify({ plaintext: Buffer.alloc(1_024).toString('base64') });
  const encrypt = { method: 'POST', path: `/v1/keys/${keyId}/encrypt`, token, body, status: 200 } as const;
  return [
    answered('bare', 'GET', '/'),
    refused('router', 'GET', '/v1/keys'),
    refused('crypto', 'POST', `${KEY}/encrypt`),
    refused('keys', 'GET', '/v1/keys'),
    refused('reports', 'GET', '/v1/usage'),
    refused('console', 'GET', '/v1/me'),
    refused('billing', 'GET', '/v1/billing'),
    answered('health', 'GET', '/health'),
    answered('destroy-due-keys', 'POST', '/'),
    answered('close-month', 'POST', '/'),
    { name: 'router', asked: 'encrypt', probe: encrypt },
    { name: 'crypto', asked: 'encrypt', probe: encrypt },
  ];
}
