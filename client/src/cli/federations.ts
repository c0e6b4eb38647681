import type { Federation } from '../types.ts';
import { EXIT, Failure } from './failure.ts';
import { openInput } from './input.ts';
import { isRow } from './row.ts';

/** Reads federations from a JSON file, or from standard input for `-`. The service checks issuers and claims. */
export async function readFederations(path: string): Promise<Federation[]> {
  const { stream } = await openInput(path);
  const federations = parse(await new Response(stream).text());
  if (Array.isArray(federations) && federations.every(isFederation)) return federations;
  throw new Failure(EXIT.local, 'file_error', `${path} must be a JSON list of {"issuer", "claims"}`);
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
