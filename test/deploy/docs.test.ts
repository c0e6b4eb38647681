import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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

test.for(Object.entries(PAGES))(
  'the generated tables of %s are current; npm run deploy:docs updates them',
  ([page, render]) => {
    expect(read(page)).toBe(render(read(page)));
  },
);

test('every table that is generated from the settings is on a page of the docs', () => {
  const text = Object.keys(PAGES).map(read).join();
  expect(Object.keys(TABLES).filter((name) => !text.includes(`<!-- ${name} -->\n\n|`))).toEqual([]);
});

test('--plan prints every command of the deployment, even without gcloud', () => {
  const plan = ['--plan', '--deployment', join(ROOT, 'deploy/deployment.example.json')];
  const env = { ...process.env, PATH: '/nonexistent' };
  const printed = spawnSync(process.execPath, [join(ROOT, 'deploy/main.ts'), ...plan], { env, encoding: 'utf8' });
  const command = `npm run deploy -- ${plan.slice(1).join(' ')}`;
  expect(printed).toMatchObject({ status: 0, stdout: renderScript(EXAMPLE, planDeployment(EXAMPLE), command) });
  expect(printed.stdout).toContain('gcloud run deploy encryption-crypto');
});

const writers = [...sources].filter(([file]) => /^(shared|functions)\/(?!events\.ts)/.test(file));

test('the source code logs every event', () => {
  const isLogged = (name: string) => writers.some(([, source]) => source.includes(`'${name}'`));
  expect(EVENT_NAMES.filter((name) => !isLogged(name))).toEqual([]);
});

test.for(EVENT_NAMES)(
  'the event "%s" has a name that a person can search for, and its meaning is a sentence without characters that break a table',
  (name) => {
    const { meaning, action } = MEANINGS[name];
    expect(name).toMatch(/^[\w;: -]+$/);
    expect(meaning).toMatch(/^[A-Z`][^|\n]*\.$/);
    // For an error, it also says what the operator must do.
    if (EVENTS[name] === 'ERROR' && !name.startsWith('storing the next attempt')) expect(action).toBeDefined();
  },
);

const MADE = /new (?:FairQueue|Rate|Batcher)(?:<[^(]*>)?\(\s*(\w*)/g;

test('the table of what waits has every queue, rate and batcher that the service and the programs of the operator make', () => {
  const names = [...sources].flatMap(([file, text]) =>
    /^(?:shared|functions|operator)\//.test(file) ? [...text.matchAll(MADE)].map(([, name]) => name) : [],
  );
  expect([...new Set(names)].sort()).toEqual(Object.keys(WAITS).sort());
});
