import type { z } from 'zod';
import type { Deployment } from '../deployment.ts';
import type { FunctionName } from '../functions.ts';
import type { Command } from '../step.ts';

/** A resource of a deployment. `what` is unique, and is the name of the step that creates the resource, if there is one. */
export interface Resource {
  readonly what: string;
  /** The settings that are compared, by name. An unset value, `0` and an empty string are the same. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Runs a gcloud or curl command, and returns its output, which is JSON. Throws an `Error` if the command fails. */
export type Ask = <Found>(command: Command, output: z.ZodType<Found>) => Found;

export interface Context {
  readonly deployment: Deployment;
  readonly ask: Ask;
  /** Whether the gateway is closed. A closed service has other settings. */
  readonly closed: boolean;
  /** Returns the hash of a function's built code. The code is compared only if it is built. */
  readonly codeOf: (name: FunctionName) => string | undefined;
  /** The folder with the built console, if it is built. */
  readonly consoleFolder: string | undefined;
  /** The gateway's own address, if there is a gateway. */
  readonly gatewayHost: string | undefined;
  /** Whether this API of Google, such as `run`, is enabled. Commands for an API that is not enabled fail. */
  readonly isEnabled: (api: string) => boolean;
}

/** What the deployment file asks for, and what Google has. */
export interface Comparison {
  readonly expected: readonly Resource[];
  readonly found: readonly Resource[];
}

export function resource(what: string, settings: Record<string, unknown> = {}): Resource {
  const texts = Object.entries(settings).map(([name, value]) => [name, asText(value)] as const);
  return { what, settings: Object.fromEntries(texts) };
}

/** Returns every value inside an object or a list, by its path. A list also has its length. */
export function flatten(value: unknown, path = ''): Record<string, string> {
  if (typeof value !== 'object' || value === null) return { [path]: asText(value) };
  const inside = Object.entries(value).map(([key, one]) => flatten(one, path === '' ? key : `${path}.${key}`));
  return Object.assign({}, ...inside, Array.isArray(value) ? { [`${path}.length`]: String(value.length) } : {});
}

function asText(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}

/** Returns the last part of a resource's name. */
export function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
