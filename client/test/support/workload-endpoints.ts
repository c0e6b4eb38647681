import { createServer } from 'node:http';
import { listen, portOf } from '../../../emulators/base/listen.ts';

/** Emulates the token endpoint of GitHub Actions and Google's metadata server. */
export interface WorkloadEndpoints {
  /** The variables that GitHub Actions sets for a job. */
  readonly github: Readonly<Record<string, string>>;
  readonly google: Readonly<Record<string, string>>;
  /** The audience of each request for a token. */
  readonly audiences: string[];
  stop(): void;
}

const BEARER = 'a-secret-of-the-job';

/** Starts the endpoints. `mint` returns an ID token for an audience. */
export async function startWorkloadEndpoints(mint: (audience: string) => Promise<string>): Promise<WorkloadEndpoints> {
  const audiences: string[] = [];
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://endpoint');
    const audience = searchParams.get('audience') ?? '';
    const isGitHub = pathname === '/github' && searchParams.get('api-version') === '2.0';
    const isGoogle = pathname === '/computeMetadata/v1/instance/service-accounts/default/identity';
    const mayAsk = isGitHub
      ? request.headers.authorization === `Bearer ${BEARER}`
      : request.headers['metadata-flavor'] === 'Google';
    if (!(isGitHub || isGoogle) || !mayAsk) return void response.writeHead(403).end();
    audiences.push(audience);
    const token = await mint(audience);
    response.writeHead(200).end(isGitHub ? JSON.stringify({ value: token, count: token.length }) : `${token}\n`);
  });
  await listen(server, 0);
  const host = `127.0.0.1:${portOf(server)}`;
  return {
    github: {
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://${host}/github?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: BEARER,
    },
    google: { GCE_METADATA_HOST: host },
    audiences,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
