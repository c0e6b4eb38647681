import type { ComponentChildren } from 'preact';
import { type Answer, useAnswer, useAnswers } from '../service/answer.ts';
import { COMMON } from '../words.ts';
import { Problem } from './problem.tsx';

interface LoadedProps<T> {
  readonly answer: Answer<T>;
  readonly children: (value: T) => ComponentChildren;
}

/** What an answer of the service shows: nothing for a moment, the failure, or the value, over which an outage is told. */
export function Loaded<T>({ answer, children }: LoadedProps<T>) {
  const { value, problem } = useAnswer(answer);
  return (
    <>
      <Failure of={[answer]} />
      {value !== undefined ? children(value) : problem === undefined && <Loading />}
    </>
  );
}

/** What an answer shows on a page that tells by a {@link Failure} what went wrong with all its answers. */
export function Known<T>({ answer, children }: LoadedProps<T>) {
  const { value, problem } = useAnswer(answer);
  if (value !== undefined) return <>{children(value)}</>;
  return problem === undefined ? <Loading /> : <p class="muted">{COMMON.unknown}</p>;
}

/** What went wrong with some answers, told once, and a way to ask for all of them again. */
export function Failure({ of: answers }: { readonly of: readonly Answer<unknown>[] }) {
  useAnswers(...answers);
  const failed = answers.filter(({ problem }) => problem !== undefined);
  if (failed.length === 0) return null;
  const askAgain = (): void => {
    for (const { ask } of failed) void ask();
  };
  return (
    <>
      <Problem problem={failed[0]?.problem} isReading onRetry={askAgain} />
      {failed.some(({ value }) => value !== undefined) && <p class="small muted">{COMMON.outdated}</p>}
    </>
  );
}

/** A line that shows only where something takes longer than a moment. */
export function Loading() {
  return (
    <p class="loading muted" role="status">
      {COMMON.loading}
    </p>
  );
}
