import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

/** The subject under which the identity provider knows the demo tenant's owner. */
export const DEMO_SUBJECT = 'demo';

const demo = z.object({
  tenant_id: z.string(),
  container_id: z.string(),
  api_key: z.string(),
  api_key_id: z.string(),
  /** The id of the demo key. `null` if the tenant was created while the service was closed. */
  key_id: z.string().nullable(),
  /** Whether the stack has created the subscription of the tenant. It does this only once. */
  subscribed: z.boolean(),
});

/** The demo tenant. `api_key` is the secret token. */
export type Demo = z.output<typeof demo>;

/** Reads the demo tenant. Returns `undefined` if the file is missing or malformed. */
export function readDemo(file: string): Demo | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return demo.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Writes the demo tenant to a file that only this user can read. */
export function writeDemo(file: string, value: Demo): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
