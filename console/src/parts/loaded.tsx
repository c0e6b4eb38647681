import type { ComponentChildren } from 'preact';
import { type Answer, useAnswer } from '../service/answer.ts';
import { COMMON } from '../words.ts';
import { Problem } from './problem.tsx';

interface LoadedProps<T> {
  readonly answer: Answer<T>;
  readonly children: (value: T) => ComponentChildren;
}

/** What an answer of the service shows: nothing for a moment, the failure, or the value, over which an outage is told. */
export function Loaded<T>({ answer, children }: LoadedProps<T>) {
  const { value, problem, ask } = useAnswer(answer);
  return (
    <>
      {problem !== undefined && <Problem problem={problem} onRetry={() => void ask()} />}
      {problem !== undefined && value !== undefined && <p class="small muted">{COMMON.outdated}</p>}
      {value !== undefined ? children(value) : problem === undefined && <Loading />}
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
