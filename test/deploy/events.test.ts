import { describe, expect, test } from 'vitest';
import { MEANINGS } from '../../deploy/reference/events.ts';
import { EVENT_NAMES, EVENTS } from '../../shared/events.ts';
import { sources } from '../sources.ts';

const writers = [...sources].filter(([file]) => /^(shared|functions)\/(?!events\.ts)/.test(file));

describe.for(EVENT_NAMES)('the event "%s"', (name) => {
  const { meaning, action } = MEANINGS[name];

  test('the source code logs the event', () => {
    expect(writers.some(([, source]) => source.includes(`'${name}'`))).toBe(true);
  });

  test('the event has a name that a person can search for, and its meaning is a sentence without characters that break a table', () => {
    expect(name).toMatch(/^[\w;: -]+$/);
    expect(meaning).toMatch(/^[A-Z`].*\.$/);
    expect(meaning).not.toContain('|');
  });

  test('the event says what the operator must do if its severity is ERROR', () => {
    if (EVENTS[name] === 'ERROR' && !name.startsWith('storing the next attempt')) expect(action).toBeDefined();
  });
});
