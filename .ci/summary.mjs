/*
 * Reads Vitest's reports in a folder. Prints the tests that failed, and the line "N passed, N failed". A failure outside a
 * test counts as one failed test.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [, , folder] = process.argv;
const print = (line) => process.stdout.write(`${line}\n`);
let passed = 0;
let failed = 0;

for (const file of readdirSync(folder).filter((name) => name.endsWith('.code'))) {
  const script = file.slice(0, -'.code'.length);
  const code = Number(readFileSync(join(folder, file), 'utf8'));
  const path = join(folder, `${script}.json`);
  const report = existsSync(path)
    ? JSON.parse(readFileSync(path, 'utf8'))
    : { numPassedTests: 0, numFailedTests: 0, testResults: [] };
  passed += report.numPassedTests;
  failed += report.numFailedTests;
  if (code !== 0 && report.numFailedTests === 0) {
    failed += 1;
    print(`FAILED outside a test: npm run ${script}, exit code ${code}`);
  }
  for (const { name, message, assertionResults } of report.testResults) {
    const broken = assertionResults.filter(({ status }) => status === 'failed');
    for (const { fullName, failureMessages } of broken)
      print(`FAILED ${name}: ${fullName}\n${failureMessages.join('\n')}`);
    if (broken.length === 0 && message) print(`FAILED ${name}\n${message}`);
  }
}
print(`${passed} passed, ${failed} failed`);
