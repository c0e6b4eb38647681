import { z } from 'zod';
import { ApiError } from '../errors.ts';
import { CLAIM_NAME_LENGTH, RESERVED_CLAIMS, type WorkloadIssuer } from '../workload-issuers.ts';

export const FEDERATIONS = 5;
export const CLAIMS_PER_FEDERATION = 10;
export const CLAIM_TEXT_LENGTH = 1_024;

const claimValue = z.union([z.string(), z.int(), z.boolean()]);
const claim = z.object({ name: z.string(), value: claimValue });

type ClaimValue = z.output<typeof claimValue>;
type TokenClaim = z.output<typeof claim>;

/**
 * The stored federations. The claims are a list, because Firestore does not accept every text as the name of a field.
 * They are sorted by name, so that equal federations are equal values.
 */
export const federationsField = z.array(z.object({ issuer: z.string(), claims: z.array(claim) }));

export type Federation = z.output<typeof federationsField>[number];

export interface FederationView {
  issuer: string;
  claims: Record<string, ClaimValue>;
}

export function viewFederation({ issuer, claims }: Federation): FederationView {
  return { issuer, claims: Object.fromEntries(claims.map(({ name, value }) => [name, value])) };
}

/** The reverse of {@link viewFederation}. */
export function federationOf({ issuer, claims }: FederationView): Federation {
  return { issuer, claims: sorted(Object.entries(claims).map(([name, value]) => ({ name, value }))) };
}

/** A federation of a request body in which a name occurs twice. */
export const REPEATED_MEMBER = Symbol('repeated member');

/** Returns the federations of a request body. Throws `invalid_federations`. */
export function parseFederations(list: readonly unknown[], issuers: readonly WorkloadIssuer[]): Federation[] {
  if (list.length > FEDERATIONS) throw invalidFederations(`federations must have at most ${FEDERATIONS} entries`);
  const federations = list.map((one, at) => parseFederation(one, `federations.${at}`, issuers));
  if (new Set(federations.map(textOf)).size < federations.length)
    throw invalidFederations('federations must not contain the same federation twice');
  return federations;
}

/** Whether a federation has this issuer, and all its claims have exactly the values of the token's. */
export function hasFederation(
  federations: readonly Federation[],
  issuer: string,
  tokenClaims: ReadonlyMap<string, unknown>,
): boolean {
  return federations.some(
    (one) => one.issuer === issuer && one.claims.every(({ name, value }) => tokenClaims.get(name) === value),
  );
}

/** Whether both lists have the same federations, in any order. */
export function isSameFederations(one: readonly Federation[], other: readonly Federation[]): boolean {
  return one.length === other.length && !addsFederation(one, other);
}

/** Whether `after` has a federation that `before` lacks. */
export function addsFederation(before: readonly Federation[], after: readonly Federation[]): boolean {
  const known = new Set(before.map(textOf));
  return after.some((federation) => !known.has(textOf(federation)));
}

/** Returns the length of the federations as JSON, in bytes. No federations have no length. */
export function federationBytes(federations: readonly Federation[]): number {
  return federations.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(federations.map(viewFederation)));
}

export function invalidFederations(message: string): ApiError {
  return new ApiError('invalid_federations', message);
}

function parseFederation(value: unknown, path: string, issuers: readonly WorkloadIssuer[]): Federation {
  if (value === REPEATED_MEMBER) throw invalidFederations('federations must not contain a member twice');
  const members = membersOf(value);
  if (members === undefined) throw invalidFederations(`${path} must be an object with issuer and claims`);
  const other = [...members.keys()].find((name) => name !== 'issuer' && name !== 'claims');
  if (other !== undefined) throw invalidFederations(`${path} has the unknown member ${JSON.stringify(other)}`);
  const configured = issuers.find(({ issuer }) => issuer === members.get('issuer'));
  if (configured === undefined)
    throw invalidFederations(
      `${path}.issuer must be a workload issuer of this deployment${among(issuers.map(({ issuer }) => issuer))}`,
    );
  const claims = parseClaims(members.get('claims'), `${path}.claims`);
  if (!claims.some(({ name }) => configured.claims.includes(name)))
    throw invalidFederations(`${path}.claims must have at least one of ${configured.claims.join(', ')}`);
  return { issuer: configured.issuer, claims };
}

function parseClaims(value: unknown, path: string): TokenClaim[] {
  const members = membersOf(value);
  if (members === undefined || members.size === 0 || members.size > CLAIMS_PER_FEDERATION)
    throw invalidFederations(`${path} must be an object with 1 to ${CLAIMS_PER_FEDERATION} claims`);
  return sorted([...members].map(([name, value]) => parseClaim(name, value, path)));
}

function parseClaim(name: string, value: unknown, path: string): TokenClaim {
  if (!isTextUpTo(CLAIM_NAME_LENGTH, name))
    throw invalidFederations(`${path}: the name of a claim must have 1 to ${CLAIM_NAME_LENGTH} characters`);
  if (RESERVED_CLAIMS.includes(name)) throw invalidFederations(`${path} must not have the claim ${name}`);
  if (typeof value === 'boolean' || isTextUpTo(CLAIM_TEXT_LENGTH, value) || isSafeInteger(value))
    return { name, value };
  throw invalidFederations(
    `${path}: the value of ${JSON.stringify(name)} must be a text of 1 to ${CLAIM_TEXT_LENGTH} characters, an integer or a boolean`,
  );
}

function membersOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return new Map<string, unknown>(Object.entries(value));
}

function isTextUpTo(length: number, value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.isWellFormed() && [...value].length <= length;
}

function isSafeInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function sorted(claims: readonly TokenClaim[]): TokenClaim[] {
  return claims.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function textOf({ issuer, claims }: Federation): string {
  return JSON.stringify([issuer, claims.map(({ name, value }) => [name, value])]);
}

function among(names: readonly string[]): string {
  return names.length === 0 ? ', and it has none' : `: ${names.join(', ')}`;
}
