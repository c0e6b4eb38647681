import { afterAll, afterEach, expect, inject, test, vi } from 'vitest';
import type { TenantId } from '../../../shared/base/ids.ts';
import { DEADLINES_MS } from '../../../shared/deadlines.ts';
import { ApiError } from '../../../shared/errors.ts';
import type { Collection } from '../../../shared/store/collection.ts';
import { Store } from '../../../shared/store/store.ts';
import { createContainer, listContainers } from '../../../shared/tenancy/containers.ts';
import { OBJECT_COUNTS } from '../../../shared/tenancy/object-counts.ts';
import { addTenant, type NewTenant } from '../../../shared/tenancy/provision.ts';
import { connectionOf } from '../../support/firestore.ts';
import { openInProcess } from '../../support/in-process.ts';

/** Takes the place of the function that records an event, because these tests ignore the audit log. */
const unrecorded = () => undefined;

const { services } = openInProcess(inject('stack'));
const connection = connectionOf(inject('stack'));
afterEach(() => vi.useRealTimers());
afterAll(() => connection.db.terminate());

/** A store in which another process changes a tenant's counts right after they are read. */
class ContendedStore extends Store {
  readonly #interferes: () => boolean;

  /** `interferes` is called after each read, and returns whether the other process writes then. */
  constructor(interferes: () => boolean) {
    super(connection);
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

test('a creation that loses races to other processes is retried and counted exactly once', async () => {
  const tenantId = await makeTenant();
  let times = 0;
  const store = new ContendedStore(() => times++ < 4);
  expect(await outcomeOf(createContainer({ ...services, store }, tenantId, 'orders', unrecorded))).toBe('created');
  expect(await services.store.find(OBJECT_COUNTS, tenantId)).toMatchObject({ containers: 2, firewalls: 4 });
});

test('a creation that loses races until its deadline fails as unavailable and leaves nothing behind', async () => {
  const tenantId = await makeTenant();
  vi.useFakeTimers({ toFake: ['performance'] });
  let times = 0;
  const store = new ContendedStore(() => {
    if (++times === 3) vi.advanceTimersByTime(DEADLINES_MS.firestore + 1);
    return true;
  });
  const refused = await outcomeOf(createContainer({ ...services, store }, tenantId, 'orders', unrecorded));
  expect(refused).toBe('unavailable: too many create requests in progress for this tenant');
  expect(await listContainers(services.store, tenantId)).toMatchObject([{ name: 'default' }]);
  expect(await outcomeOf(createContainer(services, tenantId, 'orders', unrecorded))).toBe('created');
});

test('creations beyond the queue limit of a tenant fail as unavailable, but creations of another tenant succeed', async () => {
  const [busy, other] = [await makeTenant(), await makeTenant()];
  await services.store.write((writes) => writes.add(OBJECT_COUNTS, busy, { containers: 99 }));
  const many = Array.from({ length: 300 }, (_, n) =>
    outcomeOf(createContainer(services, busy, `container ${n}`, unrecorded)),
  );
  const one = outcomeOf(createContainer(services, other, 'orders', unrecorded));
  const outcomes = (await Promise.all(many)).map((outcome) => outcome.split(':')[0]);
  const refusedAtOnce = outcomes.splice(1 + 256);
  expect(new Set(refusedAtOnce)).toEqual(new Set(['unavailable']));
  // On a busy machine, some queued creations wait too long and are refused too.
  expect(outcomes).toContain('limit_reached');
  expect(await one).toBe('created');
});
