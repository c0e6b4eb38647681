import { afterAll, afterEach, expect, inject, test, vi } from 'vitest';
import type { TenantId } from '../../../shared/base/ids.ts';
import { DEADLINES_MS } from '../../../shared/deadlines.ts';
import { ApiError } from '../../../shared/errors.ts';
import type { Collection } from '../../../shared/store/collection.ts';
import { Store } from '../../../shared/store/store.ts';
import { createContainer, listContainers } from '../../../shared/tenancy/containers.ts';
import { OBJECT_COUNTS } from '../../../shared/tenancy/object-counts.ts';
import { addTenant, type NewTenant } from '../../../shared/tenancy/provision.ts';
import { apiOf } from '../../support/firestore.ts';
import { openInProcess } from '../../support/in-process.ts';

/** Replaces the function that records an audit event, because these tests do not check the audit log. */
const recordNothing = () => undefined;

const { services } = openInProcess(inject('stack'));
const api = apiOf(inject('stack'));
afterEach(() => vi.useRealTimers());
afterAll(() => api.close());

/** A store in which another process changes a tenant's counts right after they are read. */
class ContendedStore extends Store {
  readonly #interferes: () => boolean;

  /** `interferes` is called after each read, and returns whether the other process writes then. */
  constructor(interferes: () => boolean) {
    super(api);
    this.#interferes = interferes;
  }

  override async findWithUpdateTime<Doc>(from: Collection<Doc>, id: string) {
    const found = await super.findWithUpdateTime(from, id);
    if (this.#interferes()) await super.write((writes) => writes.add(OBJECT_COUNTS, id, { firewalls: 1 }));
    return found;
  }
}

async function makeTenant(): Promise<TenantId> {
  const { promise, resolve } = Promise.withResolvers<NewTenant>();
  await services.store.write((writes) => resolve(addTenant(services.clock, writes)));
  return (await promise).tenantId;
}

async function outcomeOf(creation: Promise<unknown>): Promise<string> {
  return creation.then(
    () => 'created',
    (error: unknown) => (error instanceof ApiError ? `${error.code}: ${error.message}` : String(error)),
  );
}

test('if other processes change a tenant’s counts while a container is created, the creation is retried and counted exactly once', async () => {
  const tenantId = await makeTenant();
  let times = 0;
  const store = new ContendedStore(() => times++ < 4);
  expect(await outcomeOf(createContainer({ ...services, store }, tenantId, 'orders', recordNothing))).toBe('created');
  expect(await services.store.find(OBJECT_COUNTS, tenantId)).toMatchObject({ containers: 2, firewalls: 4 });
});

test('if other processes change a tenant’s counts until the deadline of a creation, it fails with unavailable and stores no container', async () => {
  const tenantId = await makeTenant();
  vi.useFakeTimers({ toFake: ['performance'] });
  let times = 0;
  const store = new ContendedStore(() => {
    if (++times === 3) vi.advanceTimersByTime(DEADLINES_MS.firestore + 1);
    return true;
  });
  const refused = await outcomeOf(createContainer({ ...services, store }, tenantId, 'orders', recordNothing));
  expect(refused).toBe('unavailable: too many changes of the same thing at once');
  expect(await listContainers(services.store, tenantId)).toMatchObject([{ name: 'default' }]);
  expect(await outcomeOf(createContainer(services, tenantId, 'orders', recordNothing))).toBe('created');
});

test('creations beyond the queue limit of a tenant fail with unavailable, but a creation by another tenant succeeds', async () => {
  const [busy, other] = [await makeTenant(), await makeTenant()];
  await services.store.write((writes) => writes.add(OBJECT_COUNTS, busy, { containers: 99 }));
  const many = Array.from({ length: 300 }, (_, n) =>
    outcomeOf(createContainer(services, busy, `container ${n}`, recordNothing)),
  );
  const one = outcomeOf(createContainer(services, other, 'orders', recordNothing));
  const outcomes = (await Promise.all(many)).map((outcome) => outcome.split(':')[0]);
  const refusedAtOnce = outcomes.splice(1 + 256);
  expect(new Set(refusedAtOnce)).toEqual(new Set(['unavailable']));
  // On a busy machine, some queued creations wait too long, so they fail with `unavailable` instead of `limit_reached`.
  expect(outcomes).toContain('limit_reached');
  expect(await one).toBe('created');
});
