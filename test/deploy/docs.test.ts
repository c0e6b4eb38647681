import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PAGES } from '../../deploy/docs.ts';
import { planDeployment } from '../../deploy/plan.ts';
import { MEANINGS } from '../../deploy/reference/events.ts';
import { renderScript } from '../../deploy/script.ts';
import { TABLES } from '../../deploy/tables.ts';
import { WAITS } from '../../deploy/waits.ts';
import { EVENT_NAMES, EVENTS } from '../../shared/events.ts';
import { ROOT, sources } from '../sources.ts';
import { EXAMPLE } from './recorded.ts';

const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');

describe.for(Object.entries(PAGES))('%s', ([page, render]) => {
  test('the generated tables of the page are current; npm run deploy:docs updates them', () => {
    expect(read(page)).toBe(render(read(page)));
  });
});

test('every table that is generated from the settings is on a page of the docs', () => {
  const text = Object.keys(PAGES).map(read).join();
  expect(Object.keys(TABLES).filter((name) => !text.includes(`<!-- ${name} -->\n\n|`))).toEqual([]);
});

test('--plan prints every command of the deployment, even without gcloud', () => {
  const plan = ['--plan', '--deployment', join(ROOT, 'deploy/deployment.example.json')];
  const env = { ...process.env, PATH: '/nonexistent' };
  const printed = spawnSync(process.execPath, [join(ROOT, 'deploy/main.ts'), ...plan], { env, encoding: 'utf8' });
  expect(printed).toMatchObject({ status: 0, stdout: renderScript(EXAMPLE, planDeployment(EXAMPLE)) });
  expect(printed.stdout).toContain('gcloud run deploy encryption-crypto');
});

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

const MADE = /new (?:FairQueue|Rate|Batcher)(?:<[^(]*>)?\(\s*(\w*)/g;

test('the table of what waits has every queue, rate and batcher that the service and the programs of the operator make', () => {
  const names = [...sources].flatMap(([file, text]) =>
    /^(?:shared|functions|operator)\//.test(file) ? [...text.matchAll(MADE)].map(([, name]) => name) : [],
  );
  expect([...new Set(names)].sort()).toEqual(Object.keys(WAITS).sort());
});
