import type { z } from 'zod';
import { failChange, failOnKey, type RequestOrigin, recordingChange } from '../audit/record.ts';
import type { Admission } from '../auth/admission.ts';
import type { Id } from '../base/ids.ts';
import { prefetch } from '../base/prefetch.ts';
import type { ErrorCode } from '../errors.ts';
import type { Key } from '../keys/key.ts';
import type { Administration, Operation } from '../operations.ts';
import type { Services } from '../services.ts';
import type { Caller, SessionCaller } from '../tenancy/caller.ts';
import { storeOfMember } from '../tenancy/membership.ts';
import type { RecordChange } from '../tenancy/record-change.ts';
import { onceArrived } from './arrival.ts';
import { NATIVE } from './dialect.ts';
import type { InputReader } from './input.ts';
import { newKey } from './key-lookup.ts';
import { type KindFacts, orNotFound, RequestFacts } from './request-facts.ts';
import {
  type Checked,
  DESCRIPTION_DEFAULTS,
  type DescriptionFields,
  isDecidedByRole,
  Page,
  type Reply,
  type Route,
  type Subject,
} from './route.ts';
import { OF_ANY_REQUEST, refusalsOf, type Step, stepsOf } from './steps.ts';
import { begin, Streamed } from './streamed.ts';
import type { Target } from './target.ts';

export interface Spec<Admitted, Input, Answer> extends DescriptionFields {
  readonly admits: Admission<Admitted>;
  readonly takes: InputReader<Input>;
  /** The error codes of the handler. The route also has the error codes of its checks. */
  readonly refuses?: readonly ErrorCode[];
  readonly status: number;
  readonly otherStatuses?: readonly number[];
  readonly answer?: z.ZodType<unknown, Answer>;
  /** For a route without the method DELETE that only takes something away. A former member's request may still end. */
  readonly onlyTakesAway?: true;
}

export interface Context<Admitted, Input> {
  readonly origin: RequestOrigin<Admitted>;
  readonly caller: Admitted;
  readonly input: Input;
  /** The part of the path that `{name}` matches, percent-decoded, or empty. */
  readonly pathName: string;
  readonly clientAddress: string | undefined;
}

type Handle<Handled, Answer> = (
  services: Services,
  context: Handled,
) => Promise<Answer | Page<Answer> | Streamed<Answer>>;

interface OpenSpec<Answer> extends Pick<DescriptionFields, 'id' | 'path' | 'summary' | 'description' | 'tag'> {
  readonly statuses: readonly number[];
  readonly answer: z.ZodType<unknown, Answer>;
  respond(services: Services): Promise<{ readonly status: number; readonly body: Answer }>;
}

export function openRoute<Answer>({ respond, ...spec }: OpenSpec<Answer>): Route {
  const described = { ...spec, method: 'GET', credential: 'none', refuses: OF_ANY_REQUEST } as const;
  return { description: { ...DESCRIPTION_DEFAULTS, ...described }, respond };
}

interface PlainSpec<Admitted, Input, Answer> extends Spec<Admitted, Input, Answer> {
  readonly handle: Handle<Context<Admitted, Input>, Answer>;
}

export function route<Admitted, Input, Answer>(spec: PlainSpec<Admitted, Input, Answer>): Route {
  return define(spec, 'nothing', () => ({ handle: (context, services) => answer(spec, services, context) }));
}

interface ResourceSpec<TargetId extends Id<string>, Input, Answer> extends Spec<SessionCaller, Input, Answer> {
  readonly target: Target<TargetId>;
  readonly handle: Handle<Context<SessionCaller, Input> & { readonly id: TargetId }, Answer>;
}

export function resourceRoute<TargetId extends Id<string>, Input, Answer>(
  spec: ResourceSpec<TargetId, Input, Answer>,
): Route {
  return define(spec, 'resource', ({ request }) => ({
    handle: async (context, services) =>
      answer(spec, services, { ...context, id: orNotFound(spec.target.parse(request.pathId)) }),
  }));
}

interface ChangeSpec<TargetId extends Id<string> | null, Input, Answer>
  extends Spec<SessionCaller, Input, Answer>,
    Pick<KindFacts, 'isOwn'> {
  readonly operation: Administration;
  readonly target: Target<TargetId>;
  /** `record` adds the change's audit row to a commit. */
  readonly handle: Handle<
    Context<SessionCaller, Input> & { readonly id: TargetId; readonly record: RecordChange },
    Answer
  >;
}

export function changeRoute<TargetId extends Id<string> | null, Input, Answer>(
  spec: ChangeSpec<TargetId, Input, Answer>,
): Route {
  const { operation, target, path } = spec;
  return define(spec, path.includes('{id}') ? 'resource' : 'nothing', ({ services, request, origin }) => {
    const id = () => orNotFound(target.parse(request.pathId));
    const find = (caller: SessionCaller) => target.find(services, caller, id());
    const refused: Fail = async (thrown) => failChange(services, await origin(), operation, find, thrown);
    return {
      refused,
      async handle(context, acting) {
        const record = recordingChange(services.clock, context.origin, operation);
        // Another request may have lowered the caller's role after the policy decision.
        return answer(spec, acting, { ...context, id: id(), record }).catch(refused);
      },
    };
  });
}

interface CreationSpec<Input, Answer> extends PlainSpec<Caller, Input, Answer> {
  readonly operation: Operation;
}

