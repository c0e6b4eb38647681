import type { Federation } from '../../../../client/src/index.ts';
import type { Fields } from '../../session/drafts.ts';

export const PLATFORMS = ['github', 'gitlab', 'google', 'kubernetes'] as const;
export type Platform = (typeof PLATFORMS)[number];

/** The address of a platform's issuer, if all its users share one. */
export const ISSUERS: Readonly<Partial<Record<Platform, string>>> = {
  github: 'https://token.actions.githubusercontent.com',
  gitlab: 'https://gitlab.com',
  google: 'https://accounts.google.com',
};

/** What a person knows of a workload. Fields of other platforms are empty. */
export type WorkloadFacts = Readonly<Record<'repository' | 'project' | 'branch' | 'account' | 'namespace', string>>;

export const NO_FACTS: WorkloadFacts = { repository: '', project: '', branch: '', account: '', namespace: '' };

/** Returns the facts of a form's draft, or none without a draft. */
export function factsOf(draft: Fields | undefined): WorkloadFacts {
  const fact = (name: keyof WorkloadFacts): string => draft?.[name]?.[0] ?? '';
  return {
    repository: fact('repository'),
    project: fact('project'),
    branch: fact('branch'),
    account: fact('account'),
    namespace: fact('namespace'),
  };
}

/** Returns the claims of a workload's ID tokens, or `undefined` while a required field is empty. */
export function claimsOf(platform: Platform, facts: WorkloadFacts): Federation['claims'] | undefined {
  const { repository, project, branch, account, namespace } = facts;
  switch (platform) {
    case 'github':
      if (repository === '') return undefined;
      return {
        repository_id: repository,
        ...(branch !== '' && { ref: `refs/heads/${branch}`, event_name: 'push' }),
      };
    case 'gitlab':
      if (project === '') return undefined;
      return {
        project_id: project,
        ...(branch !== '' && { ref: branch, ref_type: 'branch', ref_protected: 'true' }),
      };
    case 'google':
      return account === '' ? undefined : { sub: account };
    case 'kubernetes':
      if (account === '' || namespace === '') return undefined;
      return { sub: `system:serviceaccount:${namespace}:${account}` };
  }
}
