import { z } from 'zod';
import type { IdentityProvider } from '../identity/server.ts';
import { tokenRequest } from '../identity/tokens.ts';
import { type WorkloadIssuer, workloadTokenRequest } from '../identity/workload-issuer.ts';
import { subscriptionStatus } from '../stripe/objects.ts';
import type { StripeEmulator } from '../stripe/server.ts';
import type { AuditRowsFault } from './audit-rows-fault.ts';
import { microsOf, type StackClock, timestampOf } from './clock.ts';
import { type ControlRoute, controlRoute, Refusal } from './control-server.ts';
import { type Faults, faultsOfParts, PROXIED_PARTS, type Proxies } from './faults.ts';
import type { Schedules } from './schedules.ts';
import type { Service } from './service.ts';
import type { Overview } from './stack.ts';
import { type UsageWriter, usageCount } from './usage.ts';

const nothing = z.object({});

/** Far from these years, times are invalid for a part of the stack, such as Firestore. */
const FIRST_TIME = microsOf('1970-01-01T00:00:00Z');
const END_TIME = microsOf('2200-01-01T00:00:00Z');

/** The time to which the clock is set. `null` returns to real time. */
const clockInput = z.strictObject({
  now: z.iso
    .datetime({ offset: true, abort: true })
    .refine((time) => microsOf(time) >= FIRST_TIME && microsOf(time) < END_TIME, 'must be from 1970 to 2199')
    .nullable(),
});

/** The time at which the clock of the rate limit stands, in milliseconds. `null` returns to the usual rate limit. */
const rateLimitInput = z.strictObject({ at_ms: z.int().min(0).nullable() });

/** The status to give a tenant's subscription: a status of Stripe's API, or `none` to remove the subscription. */
const subscriptionInput = z.strictObject({
  tenant_id: z.guid().toLowerCase(),
  status: z.enum(['none', ...subscriptionStatus.options]),
  /** Whether the webhooks of this change are lost, as if Stripe had given up sending them. */
  webhooks: z.literal('lost').optional(),
});

const invoicesInput = z.strictObject({ tenant_id: z.guid().toLowerCase() });

type Controlled = {
  readonly overview: Overview;
  readonly clock: StackClock;
  /** Sets the clock of every part to a time, in microseconds since the epoch. `null` returns to real time. */
  readonly setClock: (micros: number | null) => Promise<void>;
  /** Holds the rate limit at a time in milliseconds. `null` returns to the usual rate limit. */
  readonly holdRateLimit: ((ms: number | null) => Promise<void>) | undefined;
  readonly faults: Faults;
  readonly proxies: Proxies;
  readonly auditRows: AuditRowsFault;
  readonly service: Service;
  readonly schedules: Schedules | undefined;
  readonly usage: UsageWriter;
  readonly identity: IdentityProvider | undefined;
  readonly stripe: StripeEmulator | undefined;
  readonly workloads: WorkloadIssuer;
};

/** Returns the routes of the control API. Each route answers when its change is in effect. */
export function controlRoutes(stack: Controlled): readonly ControlRoute[] {
  const { clock, faults, service } = stack;
  const configured = <Part>(part: Part | undefined, name: string): Part => {
    if (part === undefined) throw new Refusal(404, `${name} is not configured`);
    return part;
  };
  return [
    controlRoute('GET', '/', nothing, async () => stack.overview),

    controlRoute('GET', '/api-key', nothing, async () => stack.overview.demo.api_key),

    controlRoute('GET', '/key-id', nothing, async () => stack.overview.demo.key_id),

    controlRoute('GET', '/clock', nothing, async () => ({ now: timestampOf(clock.now()) })),

    controlRoute('POST', '/clock', clockInput, async ({ now }) => {
      await stack.setClock(now === null ? null : microsOf(now));
      stack.schedules?.restart();
      return { now: timestampOf(clock.now()) };
    }),

    controlRoute('POST', '/rate-limit', rateLimitInput, async (held) => {
      await configured(stack.holdRateLimit, 'a rate limit that can be held')(held.at_ms);
      return held;
    }),

    controlRoute('POST', '/tokens', tokenRequest, async (request) => ({
      access_token: await configured(stack.identity, 'an identity provider').mint(request),
    })),

    controlRoute('POST', '/workload-tokens', workloadTokenRequest, async (request) => ({
      token: await stack.workloads.mint(request),
    })),

    controlRoute('POST', '/faults', faultsOfParts.partial(), async (changes) => {
      for (const part of PROXIED_PARTS) {
        const fault = changes[part];
        if (fault === undefined) continue;
        faults[part] = fault;
        stack.proxies[part].set(fault);
      }
      if (changes.audit_rows !== undefined) {
        faults.audit_rows = changes.audit_rows;
        await stack.auditRows.set(faults.audit_rows);
      }
      await service.forgetReadiness();
      return faults;
    }),

    controlRoute('POST', '/scheduled/destroy-due-keys', nothing, () => service.run('destroy-due-keys')),
    controlRoute('POST', '/scheduled/close-month', nothing, () => service.run('close-month')),
    controlRoute('POST', '/scheduled/seal-audit', nothing, () => service.run('seal-audit')),

    controlRoute('POST', '/usage', usageCount, async (count) => {
      if (await stack.usage.set(count)) return count;
      throw new Refusal(404, `no such key: ${count.key_id}`);
    }),

    controlRoute('POST', '/stripe/subscription', subscriptionInput, async (change) => {
      await configured(stack.stripe, 'billing').setSubscription(
        change.tenant_id,
        change.status,
        change.webhooks === 'lost',
      );
      return change;
    }),

    controlRoute('GET', '/stripe/invoices', invoicesInput, async ({ tenant_id }) => ({
      invoices: await configured(stack.stripe, 'billing').invoices(tenant_id),
    })),
  ];
}
