import type { Finding } from '../../../../client/src/index.ts';

/** A finding of the client library, or of the check that people can sign in. */
export type ShownFinding = Omit<Finding, 'check'> & { readonly check: Finding['check'] | 'sign_in' };
