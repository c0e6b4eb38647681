import { describe, expect, test } from 'vitest';
import { EVENTS } from '../../shared/events.ts';
import { sources } from '../sources.ts';

const writers = [...sources].filter(([file]) => /^(shared|functions)\/(?!events\.ts)/.test(file));

describe.for(Object.entries(EVENTS))('the event "%s"', ([name, event]) => {
  test('is logged somewhere', () => {
    expect(writers.some(([, source]) => source.includes(`'${name}'`))).toBe(true);
  });

  test('can be searched for and shown in a table', () => {
    expect(name).toMatch(/^[\w;: -]+$/);
    expect(event.meaning).toMatch(/^[A-Z].*\.$/);
    expect(event.meaning).not.toContain('|');
  });

  test('says what to do where it is an error', () => {
    if (event.severity === 'ERROR' && !name.startsWith('storing the next attempt'))
      expect(event).toHaveProperty('action');
  });
});
