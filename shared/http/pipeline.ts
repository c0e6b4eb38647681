import type { z } from 'zod';
import { type RequestOrigin, recordingChange } from '../audit/record.ts';
import type { Admission } from '../auth/admission.ts';
import type { Id } from '../base/ids.ts';
import { nextTurn } from '../base/next-turn.ts';
import { prefetch } from '../base/prefetch.ts';
import { type ErrorCode, notFound } from '../errors.ts';
import type { Key } from '../keys/key.ts';
import type { Administration, Operation } from '../operations.ts';
import type { Caller, Identity, SessionCaller } from '../tenancy/caller.ts';
import { storeOfMember } from '../tenancy/membership.ts';
import type { RecordChange } from '../tenancy/record-change.ts';
import { NATIVE } from './dialect.ts';
import type { Frame } from './frame.ts';
import type { InputReader } from './input.ts';
import { byId } from './key-lookup.ts';
import { KEY, type Kind, NEW_KEY, OBJECT, PLAIN } from './kinds.ts';
import { ADMISSION, type Admitted, needsOfChecks, refusalsOf, type WithKey } from './order.ts';
import {
  type Checked,
  DESCRIPTION_DEFAULTS,
  type DescriptionFields,
  isDecidedByRole,
  Page,
  type Reply,
  type Route,
} from './route.ts';
import { OF_EVERY_ROUTE } from './routing.ts';
import { begin, Streamed } from './streamed.ts';
import type { Target } from './target.ts';

/** What every route that needs a credential says about itself. */
export interface RouteSpec<Caller, Input>
  extends DescriptionFields,
    Pick<Checked, 'lookup' | 'destroyedToo' | 'isOwn'> {
  readonly admits: Admission<Caller>;
  readonly takes: InputReader<Input>;
  /** The error codes of the handler. The route also has the error codes of its checks. */
  readonly refuses?: readonly ErrorCode[];
  readonly status: number;
  readonly otherStatuses?: readonly number[];
  readonly answer?: z.ZodType;
  /** For a route without the method DELETE that only takes something away. A former member's request may still end. */
  readonly onlyTakesAway?: true;
}

export interface Context<Caller, Input> {
  readonly origin: RequestOrigin<Caller>;
  readonly caller: Caller;
  readonly input: Input;
  /** The part of the path that `{name}` matches, percent-decoded, or empty. */
  readonly pathName: string;
  readonly clientAddress: string | undefined;
}

/** What a handler returns, and how it is shown. */
interface Handling<Parts, Handled, Answer> {
  readonly answer?: z.ZodType<unknown, Answer>;
  readonly handle: (parts: Parts, context: Handled) => Promise<Answer | Page<Answer> | Streamed<Answer>>;
}

interface OpenSpec<Parts, Answer> extends Pick<DescriptionFields, 'id' | 'path' | 'summary' | 'description' | 'tag'> {
  readonly statuses: readonly number[];
  readonly answer: z.ZodType<unknown, Answer>;
  /** Resolves to the answer, or to its text. */
  respond(parts: Parts): Promise<{ readonly status: number } & ({ readonly body: Answer } | { readonly json: string })>;
}

/** Defines routes whose handlers use these parts of the service. */
export class Routes<Parts extends object> {
  readonly #needs: readonly (keyof Parts & string)[];

  constructor(needs: readonly (keyof Parts & string)[]) {
    this.#needs = needs;
  }

