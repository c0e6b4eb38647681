/*
 * Adds Firebase to the project if it is missing, because Firebase Hosting needs it: node deploy/add-firebase.ts --project ID
 */
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { z } from 'zod';

const { values } = parseArgs({ options: { project: { type: 'string' } } });
const { project } = values;
if (project === undefined) throw new Error('--project is required');
const projects = z.object({ result: z.array(z.object({ projectId: z.string() })) });
const listed = execFileSync('npx', ['firebase', 'projects:list', '--json'], { encoding: 'utf8' });
if (!projects.parse(JSON.parse(listed)).result.some(({ projectId }) => projectId === project))
  execFileSync('npx', ['firebase', 'projects:addfirebase', project, '--non-interactive'], { stdio: 'inherit' });
