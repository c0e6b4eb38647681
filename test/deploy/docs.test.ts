import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PAGES } from '../../deploy/docs.ts';
import { planDeployment } from '../../deploy/plan.ts';
import { renderScript } from '../../deploy/script.ts';
import { TABLES } from '../../deploy/tables.ts';
import { ROOT } from '../sources.ts';
import { EXAMPLE } from './example.ts';

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
