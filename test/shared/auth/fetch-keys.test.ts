import { createServer } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fetchKeys } from '../../../shared/auth/fetch-keys.ts';
import { listen } from '../../support/second-service.ts';
import { publicJwk } from '../../support/workloads.ts';

const DISCOVERY = '/.well-known/openid-configuration';

test.each([[DISCOVERY], ['/jwks']])(
  'both documents of an issuer have five seconds together, also if the issuer sends %s byte by byte',
  async (slow) => {
    const deadline = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal);
    onTestFinished(() => timeout.mockRestore());
    const server = createServer((request, response) => {
      const documents = { [DISCOVERY]: { issuer, jwks_uri: `${issuer}/jwks` }, '/jwks': { keys: [publicJwk('es')] } };
      const text = JSON.stringify(Object(documents)[request.url ?? '']);
      // The deadline passes while the slow document arrives.
      if (request.url === slow) response.write(text.slice(0, 1), () => deadline.abort());
      else response.end(text);
    });
    const issuer = `http://127.0.0.1:${await listen(server)}`;
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    await expect(fetchKeys(issuer, true)).rejects.toMatchObject({ name: 'AbortError' });
    expect(timeout).toHaveBeenCalledExactlyOnceWith(5_000);
  },
);
