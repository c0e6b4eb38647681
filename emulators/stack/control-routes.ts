import type { IdentityProvider } from '../identity/server.ts';
import type { WorkloadIssuer } from '../identity/workload-issuer.ts';
import type { AuditRowsFault } from './audit-rows-fault.ts';
import { microsOf, type StackClock, timestampOf } from './clock.ts';
import {
  clockInput,
  faultsInput,
  invoicesInput,
  nothing,
  rateLimitInput,
  subscriptionInput,
  tokenInput,
  usageInput,
  workloadTokenInput,
} from './control-input.ts';
import { type ControlRoute, controlRoute, Refusal } from './control-server.ts';
import { type Faults, PROXIED_PARTS, type Proxies } from './faults.ts';
import type { Stripe } from './parts.ts';
import type { Schedules } from './schedules.ts';
import type { Service } from './service.ts';
import type { Overview } from './stack.ts';
import type { UsageWriter } from './usage.ts';

export type Controlled = {
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
  readonly stripe: Stripe | undefined;
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

    controlRoute('POST', '/tokens', tokenInput, async (request) => ({
      access_token: await configured(stack.identity, 'an identity provider').mint(request),
    })),

    controlRoute('POST', '/workload-tokens', workloadTokenInput, async (request) => ({
      token: await stack.workloads.mint(request),
    })),

    controlRoute('POST', '/faults', faultsInput, async (changes) => {
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

    controlRoute('POST', '/usage', usageInput, async (count) => {
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
