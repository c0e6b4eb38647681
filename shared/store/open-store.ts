import type { Config } from '../config.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { makeChannelOptions } from '../grpc/channel.ts';
import { Marks } from './marks.ts';
import { PromptFirestore } from './prompt-firestore.ts';
import { Store } from './store.ts';

/** Retry failed reads after 0.1 s, not 2 s. Queries may have answered in part; the client resumes those. */
const RETRIES = {
  gaxServerStreamingRetries: true,
  clientConfig: {
    interfaces: {
      'google.firestore.v1.Firestore': {
        retry_codes: { none: [] },
        methods: { RunQuery: { retry_codes_name: 'none' } },
      },
    },
  },
} as const;

/** The deployment's documents. Where logs are sealed, it leaves the marks by which that finds its work. */
export function openStore({ project, sealing }: Pick<Config, 'project' | 'sealing'>): Store {
  const channel = makeChannelOptions(DEADLINES_MS.firestore);
  return new Store(new PromptFirestore({ projectId: project, ...RETRIES, ...channel }), sealing && new Marks());
}
