import { makeOnce } from '../../shared/base/make-once.ts';
import type { Configured } from '../../shared/http/feature.ts';

/**
 * Returns a function that returns the OpenAPI document as JSON. The first call loads all routes and generates the
 * document, which takes longer than many requests: nobody needs a credential to ask for it.
 */
export function makeOpenApi(configured: Configured): () => Promise<string> {
  return makeOnce(async () => {
    const { describeEveryRoute } = await import('../routes.ts');
    return JSON.stringify(await describeEveryRoute(configured));
  });
}
