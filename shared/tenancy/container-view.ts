import { z } from 'zod';
import { viewInstant } from '../base/clock.ts';
import type { Container } from './container.ts';

/** The container object of the interface. */
export const containerAnswer = z
  .object({ id: z.uuid(), name: z.string(), is_default: z.boolean(), created_at: z.iso.datetime() })
  .meta({ id: 'Container' });

/** A container as its tenant sees it. */
export function viewContainer({ id, name, is_default, created_at }: Container): z.input<typeof containerAnswer> {
  return { id, name, is_default, created_at: viewInstant(created_at) };
}
