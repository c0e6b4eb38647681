import { describe, expect, test } from 'vitest';
import { EVENTS } from '../../shared/events.ts';
import { sources } from '../sources.ts';

const writers = [...sources].filter(([file]) => /^(shared|functions)\/(?!events\.ts)/.test(file));

describe.for(Object.entries(EVENTS))('the event "%s"', ([name, event]) => {
  test('the source code logs the event', () => {
    expect(writers.some(([, source]) => source.includes(`'${name}'`))).toBe(true);
  });

  test('the event has a name that a person can search for, and its meaning is a sentence without characters that break a table', () => {
    expect(name).toMatch(/^[\w;: -]+$/);
    expect(event.meaning).toMatch(/^[A-Z`].*\.$/);
    expect(event.meaning).not.toContain('|');
  });

  test('the event says what the operator must do if its severity is ERROR', () => {
    if (event.severity === 'ERROR' && !name.startsWith('storing the next attempt'))
      expect(event).toHaveProperty('action');
  });
});
