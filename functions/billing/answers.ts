import { z } from 'zod';

/** Where the payment provider's page is, the answer of checkout and portal. */
export const redirectAnswer = z.object({ url: z.url() }).meta({ id: 'Redirect' });
