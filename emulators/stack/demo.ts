import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

/** The subject that signs in as the demo tenant's owner. */
export const demoSubject = 'demo';

const demo = z.object({
  tenant_id: z.string(),
  container_id: z.string(),
  api_key: z.string(),
  api_key_id: z.string(),
  key_id: z.string(),
  /** Whether the tenant was put in good standing, which happens once. */
  subscribed: z.boolean(),
});

/** The tenant to try things with. `api_key` is its secret token. */
export type Demo = z.infer<typeof demo>;

/** Reads what an earlier start seeded; undefined when there was none, or when nothing can be made of it. */
export function readDemo(file: string): Demo | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return demo.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Remembers the demo tenant for the next start, readable to this user alone. */
export function writeDemo(file: string, value: Demo): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
