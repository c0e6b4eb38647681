import { readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { z } from 'zod';
import { REPOSITORY_ROOT } from '../base/repository.ts';

const settings = z.object({
  hosting: z.object({
    headers: z.array(
      z.object({ source: z.string(), headers: z.array(z.object({ key: z.string(), value: z.string() })) }),
    ),
  }),
});

export interface Origins {
  readonly api: string;
  readonly issuer: string;
}

/**
 * Returns the headers that `firebase.json` sets for a path. If several rules set the same header, the last rule wins.
 */
export function headersFor(path: string, { api, issuer }: Origins): Map<string, string> {
  const { hosting } = settings.parse(JSON.parse(readFileSync(join(REPOSITORY_ROOT, 'firebase.json'), 'utf8')));
  const given = hosting.headers.filter(({ source }) =>
    matchesGlob(path, source.startsWith('/') ? source : `/${source}`),
  );
  return new Map(
    given
      .flatMap(({ headers }) => headers)
      .map(({ key, value }) => [
        key.toLowerCase(),
        value.replace('https://api.invalid', api).replace('https://issuer.invalid', issuer),
      ]),
  );
}
