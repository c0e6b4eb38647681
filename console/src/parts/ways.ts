import { currentSession } from '../session/session.ts';
import { WAYS } from '../words.ts';
import type { Line } from './snippet.tsx';

/** Returns the base URL of the service, or an empty string if nobody is signed in. */
export const apiUrl = (): string => {
  const session = currentSession();
  return session.state === 'signed-in' ? session.apiUrl : '';
};

interface Call {
  readonly path: string;
  readonly body: string;
  /** The kind of credential for the call, if an ordinary API key is not enough. */
  readonly credential?: 'CREATING_API_KEY' | 'ACCESS_TOKEN';
}

const CREDENTIALS = {
  API_KEY: { variable: 'ESK_API_KEY', title: WAYS.curl },
  CREATING_API_KEY: { variable: 'ESK_API_KEY', title: WAYS.curlCreating },
  ACCESS_TOKEN: { variable: 'ACCESS_TOKEN', title: WAYS.curlPerson },
} as const;

/** Returns three snippets that make the same call: with curl, with `esk` and with the client library. */
function ways({ path, body, credential }: Call, esk: string, library: string): Line[] {
  const { variable, title } = CREDENTIALS[credential ?? 'API_KEY'];
  const curl = [
    `curl -X POST ${apiUrl()}${path}`,
    `-H "Authorization: Bearer $${variable}"`,
    "-H 'Content-Type: application/json'",
    `-d '${body}'`,
  ];
  return [
    { with: title, text: curl.join(' \\\n  ') },
    { with: WAYS.esk, text: esk },
    { with: WAYS.library, text: library },
  ];
}

/** Returns the commands for a person. The person must sign in with `esk login`, which also stores the service's URL. */
const asPerson = (command: string): string => `esk login ${apiUrl()}\nesk ${command}`;
/** Returns the command for an API key. `esk` then reads the service's URL from an environment variable. */
const asProgram = (command: string): string => `ESK_URL=${apiUrl()} esk ${command}`;

export const waysToCreateKey = (): Line[] =>
  ways(
    { path: '/v1/keys', body: '{"name":"orders","tier":"free"}', credential: 'CREATING_API_KEY' },
    asPerson('keys create orders --tier free'),
    "await service.createKey({ name: 'orders', tier: 'free' });",
  );

export const waysToEncrypt = (id: string): Line[] =>
  ways(
    { path: `/v1/keys/${id}/encrypt`, body: '{"plaintext":"SGVsbG8="}' },
    asProgram(`encrypt --key ${id} -o letter.age letter.txt`),
    `const plaintext = new TextEncoder().encode('Hello');\nconst { ciphertext } = await service.encrypt('${id}', { plaintext });`,
  );

export const waysToRewrap = (id: string): Line[] =>
  ways(
    { path: `/v1/keys/${id}/rewrap`, body: '{"ciphertext":"…"}' },
    asProgram('rewrap *.age'),
    `const { ciphertext } = await service.rewrap('${id}', { ciphertext: stored });`,
  );

export const waysToCreateApiKey = (): Line[] =>
  ways(
    {
      path: '/v1/api-keys',
      body: '{"name":"shop","allowed_actions":["encrypt","decrypt"]}',
      credential: 'ACCESS_TOKEN',
    },
    asPerson('api-keys create shop --actions encrypt,decrypt'),
    "const { token } = await service.createApiKey({ name: 'shop', allowed_actions: ['encrypt', 'decrypt'] });",
  );

export const waysToCreateFirewall = (): Line[] =>
  ways(
    {
      path: '/v1/firewalls',
      body: '{"name":"office","allowed_ips":["192.0.2.0/24"]}',
      credential: 'ACCESS_TOKEN',
    },
    asPerson('firewalls create office --networks 192.0.2.0/24'),
    "await service.createFirewall({ name: 'office', allowed_ips: ['192.0.2.0/24'] });",
  );
