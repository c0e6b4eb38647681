import { readCases } from './cases.ts';

/** A route of the service, as its case file describes it. */
interface RouteRow {
  /** The method and the path, which identify the route. */
  readonly call: string;
  readonly credential: 'none' | 'api_key' | 'console' | 'newcomer' | 'either';
  readonly body?: true;
  /** Whether the route is a Transit route, which answers errors in Vault's format. */
  readonly transit?: true;
  /** The expected outcome of a valid request by a tenant with a subscription. */
  readonly good: string;
}

/** Every route of the service. */
export const ROUTES: readonly RouteRow[] = (await readCases()).map(
  ({ call, credential, body, transit, good, ofMember = good }) => ({
    ...{ call, credential, good: ofMember },
    ...(body !== undefined && { body: true }),
    ...(transit && { transit }),
  }),
);
