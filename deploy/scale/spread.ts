import { randomFrom } from './random.ts';

/**
 * Simulates tenants that are spread at random over parts, such as KMS projects. The tenant in place N sends 1/N of the
 * traffic of the first, so a few tenants send most of it. Returns the traffic of the busiest part, as a multiple of the
 * mean.
 */
export function busiestPart(parts: number, tenants: number): number {
  const random = randomFrom(7);
  const traffic = Array.from({ length: parts }, () => 0);
  let total = 0;
  for (let rank = 1; rank <= tenants; rank++) {
    const at = Math.floor(random() * parts);
    traffic[at] = (traffic[at] ?? 0) + 1 / rank;
    total += 1 / rank;
  }
  return Math.max(...traffic) / (total / parts);
}
