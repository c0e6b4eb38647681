import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { rotateKeyRoute } from '../../../functions/keys/rotate-key.ts';
import { parseId } from '../../../shared/base/ids.ts';
import { COMMITS } from '../../../shared/metering/group-commit.ts';
import { asRequest, readSent } from '../../shared/http/exchange.ts';
import { openInProcess } from '../../support/in-process.ts';
import { allConfigured } from '../../support/second-service.ts';
import { makeTenant } from '../../support/tenant.ts';

// A late commit is sent a second time, so that the number of commits would depend on the machine's speed.
vi.mock('../../../shared/base/hedge.ts', () => ({ hedge: (attempt: () => Promise<unknown>) => attempt() }));

const stack = inject('stack');
const REQUESTS = 40;

test('the events of refused requests share commits, so that a tenant never has more than four at a time', async () => {
  const { services } = openInProcess(stack, allConfigured(stack));
  const tenant = await makeTenant(stack);
  const pathId = parseId(await tenant.createKey('software'));
  const { client } = await tenant.mint({ allowed_actions: ['encrypt'] });
  const { write } = services.store;
  let open = 0;
  let most = 0;
  const spy = vi.spyOn(services.store, 'write').mockImplementation(async (fill) => {
    most = Math.max(most, ++open);
    await write.call(services.store, fill).finally(() => open--);
  });
  onTestFinished(() => spy.mockRestore());
  const refused = Array.from({ length: REQUESTS }, () =>
    readSent({ headers: { authorization: `Bearer ${client.token}` } }, async (message) =>
      rotateKeyRoute.respond(services, asRequest(message, { pathId })).catch((error: unknown) => Object(error).code),
    ),
  );
  expect(await Promise.all(refused)).toEqual(Array(REQUESTS).fill('action_not_allowed'));
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(COMMITS.inFlight);
});