export function creationRoute<Input, Answer>(spec: CreationSpec<Input, Answer>): Route {
  return define({ ...spec, lookup: newKey }, 'new key', (facts) => {
    const handle: Handler<Caller, Input> = (context, services) => answer(spec, services, context);
    return keyAttempt(facts, spec.operation, async () => null, handle);
  });
}

interface KeySpec<Input, Answer> extends Spec<Caller, Input, Answer>, Pick<KindFacts, 'lookup' | 'destroyedToo'> {
  readonly operation?: Operation;
  readonly handle: Handle<Context<Caller, Input> & { readonly key: Key }, Answer>;
}

export function keyRoute<Input, Answer>(spec: KeySpec<Input, Answer>): Route {
  const { operation } = spec;
  return define(spec, 'key', (facts) => {
    const handle: Handler<Caller, Input> = async (context, services) =>
      answer(spec, services, { ...context, key: await facts.key() });
    return operation === undefined ? { handle } : keyAttempt(facts, operation, facts.found, handle);
  });
}

type Fail = (thrown: unknown) => Promise<never>;

type Handler<Admitted, Input> = (context: Context<Admitted, Input>, acting: Services) => Promise<Partial<Reply>>;

interface Attempt<Admitted, Input> {
  readonly handle: Handler<Admitted, Input>;
  readonly refused?: Fail;
}

/** Counts an attempt at an operation on a key, successful or not. `key` is `null` if the operation creates the key. */
function keyAttempt<Input>(
  { services, origin }: RequestFacts<Caller>,
  operation: Operation,
  key: () => Promise<Key | null | undefined>,
  handle: Handler<Caller, Input>,
): Attempt<Caller, Input> {
  const refused: Fail = async (thrown) => failOnKey(services, await origin(), operation, key(), thrown);
  const counted: Handler<Caller, Input> = async (context, acting) => {
    const reply = await handle(context, acting);
    services.metrics.attempted(operation, (await key())?.tier);
    return reply;
  };
  return { refused, handle: (context, acting) => counted(context, acting).catch(refused) };
}

async function answer<Handled, Answer>(
  { handle, plainText }: { readonly handle: Handle<Handled, Answer>; readonly plainText?: boolean },
  services: Services,
  context: Handled,
): Promise<Partial<Reply>> {
  const answered = await handle(services, context);
  if (answered instanceof Page) return answered;
  if (answered instanceof Streamed) return { pieces: answered.pieces };
  return plainText ? { text: String(answered) } : { body: answered };
}

/** Defines a route that needs a credential. `begin` runs before the checks and returns the handler of a request. */
export function define<Admitted, Input, Answer>(
  spec: Spec<Admitted, Input, Answer> & KindFacts,
  subject: Subject,
  begin: (facts: RequestFacts<Admitted, Input>) => Attempt<Admitted, Input>,
): Route {
  const { dialect = NATIVE, admits, status, otherStatuses = [], refuses, ...said } = spec;
  const takes = dialect.reading(spec.takes);
  const checked = { ...spec, subject };
  const steps = stepsOf(checked);
  return {
    description: {
      ...DESCRIPTION_DEFAULTS,
      ...said,
      dialect,
      credential: admits.credential,
      body: takes.body,
      isBodyOptional: takes.isBodyOptional ?? false,
      query: takes.query,
      statuses: [status, ...otherStatuses],
      answer: spec.answer,
      refuses: refusalsOf(checked, refuses),
    },
    async respond(services, request) {
      const reply = await onceArrived(services, request, { takes, admits }, async (input) => {
        const facts = new RequestFacts(services, request, checked, input);
        const { handle, refused } = begin(facts);
        await pass(steps, facts, refused);
        const context = await contextOf(facts);
        const acting = await actingFor(spec, facts);
        return inTurn(spec, facts, () => handle(context, acting));
      });
      return { status, ...reply };
    },
  };
}

/** Runs all checks concurrently. If several fail, throws the failure of the first one in order. */
async function pass(steps: readonly Step[], facts: RequestFacts, refused: Fail | undefined): Promise<void> {
  const checks = steps.map(({ check, recorded }) => ({ checked: prefetch(check(facts)), recorded }));
  for (const { checked, recorded } of checks) await (recorded && refused ? checked.catch(refused) : checked);
}

async function contextOf<Admitted, Input>(facts: RequestFacts<Admitted, Input>): Promise<Context<Admitted, Input>> {
  const { pathId: pathName, clientAddress } = facts.request;
  const origin = await facts.origin();
  return { origin, caller: origin.caller, input: await facts.input, pathName, clientAddress };
}

/** Returns the services for a handler. The commits of a member's request that can widen something check the member. */
async function actingFor(
  {
    admits,
    method,
    onlyTakesAway,
  }: Pick<Checked, 'admits' | 'method'> & Pick<Spec<unknown, unknown, unknown>, 'onlyTakesAway'>,
  { services, identified }: RequestFacts,
): Promise<Services> {
  const { identity } = await identified();
  const mayWiden = isDecidedByRole(admits.credential, method) && method !== 'DELETE' && !onlyTakesAway;
  if (!mayWiden || identity.kind !== 'session') return services;
  return { ...services, store: storeOfMember(services.store, identity) };
}

async function inTurn(
  { isReport }: Pick<DescriptionFields, 'isReport'>,
  { services, request, identified }: RequestFacts,
  handle: () => Promise<Partial<Reply>>,
): Promise<Partial<Reply>> {
  const { identity } = await identified();
  if (!isReport || identity.kind === 'newcomer') return handle();
  return services.reports.take(identity.tenantId, request.ended, (turn) =>
    turn(async () => begin(await handle(), turn)),
  );
}
