/* npm run bench:draw: draws bench/results.json as docs/bench.svg. */
import { writeFileSync } from 'node:fs';
import { pathOf } from '../child.ts';
import { drawChart } from './chart.ts';
import { readResults } from './results.ts';

writeFileSync(pathOf('../docs/bench.svg'), `${drawChart(readResults(pathOf('results.json')))}\n`);
