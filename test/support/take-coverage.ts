import { takeCoverage } from 'node:v8';
import { afterAll } from 'vitest';

// Vitest ends its processes with a signal, after which Node would write no coverage.
afterAll(() => takeCoverage());
