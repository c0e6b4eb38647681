import { z } from 'zod';

/** The answer of the routes that start a checkout or open the billing portal. */
export const redirectAnswer = z
  .object({ url: z.url().describe("URL of the payment provider's page, to open in a browser.") })
  .meta({ id: 'Redirect' });
