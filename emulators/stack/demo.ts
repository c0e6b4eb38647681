import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

/** The subject, at the identity provider, of the demo tenant's owner. */
export const DEMO_SUBJECT = 'demo';

const demo = z.object({
  tenant_id: z.string(),
  container_id: z.string(),
  api_key: z.string(),
  api_key_id: z.string(),
  /** `null` of a tenant that was made while the service was closed. */
  key_id: z.string().nullable(),
  /** Whether the tenant was given a subscription, which happens once. */
  subscribed: z.boolean(),
});

/** The tenant to try things with. `api_key` is its secret token. */
export type Demo = z.output<typeof demo>;

/** The demo tenant that an earlier start made; `undefined` when the file is missing or malformed. */
export function readDemo(file: string): Demo | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return demo.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Keeps the demo tenant for the next start, in a file that only this user can read. */
export function writeDemo(file: string, value: Demo): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