  /** Defines a route that needs no credential. */
  openRoute<Answer>({ respond, ...spec }: OpenSpec<Parts, Answer>): Route<Parts> {
    const described = { ...spec, method: 'GET', credential: 'none', refuses: OF_EVERY_ROUTE } as const;
    return { description: { ...DESCRIPTION_DEFAULTS, ...described }, needs: this.#needs, respond };
  }

  /** Defines a route whose path names nothing. */
  route<Caller, Input, Answer>(
    spec: RouteSpec<Caller, Input> & Handling<Parts, Context<Caller, Input>, Answer>,
  ): Route<Frame & Parts> {
    return this.define(spec, PLAIN, (context, parts) => answer(spec, parts, context));
  }

  /** Defines a route that reads an object. */
  resourceRoute<TargetId extends Id<string>, Input, Answer>(
    spec: RouteSpec<SessionCaller, Input> & { readonly target: Target<TargetId> } & Handling<
        Parts,
        Context<SessionCaller, Input> & { readonly id: TargetId },
        Answer
      >,
  ): Route<Frame & Parts> {
    return this.define(spec, OBJECT, (context, parts, { request }) =>
      answer(spec, parts, { ...context, id: idOf(spec.target, request.pathId) }),
    );
  }

  /** Defines a route that changes an object other than a key. */
  changeRoute<TargetId extends Id<string> | null, Input, Answer>(
    spec: RouteSpec<SessionCaller, Input> & {
      readonly operation: Administration;
      readonly target: Target<TargetId>;
    } & Handling<
        Parts,
        /** `record` adds the change's audit row to a commit. */
        Context<SessionCaller, Input> & { readonly id: TargetId; readonly record: RecordChange },
        Answer
      >,
  ): Route<Frame & Parts> {
    return this.define(spec, spec.path.includes('{id}') ? OBJECT : PLAIN, (context, parts, { request }) => {
      const record = recordingChange(parts.clock, context.origin, spec.operation);
      return answer(spec, parts, { ...context, id: idOf(spec.target, request.pathId), record });
    });
  }

  /** Defines a route that creates a key. */
  creationRoute<Admits extends Caller, Input, Answer>(
    spec: RouteSpec<Admits, Input> & { readonly operation: Operation } & Handling<
        Parts,
        Context<Admits, Input>,
        Answer
      >,
  ): Route<Frame & Parts> {
    return this.define(spec, NEW_KEY, async (context, parts) => {
      const reply = await answer(spec, parts, context);
      parts.metrics.attempted(spec.operation, undefined);
      return reply;
    });
  }

  /** Defines a route about a key. */
  keyRoute<Admits extends Caller, Input, Answer>(
    spec: RouteSpec<Admits, Input> & { readonly operation?: Operation } & Handling<
        Parts,
        Context<Admits, Input> & { readonly key: Key },
        Answer
      >,
  ): Route<Frame & Parts> {
    return this.define({ lookup: byId, ...spec }, KEY, async (context, parts, { key }: WithKey) => {
      const reply = await answer(spec, parts, { ...context, key });
      if (spec.operation !== undefined) parts.metrics.attempted(spec.operation, key.tier);
      return reply;
    });
  }

  /** Defines a route that needs a credential. `handle` runs once the checks of its kind have passed. */
  define<Caller, Input, Known extends Admitted>(
    spec: RouteSpec<Caller, Input> & Pick<Checked, 'target' | 'makesCiphertext'>,
    kind: Kind<Known>,
    handle: (context: Context<Caller, Input>, parts: Frame & Parts, known: Known) => Promise<Partial<Reply>>,
  ): Route<Frame & Parts> {
    const { dialect = NATIVE, admits, status, otherStatuses = [], refuses, ...said } = spec;
    const takes = dialect.reading(spec.takes);
    const route: Checked = { ...spec, takes };
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
        refuses: refusalsOf(route, kind.checks, [...OF_EVERY_ROUTE, ...(refuses ?? [])]),
      },
      needs: [...needsOfChecks(route), ...this.#needs],
      async respond(services, request) {
        const { message, pathId: pathName, clientAddress } = request;
        // If body bytes came together with the head, Node parses them only after it has emitted the request.
        if (takes.body !== undefined && !message.complete) await nextTurn();
        const isLate = takes.body !== undefined && !message.complete;
        const input = prefetch(takes.read(request));
        const begun = { services, request, route, input };
        // Waits only for the body of a caller that is admitted. All checks use data that is read after its last byte.
        if (isLate) {
          await ADMISSION.run({ ...begun });
          await Promise.allSettled([input]);
        }
        const known = await kind.pass(begun);
        const caller = admits.admit(known.identity);
        const origin = { requestId: request.id, caller };
        const context = { origin, caller, input: await input, pathName, clientAddress };
        try {
          const acting = actingFor(spec, known.identity, services);
          const reply = await inTurn(spec, known, () => handle(context, acting, known));
          await known.noted;
          known.reads.remember();
          return { status, ...reply };
        } catch (thrown) {
          return kind.fail(known, thrown);
        }
      },
    };
  }
}

async function answer<Parts, Handled, Answer>(
  { handle, plainText }: Pick<Handling<Parts, Handled, Answer>, 'handle'> & { readonly plainText?: boolean },
  parts: Parts,
  context: Handled,
): Promise<Partial<Reply>> {
  const answered = await handle(parts, context);
  if (answered instanceof Page) return answered;
  if (answered instanceof Streamed) return { pieces: answered.pieces };
  return plainText ? { text: String(answered) } : { body: answered };
}

function idOf<TargetId extends Id<string> | null>(target: Target<TargetId>, pathId: string): TargetId {
  const id = target.parse(pathId);
  if (id === undefined) throw notFound();
  return id;
}

/** Returns the services for a handler. The commits of a member's request that can widen something check the member. */
function actingFor<Parts extends Frame>(
  { admits, method, onlyTakesAway }: Pick<RouteSpec<unknown, unknown>, 'admits' | 'method' | 'onlyTakesAway'>,
  identity: Identity,
  services: Parts,
): Parts {
  const mayWiden = isDecidedByRole(admits.credential, method) && method !== 'DELETE' && !onlyTakesAway;
  if (!mayWiden || identity.kind !== 'session') return services;
  return { ...services, store: storeOfMember(services.store, identity) };
}

async function inTurn(
  { isReport }: Pick<DescriptionFields, 'isReport'>,
  { services, request, identity }: Admitted,
  handle: () => Promise<Partial<Reply>>,
): Promise<Partial<Reply>> {
  if (!isReport || identity.kind === 'newcomer') return handle();
  return services.reports.take(identity.tenantId, request.ended, (turn) =>
    turn(async () => begin(await handle(), turn)),
  );
}
