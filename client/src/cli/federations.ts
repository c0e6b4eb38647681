import { repeatsMember } from '../../../shared/base/json-members.ts';
import type { Federation } from '../types.ts';
import { EXIT, Failure } from './failure.ts';
import { openInput } from './input.ts';
import { isRow } from './row.ts';

/**
 * Reads federations from a JSON file, or from standard input for `-`. The service checks issuers and claims, but
 * cannot see repeated members, because `JSON.parse` keeps only the last of them.
 */
export async function readFederations(path: string): Promise<Federation[]> {
  const { stream } = await openInput(path);
  const text = await new Response(stream).text();
  const federations = parse(text);
  if (!Array.isArray(federations) || !federations.every(isFederation))
    throw new Failure(EXIT.local, 'file_error', `${path} must be a JSON list of {"issuer", "claims"}`);
  if (repeatsMember(text))
    throw new Failure(EXIT.local, 'file_error', `an object in ${path} has two members with the same name`);
  return federations;
}

function isFederation(value: unknown): value is Federation {
  return isRow(value) && typeof value.issuer === 'string' && isRow(value.claims);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
