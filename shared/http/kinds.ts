import { failChange, failOnKey } from '../audit/record.ts';
import { isOperation } from '../operations.ts';
import type { Checks, Listed } from './checks.ts';
import {
  ADMISSION,
  type Admitted,
  type Begun,
  ON_KEY,
  ON_KEY_PATH,
  ON_NEW_KEY,
  ON_NEW_KEY_BODY,
  ON_OBJECT,
  ON_OBJECT_PATH,
  ON_VALUE,
} from './order.ts';

/** A kind of route, by its checks. */
export interface Kind<Known> {
  readonly checks: readonly Listed[];
  /** Runs the checks. Throws the error of the first one that fails, which may be recorded. */
  pass(begun: Begun): Promise<Known>;
  /** Throws the error of a request that has passed the first checks, after recording it if the log shows it. */
  fail(known: Known, thrown: unknown): Promise<never>;
}

/** A refusal by one of the checks in `unrecorded` leaves no trace in the audit log. */
function kind<First extends Admitted, Known extends First>(
  unrecorded: Checks<Begun, First>,
  recorded: Checks<First, Known>,
  record: (known: First, thrown: unknown) => Promise<never>,
): Kind<Known> {
  const fail = async (known: First, thrown: unknown): Promise<never> => {
    await known.noted;
    return record(known, thrown);
  };
  return {
    checks: [...unrecorded.list, ...recordable(recorded.list)],
    async pass(begun) {
      const known = await unrecorded.run(begun);
      return recorded.run(known).catch((thrown) => fail(known, thrown));
    },
    fail,
  };
}

function recordable(checks: readonly Listed[]): Listed[] {
  return checks.map((check) => ({ ...check, isRecorded: true }));
}

/** Routes about a key. */
export const KEY = kind(ON_KEY_PATH, ON_KEY, (known, thrown) => failOperation(known, known.stored, thrown));

/** Routes for the metered operations, which record each of their values themselves. */
export const METERED: typeof KEY = {
  ...KEY,
  fail: (_known, thrown) => Promise.reject(thrown),
  checks: [...KEY.checks, ...recordable(ON_VALUE.list)],
};

/** Routes that create a key. */
export const NEW_KEY = kind(ON_NEW_KEY_BODY, ON_NEW_KEY, (known, thrown) =>
  failOperation(known, Promise.resolve(null), thrown),
);

/** Routes about an object other than a key, which the path names. */
export const OBJECT = kind(ON_OBJECT_PATH, ON_OBJECT, failAdministration);

/** Routes whose path names nothing. */
export const PLAIN = kind(ADMISSION, ON_OBJECT, failAdministration);

async function failOperation(
  { services, request, route: { operation }, identity }: Admitted,
  key: Parameters<typeof failOnKey>[3],
  thrown: unknown,
): Promise<never> {
  if (operation === undefined || !isOperation(operation) || identity.kind === 'newcomer') throw thrown;
  return failOnKey(services, { requestId: request.id, caller: identity }, operation, key, thrown);
}

async function failAdministration(
  { services, request, route: { operation, target }, identity }: Admitted,
  thrown: unknown,
): Promise<never> {
  if (operation === undefined || isOperation(operation) || identity.kind !== 'session') throw thrown;
  const id = target?.parse(request.pathId);
  if (target === undefined || id === undefined) throw thrown;
  const find = () => target.find(services, identity, id);
  return failChange(services, { requestId: request.id, caller: identity }, operation, find, thrown);
}
