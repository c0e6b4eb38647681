import { readCases } from './cases.ts';

/**
 * Every route of the service, as its case file describes it. `good` is the expected outcome of a valid request by a
 * tenant with a subscription.
 */
export const ROUTES = (await readCases()).map(({ good, ofMember = good, ...route }) => ({ ...route, good: ofMember }));
